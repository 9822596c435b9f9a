import type { OrRejection } from '../../domain/rejection.js';
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
import { unsent } from './exchange-requests.js';
import { WrongRequest } from './wire-guard.js';

/** A client whose requests are promises. It calls back with each outcome and the time of its arrival. */
export abstract class AsyncClient implements ExchangeClient {
  readonly #nowMs: () => EpochMs;

  constructor(nowMs: () => EpochMs) {
    this.#nowMs = nowMs;
  }

  place(order: ChildSubmission, expiresAtMs: EpochMs, answer: Answer<PlaceAnswer>): void {
    this.#answer(this.#place(order, expiresAtMs), answer);
  }

  cancel(target: ChildTarget, answer: Answer<CancelAnswer>): void {
    this.#answer(this.sendCancel(target), answer);
  }

  lookUp(target: ChildTarget, answer: Answer<LookUpAnswer>): void {
    this.#answer(this.sendLookUp(target), answer);
  }

  lookInLists(target: ChildTarget, answer: Answer<LookUpAnswer>): void {
    this.#answer(this.findInLists(target), answer);
  }

  openOrders(answer: Answer<readonly OpenOrder[] | null>): void {
    this.#answer(this.readOpenOrders(), answer);
  }

  listOrders(query: PlacedQuery, answer: Answer<OrRejection<readonly ListedOrder[]>>): void {
    this.#answer(this.readOrders(query), answer);
  }

  /** Throws WrongRequest for a child that the exchange has no order for. */
  protected abstract sendPlacement(order: ChildSubmission, expiresAtMs: EpochMs): Promise<PlaceAnswer>;
  protected abstract sendCancel(target: ChildTarget): Promise<CancelAnswer>;
  protected abstract sendLookUp(target: ChildTarget): Promise<LookUpAnswer>;
  protected abstract readOpenOrders(): Promise<readonly OpenOrder[] | null>;
  protected abstract readOrders(query: PlacedQuery): Promise<OrRejection<readonly ListedOrder[]>>;

  /** For an exchange whose look-up has read these lists. */
  protected findInLists(_target: ChildTarget): Promise<LookUpAnswer> {
    return Promise.resolve({ kind: 'absent' });
  }

  async #place(order: ChildSubmission, expiresAtMs: EpochMs): Promise<PlaceAnswer> {
    try {
      return await this.sendPlacement(order, expiresAtMs);
    } catch (error) {
      if (!(error instanceof WrongRequest)) throw error;
      return { kind: 'refused', rejection: unsent(error).rejection };
    }
  }

  #answer<Result>(result: Promise<Result>, answer: Answer<Result>): void {
    void result.then((outcome) => answer(outcome, this.#nowMs()));
  }
}
