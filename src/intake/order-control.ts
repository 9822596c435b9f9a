import { type ChildSettlement, settlementRefusal } from '../domain/child-settlement.js';
import type { ChangeOutcome, OrderChange } from '../domain/command.js';
import type { OrderSender } from './trading-gate.js';
import { amendedOrder, parseAmendment } from '../api/order/amendment.js';
import { type OrderRef, parseOrderRef } from '../api/order/order-reference.js';
import type { OrderSummary } from '../api/order/order-details.js';
import { type AccountId, type ApiKeyId, type CorrelationId, type OrderId, shardOf } from '../domain/ids.js';
import type { InstrumentCatalogue } from '../domain/instrument.js';
import { liveChildren, type ParentState } from '../domain/order-state.js';
import { isTerminal } from '../domain/order.js';
import { isRejected, type OrRejection, type Rejection, Rejected } from '../domain/rejection.js';
import type { StateReader } from '../journal/port.js';
import type { EarlierCreates } from './earlier-creates.js';
import { alreadyOver, orderIn, STORE_BEHIND } from './order-query.js';
import type { Sender } from './order-placement.js';
import type { ShardClient } from './shard-client.js';

interface OrderControlParts {
  readonly commands: Pick<OrderSender, 'change'>;
  readonly reader: StateReader;
  readonly catalogue: InstrumentCatalogue;
  readonly earlier: Pick<EarlierCreates, 'afterDurable'>;
}

/** The state of the order with the reason of a refusal; or an unknown order; or a request that cannot be read. */
export type ControlResult =
  | { readonly kind: 'summary'; readonly summary: OrderSummary }
  | { readonly kind: 'unknown'; readonly ref: OrderRef }
  | { readonly kind: 'unreadable'; readonly rejection: Rejection };

type ControlAnswer = (result: ControlResult) => void;

/** Pauses, resumes and amends an account's orders by order id or client order id. Each answers once. */
export class OrderControl {
  readonly #parts: OrderControlParts;

  constructor(parts: OrderControlParts) {
    this.#parts = parts;
  }

  pause(sender: Sender, body: unknown, answer: ControlAnswer): void {
    const { account } = sender;
    this.#change(sender, parseOrderRef(body), answer, ({ order }) => ({
      kind: 'PauseParent',
      account,
      orderId: order.orderId,
    }));
  }

  resume(sender: Sender, body: unknown, answer: ControlAnswer): void {
    const { account } = sender;
    this.#change(sender, parseOrderRef(body), answer, ({ order }) => ({
      kind: 'ResumeParent',
      account,
      orderId: order.orderId,
    }));
  }

  amend(sender: Sender, body: unknown, answer: ControlAnswer): void {
    const request = parseAmendment(body);
    if (isRejected(request)) return answer({ kind: 'unreadable', rejection: request.rejection });
    const { ref, terms } = request;
    this.#change(sender, ref, answer, (state) => {
      const order = amendedOrder(terms, state, this.#parts.catalogue);
      return isRejected(order) ? order : { kind: 'AmendParent', order };
    });
  }

  #change(
    { account, apiKey }: Sender,
    ref: OrRejection<OrderRef>,
    answer: ControlAnswer,
    changeOf: (state: ParentState) => OrRejection<OrderChange>,
  ): void {
    if (isRejected(ref)) return answer({ kind: 'unreadable', rejection: ref.rejection });
    const known = this.#latest(account, ref);
    if (known !== null) return this.#changeKnown(known, apiKey, answer, changeOf);
    const changeCreated = (refusal: Rejection | null): void => {
      if (refusal !== null) return answer({ kind: 'unreadable', rejection: refusal });
      const created = this.#latest(account, ref);
      if (created === null) answer({ kind: 'unknown', ref });
      else this.#changeKnown(created, apiKey, answer, changeOf);
    };
    // It may be the order of an earlier create.
    if (!this.#parts.earlier.afterDurable(account, changeCreated)) answer({ kind: 'unknown', ref });
  }

  /** The order of the request; null: LMDB has none. New terms derive from the latest ones. */
  #latest(account: AccountId, ref: OrderRef): OrRejection<ParentState> | null {
    const snapshot = this.#parts.reader.complete();
    return snapshot === null ? new Rejected(STORE_BEHIND) : orderIn(snapshot, account, ref);
  }

  #changeKnown(
    state: OrRejection<ParentState>,
    apiKey: ApiKeyId,
    answer: ControlAnswer,
    changeOf: (state: ParentState) => OrRejection<OrderChange>,
  ): void {
    if (isRejected(state)) return answer({ kind: 'unreadable', rejection: state.rejection });
    const summarise = (now: ParentState, outcome: Rejection | null): void =>
      answer({ kind: 'summary', summary: summaryOf(now, outcome) });
    if (isTerminal(state.status)) return summarise(state, alreadyOver(state));
    const change = changeOf(state);
    if (isRejected(change)) return summarise(state, change.rejection);
    const onOutcome = (outcome: ChangeOutcome): void => {
      const now = this.#parts.reader.latest().order(state.order.orderId) ?? state;
      summarise(now, outcome.kind === 'refused' ? outcome.rejection : null);
    };
    this.#parts.commands.change(change, onOutcome, apiKey);
  }
}

function summaryOf({ order, status }: ParentState, outcome: Rejection | null): OrderSummary {
  const { orderId, clientOrderId, createdAtMs } = order;
  return { orderId, clientOrderId, status, createdAtMs, outcome };
}

interface QuarantineReleaserParts {
  readonly links: readonly ShardClient[];
  readonly releases: {
    pending(): readonly OrderId[];
    settle(orderId: OrderId): void;
  };
  /** The order in LMDB now. */
  readonly storedState: (orderId: OrderId) => ParentState | null;
  readonly log: { info(facts: object, message: string): void };
}

const NO_COMMAND = 0 as CorrelationId;

/** Sends the operator's releases to the shards. Repeats a release until the store shows it. */
export class QuarantineReleaser {
  readonly #parts: QuarantineReleaserParts;

  constructor(parts: QuarantineReleaserParts) {
    this.#parts = parts;
  }

  /** Called about once a second. */
  sweep(): void {
    const { links, releases, storedState, log } = this.#parts;
    if (links.some(({ isUp }) => !isUp)) return;
    for (const orderId of releases.pending()) {
      const state = storedState(orderId);
      if (isDone(state)) {
        releases.settle(orderId);
        const account = state?.order.account ?? null;
        log.info({ orderId, account, status: state?.status ?? null }, 'an operator released a quarantined order');
        continue;
      }
      links[shardOf(orderId, links.length)]?.send({ kind: 'ReleaseParent', correlationId: NO_COMMAND, orderId });
    }
  }
}

interface ChildSettlerParts {
  readonly links: readonly ShardClient[];
  readonly settlements: {
    pending(): readonly ChildSettlement[];
    settle(settlement: ChildSettlement): void;
  };
  /** The order in LMDB now. */
  readonly storedState: (orderId: OrderId) => ParentState | null;
  readonly log: { info(facts: object, message: string): void; warn(facts: object, message: string): void };
}

/** Sends the operator's settlements to the shards. Repeats each one until the store shows that the child has ended. */
export class ChildSettler {
  readonly #parts: ChildSettlerParts;

  constructor(parts: ChildSettlerParts) {
    this.#parts = parts;
  }

  /** Called about once a second. */
  sweep(): void {
    const { links } = this.#parts;
    if (links.some(({ isUp }) => !isUp)) return;
    for (const settlement of this.#parts.settlements.pending()) this.#settle(settlement);
  }

  #settle(settlement: ChildSettlement): void {
    const { links, settlements, storedState, log } = this.#parts;
    const { orderId, child, by } = settlement;
    const state = storedState(orderId);
    const facts = { orderId, child, account: state?.order.account ?? null, status: state?.status ?? null, by };
    if (state === null || isTerminal(state.status) || liveChildren(state).every(({ order }) => order.child !== child)) {
      settlements.settle(settlement);
      return log.info(facts, 'a child order that an operator settled has ended');
    }
    const refusal = settlementRefusal(state, settlement);
    if (refusal === null || refusal.code === 'SYSTEM_BUSY') {
      const link = links[shardOf(orderId, links.length)];
      return void link?.send({ kind: 'SettleChild', correlationId: NO_COMMAND, ...settlement });
    }
    // The exchange has answered since the operator's request.
    settlements.settle(settlement);
    log.warn({ ...facts, code: refusal.code, refusal: refusal.message }, 'the settlement of a child order is refused');
  }
}

/** Also true when there is nothing to release. */
function isDone(state: ParentState | null): boolean {
  return state === null || isTerminal(state.status) || state.quarantine === null || state.quarantine.isReleased;
}
