import type { StateReader } from '../journal/port.js';
import type { AccountId, ApiKeyId, ClientOrderId, OrderId } from '../model/ids.js';
import { IDEMPOTENCY_WAITERS_MAX, SETTLED_CREATES_MAX } from '../model/limits.js';
import { isRejected, type Rejection } from '../model/rejection.js';
import type { EpochMs } from '../model/time.js';
import { createKey, CreatesInFlight, type CreateKey, type SummaryAnswer } from './creates-in-flight.js';
import { earlierOrder } from './earlier-order.js';
import { singleLegForm, type FormedRequest, type OrderForm } from './order-form.js';
import { pairForm, type PairFormParts } from './pair-form.js';
import { isJsonObject } from './parse/json-field.js';
import type { OrderRequest } from './parse/order-request.js';
import { isClientOrderId } from './parse/order-text.js';
import type { PairRequest } from './parse/pair-request.js';
import { untimelinessOf } from './parse/trade-times.js';
import type { CreateOutcome, OrderDesk, ParentOrderDraft } from './port.js';
import type { OrderSummary } from './present/order-summary.js';

export interface OrderPlacementParts extends PairFormParts {
  readonly desk: OrderDesk;
  readonly reader: StateReader;
}

/** Who asks, and with which key. */
export interface Sender {
  readonly account: AccountId;
  readonly apiKey: ApiKeyId;
}

/** Turns a create request into an order, or into the summary that says why there is none. */
export class OrderPlacement {
  readonly #parts: OrderPlacementParts;
  readonly #inFlight = new CreatesInFlight();
  readonly #singleLeg: OrderForm<OrderRequest>;
  readonly #pair: OrderForm<PairRequest>;

  constructor(parts: OrderPlacementParts) {
    this.#parts = parts;
    this.#singleLeg = singleLegForm(parts.catalogue, parts.clock);
    this.#pair = pairForm(parts);
  }

  /** Answers once: PENDING_NEW when durable, REJECTED, or the summary of the order the client_order_id already names. */
  place(sender: Sender, body: unknown, answer: SummaryAnswer): void {
    this.#placeBy(this.#singleLeg, sender, body, answer);
  }

  /** The same of a multi-leg order; the ids are those of one account, whatever they name. */
  placePair(sender: Sender, body: unknown, answer: SummaryAnswer): void {
    this.#placeBy(this.#pair, sender, body, answer);
  }

  #placeBy<Request extends FormedRequest>(
    form: OrderForm<Request>,
    sender: Sender,
    body: unknown,
    answer: SummaryAnswer,
  ): void {
    const nowMs = this.#parts.clock.nowMs();
    const request = form.parse(body);
    if (isRejected(request)) return answer(rejected(clientOrderIdOf(body), request.rejection, nowMs));
    const creation: Creation<Request> = { form, sender, request, nowMs };
    if (request.clientOrderId === null) return this.#submit(creation, '', answer);
    this.#placeOnce(creation, request.clientOrderId, answer);
  }

  #placeOnce<Request extends FormedRequest>(
    creation: Creation<Request>,
    clientOrderId: ClientOrderId,
    answer: SummaryAnswer,
  ): void {
    const { form, sender, request, nowMs } = creation;
    const { account } = sender;
    const digest = form.digest(request);
    const key = createKey(account, clientOrderId);
    const joined = this.#inFlight.join(key, digest, answer);
    if (joined === 'joined') return;
    if (joined !== 'free') return answer(rejected(clientOrderId, joinRefusal(joined, clientOrderId), nowMs));
    if (!this.#catchUp(key)) return answer(rejected(clientOrderId, STORE_BEHIND, nowMs));
    const earlier = earlierOrder(this.#parts.reader, { account, clientOrderId, digest }, nowMs);
    if (earlier !== null) {
      this.#inFlight.resolve(key);
      return answer(earlier);
    }
    const unresolvedId = this.#inFlight.unresolved(key);
    if (unresolvedId !== null) return answer(rejected(clientOrderId, stillUnknown(unresolvedId), nowMs));
    this.#inFlight.claim(key, digest);
    const settle: SummaryAnswer = (summary) => {
      this.#inFlight.settle(key, summary);
      answer(summary);
    };
    try {
      this.#submit(creation, digest, settle);
    } catch (error) {
      // The id must not stay claimed for ever by a bug of ours.
      const refusal: Rejection = { code: 'SYSTEM_ERROR', message: 'the service failed to place the order' };
      this.#inFlight.settle(key, rejected(clientOrderId, refusal, nowMs));
      throw error;
    }
  }

  /** Reads the store anew when it may know more of the id by now; false when what was answered is not in it yet. */
  #catchUp(key: CreateKey): boolean {
    const isFull = this.#inFlight.settledCount >= SETTLED_CREATES_MAX;
    if (!isFull && !this.#inFlight.mayBeNew(key)) return true;
    if (!this.#parts.reader.refresh()) return false;
    this.#inFlight.forgetSettled();
    return true;
  }

  #submit<Request extends FormedRequest>(
    { form, sender, request, nowMs }: Creation<Request>,
    digest: string,
    answer: SummaryAnswer,
  ): void {
    const { clientOrderId, times } = request;
    const untimely = untimelinessOf(times, nowMs);
    if (untimely !== null) return answer(rejected(clientOrderId, untimely, nowMs));
    form.draft(request, digest, sender.account, (draft) => {
      if (isRejected(draft)) return answer(rejected(clientOrderId, draft.rejection, nowMs));
      this.#send(draft, sender, answer);
    });
  }

  #send(draft: ParentOrderDraft, { apiKey }: Sender, answer: SummaryAnswer): void {
    const { account, clientOrderId } = draft;
    const onOutcome = (outcome: CreateOutcome): void => {
      const unresolvedId = outcome.kind === 'refused' ? outcome.unresolvedOrderId : undefined;
      if (unresolvedId !== undefined && clientOrderId !== null) {
        this.#inFlight.leaveUnresolved(createKey(account, clientOrderId), unresolvedId);
      }
      answer(createdOrRejected(draft, outcome));
    };
    this.#parts.desk.create(draft, onOutcome, apiKey);
  }
}

/** A create on its way. */
interface Creation<Request extends FormedRequest> {
  readonly form: OrderForm<Request>;
  readonly sender: Sender;
  readonly request: Request;
  /** Of its arrival. */
  readonly nowMs: EpochMs;
}

function createdOrRejected(draft: ParentOrderDraft, outcome: CreateOutcome): OrderSummary {
  const { clientOrderId } = draft;
  if (outcome.kind === 'refused') return rejected(clientOrderId, outcome.rejection, draft.createdAtMs);
  const { orderId, createdAtMs } = outcome;
  return { orderId, clientOrderId, status: 'PENDING_NEW', createdAtMs, outcome: null };
}

function rejected(clientOrderId: ClientOrderId | null, rejection: Rejection, nowMs: EpochMs): OrderSummary {
  return { orderId: null, clientOrderId, status: 'REJECTED', createdAtMs: nowMs, outcome: rejection };
}

const STORE_BEHIND: Rejection = {
  code: 'SYSTEM_BUSY',
  message: 'client_order_id: an earlier create with it is being stored; nothing was placed, ask again',
};

function stillUnknown(orderId: OrderId): Rejection {
  const message = `an earlier create with this client_order_id may still make order_id ${orderId}; ask for it`;
  return { code: 'SYSTEM_BUSY', message };
}

/** The id of a request that was refused for something else, so that the client recognises its answer. */
function clientOrderIdOf(body: unknown): ClientOrderId | null {
  const value = isJsonObject(body) ? body['client_order_id'] : null;
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
