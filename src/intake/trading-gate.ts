import { isLarger } from '../domain/order-legs.js';
import type {
  ChangeOutcome,
  CreateOutcome,
  HaltReason,
  OrderChange,
  TradingHalt,
  TradingMode,
} from '../domain/command.js';
import type { AccountId, ApiKeyId, OrderId } from '../domain/ids.js';
import type { ParentState } from '../domain/order-state.js';
import type { ParentOrderDraft } from '../domain/order.js';
import type { Rejection } from '../domain/rejection.js';
import type { RiskGate } from '../risk/risk-gate.js';

/**
 * Sends commands to the shards. Uses callbacks instead of promises, because creates are on the hot path. Each answers
 * once.
 */
export interface OrderSender {
  /** Takes ownership of the draft and writes its id into it. `by`: the API key, whose risk limits apply. */
  create(draft: ParentOrderDraft, answer: (outcome: CreateOutcome) => void, by: ApiKeyId): void;
  /** The order is open and belongs to the account. `by` null: a cancel, which has no risk limits. */
  change(change: OrderChange, answer: (outcome: ChangeOutcome) => void, by: ApiKeyId | null): void;
}

/**
 * Halts and resumes the placement of orders. Each cause of a halt calls `halt` with its reason, and `lift` with the
 * same reason when the cause is over. Trading resumes when no reason is left.
 *
 *     gate.halt({ reason: 'DISK_FULL', sinceMs: Date.now(), message: 'the disk has 12 MB left', exempt: [] })
 *     gate.lift('DISK_FULL')
 *
 * A halt with `only` concerns one account. While an account is halted:
 * - creates (single, batch, multi-leg), resumes and amendments that add quantity answer 503 SYSTEM_BUSY with the halt's
 *   message and the reason TRADING_HALTED (`OrderEntry`);
 * - shards place no child of its orders, hedges included (they get `mode` at their start and at each change);
 * - reads, cancels, pauses and end times work as usual, and `/status/ready` stays 200;
 * - `/status/health`, `/metrics` and the console show the halts.
 *
 * A halt before `Service.start` applies from the first turn of every thread. Nothing is stored on disk.
 */
export class TradingGate {
  readonly #halts = new Map<HaltReason, TradingHalt>();
  readonly #listeners: (() => void)[] = [];

  /** Halts trading for the reason, or replaces the earlier halt for the same reason. */
  halt(halt: TradingHalt): void {
    this.#halts.set(halt.reason, halt);
    this.#publish();
  }

  /** Ends the halt for the reason; no effect when there is none. */
  lift(reason: HaltReason): void {
    if (this.#halts.delete(reason)) this.#publish();
  }

  /** Calls the listener after each change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** All halts, in the order of their begin. */
  get halts(): readonly TradingHalt[] {
    return [...this.#halts.values()];
  }

  get mode(): TradingMode {
    const [first, ...others] = this.halts.filter(({ only }) => only === undefined);
    const exempt = first?.exempt.filter((account) => others.every((halt) => halt.exempt.includes(account))) ?? [];
    const halted = this.halts.flatMap(({ only }) => only ?? []);
    return { isHalted: first !== undefined, exempt, ...(halted.length > 0 && { halted }) };
  }

  /** The refusal of a new order of the account; null: it may trade. */
  refusalOf(account: AccountId): Rejection | null {
    if (this.#halts.size === 0) return null;
    for (const { exempt, only = account, message } of this.#halts.values()) {
      if (exempt.includes(account) || only !== account) continue;
      return { code: 'SYSTEM_BUSY', message: `trading is halted: ${message}`, reason: 'TRADING_HALTED' };
    }
    return null;
  }

  #publish(): void {
    for (const listener of this.#listeners) listener();
  }
}

interface OrderEntryParts {
  readonly risk: Pick<RiskGate, 'create' | 'change' | 'review'>;
  readonly gate: Pick<TradingGate, 'refusalOf'>;
  readonly storedState: (orderId: OrderId) => ParentState | null;
}

/** Order entry with the trading gate: while an account is halted, it refuses commands that add quantity. */
export class OrderEntry implements OrderSender {
  readonly #parts: OrderEntryParts;

  constructor(parts: OrderEntryParts) {
    this.#parts = parts;
  }

  create(draft: ParentOrderDraft, answer: (outcome: CreateOutcome) => void, by: ApiKeyId): void {
    const rejection = this.#parts.gate.refusalOf(draft.account);
    if (rejection === null) this.#parts.risk.create(draft, answer, by);
    else answer({ kind: 'refused', rejection });
  }

  change(change: OrderChange, answer: (outcome: ChangeOutcome) => void, by: ApiKeyId | null): void {
    const rejection = this.#refusalOf(change);
    // A cancel has no key, and the risk gate never reads the key of a cancel.
    if (rejection === null) this.#parts.risk.change(change, answer, by as ApiKeyId);
    else answer({ kind: 'refused', rejection });
  }

  /** Every refusal of the order at this moment. Places nothing; answers once. */
  review(draft: ParentOrderDraft, by: ApiKeyId, answer: (refusals: readonly Rejection[]) => void): void {
    const { risk, gate } = this.#parts;
    const rejection = gate.refusalOf(draft.account);
    risk.review(draft, by, (refusals) => answer(rejection === null ? refusals : [rejection, ...refusals]));
  }

  #refusalOf(change: OrderChange): Rejection | null {
    const { gate, storedState } = this.#parts;
    switch (change.kind) {
      case 'CancelParent':
      case 'PauseParent':
      case 'ReconcileParent':
        return null;
      case 'ResumeParent':
        return gate.refusalOf(change.account);
      case 'AmendParent': {
        const rejection = gate.refusalOf(change.order.account);
        if (rejection === null) return null;
        const state = storedState(change.order.orderId);
        return state !== null && isLarger(change.order, state.amendment ?? state.order) ? rejection : null;
      }
      default:
        return change satisfies never;
    }
  }
}
