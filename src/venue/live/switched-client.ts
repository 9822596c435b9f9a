import { type OrRejection, reject } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { ChildSubmission, ChildTarget } from '../../domain/venue-message.js';
import type { ListedOrder } from '../../domain/venue-report.js';
import type {
  Answer,
  CancelAnswer,
  ExchangeClient,
  LookUpAnswer,
  OpenOrder,
  PlaceAnswer,
  PlacedQuery,
} from './exchange-client.js';
import { isKeyRefusal } from './key-check.js';

/** A client that works only while an account is open. A request without one is answered as lost. */
export class SwitchedClient implements ExchangeClient {
  current: ExchangeClient | null = null;
  readonly #nowMs: () => EpochMs;
  readonly #onRefusedKey: () => void;

  constructor(nowMs: () => EpochMs, onRefusedKey: () => void) {
    this.#nowMs = nowMs;
    this.#onRefusedKey = onRefusedKey;
  }

  place(order: ChildSubmission, expiresAtMs: EpochMs, answer: Answer<PlaceAnswer>): void {
    if (this.current === null) return this.#lost(answer, { kind: 'unknown' });
    this.current.place(order, expiresAtMs, (outcome, atMs) => {
      if (outcome.kind === 'refused' && isKeyRefusal(outcome.rejection)) this.#onRefusedKey();
      answer(outcome, atMs);
    });
  }

  cancel(target: ChildTarget, answer: Answer<CancelAnswer>): void {
    if (this.current === null) return this.#lost(answer, { kind: 'unknown' });
    this.current.cancel(target, answer);
  }

  lookUp(target: ChildTarget, answer: Answer<LookUpAnswer>): void {
    if (this.current === null) return this.#lost(answer, { kind: 'unknown' });
    this.current.lookUp(target, answer);
  }

  lookInLists(target: ChildTarget, answer: Answer<LookUpAnswer>): void {
    if (this.current === null) return this.#lost(answer, { kind: 'unknown' });
    this.current.lookInLists(target, answer);
  }

  openOrders(answer: Answer<readonly OpenOrder[] | null>): void {
    if (this.current === null) return this.#lost(answer, null);
    this.current.openOrders(answer);
  }

  listOrders(query: PlacedQuery, answer: Answer<OrRejection<readonly ListedOrder[]>>): void {
    if (this.current === null) return this.#lost(answer, reject('EXCHANGE_NOT_AVAILABLE', 'the wallet is not open'));
    this.current.listOrders(query, answer);
  }

  #lost<Outcome>(answer: Answer<Outcome>, outcome: Outcome): void {
    setImmediate(() => answer(outcome, this.#nowMs()));
  }
}
