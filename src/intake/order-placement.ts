import type { CreateOutcome } from '../domain/command.js';
import type { OrderSender } from './trading-gate.js';
import { NO_ORDER_ID, type ParentOrderDraft } from '../domain/order.js';
import type { StateReader, StateSnapshot } from '../journal/port.js';
import type { AccountId, ApiKeyId, ClientOrderId, OrderId, SessionNumber } from '../domain/ids.js';
import { IDEMPOTENCY_WAITERS_MAX, SETTLED_CREATES_MAX } from '../domain/limits/clients.js';
import {
  isRejected,
  type OrRejection,
  type Rejection,
  Rejected,
  REJECTION_CODES,
  type RejectionCode,
} from '../domain/rejection.js';
import { currentTwiceMid } from '../domain/market.js';
import type { EpochMs } from '../domain/time.js';
import { sizeRefusalOf } from '../order/admission.js';
import type { MarketDataQuery } from './market-query.js';
import { runBatch } from './batch.js';
import type { RequestFailure, WhenComplete } from '../journal/complete-reads.js';
import type { EarlierCreates } from './earlier-creates.js';
import { createKey, type CreateKey, CreatesInFlight, earlierOrder, type SummaryAnswer } from './idempotency.js';
import { type FormedRequest, type OrderForm, pairForm, type PairFormParts, singleLegForm } from './order-form.js';
import { isJsonObject } from '../api/field/json-value.js';
import { reading } from '../api/field/member-names.js';
import { parseBatch } from '../api/order/order-control.js';
import { isClientOrderId } from '../api/field/field-value.js';
import type { OrderRequest } from '../api/order/order-parser.js';
import type { PairRequest } from '../api/pair/pair-parser.js';
import { checkClock } from '../api/order/trade-times.js';
import type { OrderSummary } from '../api/order/order-details.js';

export interface OrderPlacementParts extends PairFormParts {
  readonly market: Pick<MarketDataQuery, 'twiceMid' | 'latest'>;
  readonly commands: Pick<OrderSender, 'create'>;
  readonly reader: StateReader;
  readonly whenComplete: WhenComplete;
  /** The refusal of every new order of an account while trading is halted; null: it may trade. */
  readonly haltOf: (account: AccountId) => Rejection | null;
  readonly earlier: Pick<EarlierCreates, 'begin'>;
}

/** The authenticated caller of a request. */
export interface Sender {
  readonly account: AccountId;
  readonly apiKey: ApiKeyId;
  /** The session that cancels its orders at its end; null or absent: none. */
  readonly session?: SessionNumber | null;
  /** Answers when an internal error ends the request later. Absent: the error is logged only. */
  readonly call?: RequestFailure;
  /** Called when the order has its id, once or more often; a refused create only answers. null or absent: no call. */
  readonly onAdmitted?: (() => void) | null;
}

/** Makes an order from a create request, or a summary with the reason of its rejection. */
export class OrderPlacement {
  /** Creates that were answered REJECTED, by code. Nothing of them is stored. */
  readonly refusedCounts = Object.fromEntries(REJECTION_CODES.map((code) => [code, 0])) as Record<
    RejectionCode,
    number
  >;
  readonly #parts: OrderPlacementParts;
  readonly #inFlight = new CreatesInFlight();
  readonly #singleLeg: OrderForm<OrderRequest>;
  readonly #pair: OrderForm<PairRequest>;
  #isAccepting = true;

  constructor(parts: OrderPlacementParts) {
    this.#parts = parts;
    this.#singleLeg = singleLegForm(parts.catalogue, parts.clock);
    this.#pair = pairForm(parts);
  }

  /** False during shutdown: every create is refused. */
  get isAccepting(): boolean {
    return this.#isAccepting;
  }

  stopAccepting(): void {
    this.#isAccepting = false;
  }

  /**
   * Answers once: PENDING_NEW when durable, REJECTED, or the summary of the existing order with the client_order_id.
   */
  place(sender: Sender, body: unknown, answer: SummaryAnswer): void {
    this.#placeBy(this.#singleLeg, sender, body, answer);
  }

  /** The same for a multi-leg order. Both kinds share the client order ids of an account. */
  placePair(sender: Sender, body: unknown, answer: SummaryAnswer): void {
    this.#placeBy(this.#pair, sender, body, answer);
  }

  /**
   * Places the members of a batch. Answers once, in the order of the members. A trading halt refuses the whole batch.
   */
  placeMany(sender: Sender, body: unknown, answer: (result: OrRejection<readonly OrderSummary[]>) => void): void {
    this.#placeBatch(sender, body, (from, member, settle) => this.place(from, member, settle), answer);
  }

  placePairs(sender: Sender, body: unknown, answer: (result: OrRejection<readonly OrderSummary[]>) => void): void {
    this.#placeBatch(sender, body, (from, member, settle) => this.placePair(from, member, settle), answer);
  }

  #placeBatch(
    sender: Sender,
    body: unknown,
    place: (from: Sender, member: unknown, answer: SummaryAnswer) => void,
    answer: (result: OrRejection<readonly OrderSummary[]>) => void,
  ): void {
    const halt = this.#isAccepting ? this.#parts.haltOf(sender.account) : SHUTTING_DOWN;
    if (halt !== null) return answer(new Rejected(halt));
    const members = parseBatch(body);
    if (isRejected(members)) return answer(members);
    const end = this.#parts.earlier.begin(sender.account);
    const onAdmitted = (): void => {
      end();
      sender.onAdmitted?.();
    };
    const placeNext = (member: unknown, settle: SummaryAnswer, onMemberAdmitted: (() => void) | null): void =>
      place(memberOf(sender, onMemberAdmitted), member, settle);
    runBatch(members, placeNext, answer, onAdmitted);
  }

  #placeBy<Request extends FormedRequest>(
    form: OrderForm<Request>,
    sender: Sender,
    body: unknown,
    answer: SummaryAnswer,
  ): void {
    const nowMs = this.#parts.clock.nowMs();
    if (!this.#isAccepting) return answer(this.#rejected(clientOrderIdOf(body), SHUTTING_DOWN, nowMs));
    const request = form.parse(body);
    if (isRejected(request)) return answer(this.#rejected(clientOrderIdOf(body), request.rejection, nowMs));
    const creation: Creation<Request> = { form, sender, request, nowMs, isAdmitted: false, end: null };
    const { clientOrderId } = request.values;
    if (clientOrderId === null) return this.#submit(creation, '', answer);
    this.#placeOnce(creation, clientOrderId, answer);
  }

  #placeOnce<Request extends FormedRequest>(
    creation: Creation<Request>,
    clientOrderId: ClientOrderId,
    answer: SummaryAnswer,
  ): void {
    const { form, sender, request, nowMs } = creation;
    const digest = form.digest(request);
    const key = createKey(sender.account, clientOrderId);
    const joined = this.#inFlight.join(key, digest, answer);
    if (joined === 'joined') return sender.onAdmitted?.();
    if (joined !== 'free') return answer(this.#rejected(clientOrderId, joinRefusal(joined, clientOrderId), nowMs));
    const name: CreateName = { clientOrderId, digest, key };
    if (this.#mayBeUnseen(key)) return this.#placeLater(creation, name, answer);
    const known = this.#answerOf(sender.account, name, nowMs);
    if (known !== null) return answer(known);
    this.#inFlight.begin(key, digest);
    this.#placeNew(creation, name, answer);
  }

  /** True when the store may have an order of the id that the last read did not show. */
  #mayBeUnseen(key: CreateKey): boolean {
    if (this.#inFlight.isReviewDue) this.#inFlight.forgetShown(this.#parts.reader.progress());
    return this.#inFlight.settledCount >= SETTLED_CREATES_MAX || this.#inFlight.mayBeNew(key);
  }

  /** Places the order once the store shows every answered create. Meanwhile equal requests join this one. */
  #placeLater<Request extends FormedRequest>(
    creation: Creation<Request>,
    name: CreateName,
    answer: SummaryAnswer,
  ): void {
    const { nowMs } = creation;
    const { account } = creation.sender;
    const { clientOrderId, digest, key } = name;
    creation.end = this.#parts.earlier.begin(account);
    this.#inFlight.begin(key, digest);
    const place = (snapshot: StateSnapshot | null): void => {
      this.#forgetSettled();
      const refusal = this.#isAccepting ? (snapshot === null ? STORE_BEHIND : null) : SHUTTING_DOWN;
      const known =
        refusal === null ? this.#answerOf(account, name, nowMs) : this.#rejected(clientOrderId, refusal, nowMs);
      if (known === null) return this.#placeNew(creation, name, answer);
      noteAdmitted(creation);
      this.#inFlight.settle(key, known, refusal === null);
      answer(known);
    };
    this.#parts.whenComplete((snapshot) => this.#freeingOnError(creation, name, () => place(snapshot)), {
      account,
      client: creation.sender.call,
    });
  }

  /** Runs a step of a create that is in flight. An internal error in it must not block the id for ever. */
  #freeingOnError({ nowMs }: Admission, { clientOrderId, key }: CreateName, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#inFlight.settle(key, this.#rejected(clientOrderId, FAILED, nowMs));
      throw error;
    }
  }

  /** Forgets the creates that the store shows. Creates that were answered during a wait may be later ones. */
  #forgetSettled(): void {
    const progress = this.#parts.reader.progress();
    if (progress.shownSeq >= progress.durableSeq) this.#inFlight.forgetSettled();
    else this.#inFlight.forgetShown(progress);
  }

  /** The answer when the id has an order, or may still get one from an earlier request; null: it is free. */
  #answerOf(account: AccountId, { clientOrderId, digest, key }: CreateName, nowMs: EpochMs): OrderSummary | null {
    const earlier = earlierOrder(this.#parts.reader.recent(), { account, clientOrderId, digest }, nowMs);
    if (earlier !== null) {
      this.#inFlight.resolve(key);
      return earlier;
    }
    const unresolvedId = this.#inFlight.unresolved(key);
    return unresolvedId === null ? null : this.#rejected(clientOrderId, stillUnknown(unresolvedId), nowMs);
  }

  #placeNew<Request extends FormedRequest>(creation: Creation<Request>, name: CreateName, answer: SummaryAnswer): void {
    const settle: SummaryAnswer = (summary) => {
      this.#inFlight.settle(name.key, summary);
      answer(summary);
    };
    this.#freeingOnError(creation, name, () => this.#submit(creation, name.digest, settle));
  }

  #submit<Request extends FormedRequest>(creation: Creation<Request>, digest: string, answer: SummaryAnswer): void {
    const { form, sender, request, nowMs } = creation;
    const { clientOrderId } = request.values;
    const clockRefusal = checkClock(request.values, nowMs);
    if (clockRefusal !== null) {
      noteAdmitted(creation);
      return answer(this.#rejected(clientOrderId, clockRefusal, nowMs));
    }
    form.draft(request, digest, sender.account, (draft) => {
      if (!isRejected(draft)) return this.#send(draft, creation, answer);
      noteAdmitted(creation);
      answer(this.#rejected(clientOrderId, draft.rejection, nowMs));
    });
    // Most creates have their id by now.
    if (!creation.isAdmitted) creation.end ??= this.#parts.earlier.begin(sender.account);
  }

  #send(draft: ParentOrderDraft, creation: Admission, answer: SummaryAnswer): void {
    const { account, clientOrderId, createdAtMs } = draft;
    const { catalogue, market } = this.#parts;
    const tooSmall = sizeRefusalOf(draft, catalogue, (leg) =>
      currentTwiceMid(market.latest(leg.instrument), createdAtMs),
    );
    if (tooSmall !== null) {
      noteAdmitted(creation);
      return answer(this.#rejected(clientOrderId, tooSmall, createdAtMs));
    }
    const { apiKey, session, onAdmitted } = creation.sender;
    draft.session = session ?? null;
    const onOutcome = (outcome: CreateOutcome): void => {
      noteAdmitted(creation);
      const unresolvedId = outcome.kind === 'refused' ? outcome.unresolvedOrderId : undefined;
      if (unresolvedId !== undefined && clientOrderId !== null) {
        this.#inFlight.leaveUnresolved(createKey(account, clientOrderId), unresolvedId);
      }
      answer(this.#createdOrRejected(draft, outcome));
    };
    this.#parts.commands.create(draft, onOutcome, apiKey);
    // An order that waits for its risk check has no id yet. It is admitted with its answer.
    if (draft.orderId === NO_ORDER_ID) return;
    noteAdmitted(creation);
    onAdmitted?.();
  }

  #createdOrRejected(draft: ParentOrderDraft, outcome: CreateOutcome): OrderSummary {
    const { clientOrderId } = draft;
    if (outcome.kind === 'refused') return this.#rejected(clientOrderId, outcome.rejection, draft.createdAtMs);
    const { orderId, createdAtMs } = outcome;
    return { orderId, clientOrderId, status: 'PENDING_NEW', createdAtMs, outcome: null };
  }

  #rejected(clientOrderId: ClientOrderId | null, rejection: Rejection, nowMs: EpochMs): OrderSummary {
    this.refusedCounts[rejection.code] += 1;
    return { orderId: null, clientOrderId, status: 'REJECTED', createdAtMs: nowMs, outcome: rejection };
  }
}

/** The sender of a member of its batch. */
export function memberOf({ account, apiKey, session = null, call }: Sender, onAdmitted: (() => void) | null): Sender {
  return { account, apiKey, session, onAdmitted, ...(call !== undefined && { call }) };
}

/** A create in progress. */
interface Creation<Request extends FormedRequest> {
  readonly form: OrderForm<Request>;
  readonly sender: Sender;
  readonly request: Request;
  /** Time of arrival, service time. */
  readonly nowMs: EpochMs;
  /** The order has an id or is refused. */
  isAdmitted: boolean;
  /** Ends the waits of later requests for the admission. null: none can wait. */
  end: (() => void) | null;
}

/** The client order id of a create, with its key and the digest of the request. */
interface CreateName {
  readonly clientOrderId: ClientOrderId;
  readonly digest: string;
  readonly key: CreateKey;
}

type Admission = Pick<Creation<FormedRequest>, 'sender' | 'nowMs' | 'isAdmitted' | 'end'>;

function noteAdmitted(creation: Admission): void {
  creation.isAdmitted = true;
  creation.end?.();
}

const FAILED: Rejection = { code: 'SYSTEM_ERROR', message: 'the service failed to place the order' };

const SHUTTING_DOWN: Rejection = {
  code: 'SYSTEM_BUSY',
  message: 'the service is shutting down; nothing was placed',
  reason: 'SHUTTING_DOWN',
};

const STORE_BEHIND: Rejection = {
  code: 'SYSTEM_BUSY',
  message: 'client_order_id: an earlier create with it is being stored; nothing was placed, try again',
};

function stillUnknown(orderId: OrderId): Rejection {
  const message = `an earlier create with this client_order_id may still make order_id ${orderId}; query it`;
  return { code: 'SYSTEM_BUSY', message };
}

const clientOrderIdIn = reading('client_order_id');

/** The client order id of a refused request, so that the client can match the answer. */
function clientOrderIdOf(body: unknown): ClientOrderId | null {
  const value = isJsonObject(body) ? clientOrderIdIn(body) : null;
  return isClientOrderId(value) ? value : null;
}

function joinRefusal(joined: 'conflict' | 'full', clientOrderId: ClientOrderId): Rejection {
  return joined === 'conflict'
    ? { code: 'INVALID_REQUEST', message: `client_order_id ${clientOrderId} is being placed for a different order` }
    : {
        code: 'SYSTEM_BUSY',
        message: `over ${IDEMPOTENCY_WAITERS_MAX} requests wait for client_order_id ${clientOrderId}`,
      };
}
