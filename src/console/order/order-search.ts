import type { OrderDetails } from '../../client/wire.js';
import { reasonOf } from '../view/figures.js';

/** An interval of creation, service time; null: no bound. */
export interface CreationWindow {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

/** One answer with orders, newest first. */
export interface OrderPage {
  readonly orders: readonly OrderDetails[];
  /** The answer as the service wrote it: its decimals are exact. */
  readonly text: string;
}

/** Asks for the newest orders of an interval. */
export type FindOrders = (window: CreationWindow, limit: number) => Promise<OrderPage>;

/** The largest page that the service sends. */
const PAGE_ORDERS = 1_000;
const PAGES_MAX = 10;
/** The newest orders of an interval that the page reads. */
export const SEARCH_ORDERS_MAX = PAGES_MAX * PAGE_ORDERS;

/**
 * Reads the orders of an interval page by page, the newest first. Pages overlap in the millisecond where they meet.
 * Returns true when it read all of them.
 */
export async function* createdWithin(find: FindOrders, window: CreationWindow): AsyncGenerator<OrderPage, boolean> {
  let { toMs } = window;
  for (let count = 0; count < PAGES_MAX; count += 1) {
    const page = await find({ ...window, toMs }, PAGE_ORDERS);
    yield page;
    if (page.orders.length < PAGE_ORDERS) return true;
    const oldestMs = page.orders.at(-1)?.created_at ?? 0;
    // One millisecond fills the page: the next page begins with the same orders.
    if (oldestMs === toMs) return false;
    toMs = oldestMs;
  }
  return false;
}

export type SearchState =
  | { readonly state: 'IDLE' | 'READING' | 'COMPLETE' }
  /** The interval has more orders than the page reads. */
  | { readonly state: 'CUT' }
  | { readonly state: 'FAILED'; readonly why: string };

interface OrderSearchParts {
  readonly find: FindOrders;
  readonly found: (orders: readonly OrderDetails[]) => void;
  readonly onChange: () => void;
}

/** Reads the orders of the interval that the list shows, beyond those that the page has. */
export class OrderSearch {
  progress: SearchState = { state: 'IDLE' };
  readonly #parts: OrderSearchParts;
  #window: CreationWindow | null = null;

  constructor(parts: OrderSearchParts) {
    this.#parts = parts;
  }

  /** Reads an interval once. Call it again after each change. */
  want({ fromMs, toMs }: CreationWindow): void {
    if (this.#window !== null && this.#window.fromMs === fromMs && this.#window.toMs === toMs) return;
    this.#window = { fromMs, toMs };
    void this.#read(this.#window);
  }

  /** Reads again what is wanted next: orders were missed, or the last search has failed. */
  reset(): void {
    this.#window = null;
    this.#show({ state: 'IDLE' });
  }

  async #read(window: CreationWindow): Promise<void> {
    const isWanted = (): boolean => this.#window === window;
    this.#show({ state: 'READING' });
    try {
      const pages = createdWithin(this.#parts.find, window);
      let page = await pages.next();
      for (; page.done !== true && isWanted(); page = await pages.next()) this.#parts.found(page.value.orders);
      if (isWanted()) this.#show({ state: page.value === true ? 'COMPLETE' : 'CUT' });
    } catch (error) {
      if (isWanted()) this.#show({ state: 'FAILED', why: reasonOf(error) });
    }
  }

  #show(progress: SearchState): void {
    this.progress = progress;
    this.#parts.onChange();
  }
}
