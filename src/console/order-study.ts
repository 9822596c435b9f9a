import type { OrderDetails, OrderTimeline, TimelineEntry } from '../client/wire.js';
import { foldChildren, type ChildRow } from './child-row.js';
import { termsText } from './order-facts.js';
import { foldHistory, type FillHistory } from './fill-history.js';

export interface OrderStudyParts {
  readonly timeline: (orderId: number, after: number) => Promise<OrderTimeline>;
  readonly details: (orderId: number) => Promise<OrderDetails | null>;
  /** Base units of one lot of what the order trades; null when that is not to be had. */
  readonly lotOf: (details: OrderDetails) => Promise<number | null>;
  readonly onChange: () => void;
}

/** Entries that are taken in; an order with more is shown as far as these reach. */
const ENTRIES_MAX = 50_000;
/** Entries that are kept to be listed, the latest. */
const LISTED_ENTRIES_MAX = 2_000;

/** One order in full: read from its timeline once, and then what is new each time it is told to look again. */
export class OrderStudy {
  readonly orderId: number;
  readonly children = new Map<string, ChildRow>();
  readonly history: FillHistory = { fills: [], targets: [] };
  /** Oldest first. */
  readonly entries: TimelineEntry[] = [];
  /** With fees; null until it has been read. */
  details: OrderDetails | null = null;
  /** What went wrong with the latest look; null: nothing. */
  failure: string | null = null;
  isCut = false;
  /** The parameters of its latest terms. */
  terms = '';
  readonly #parts: OrderStudyParts;
  #lot: number | null = null;
  #after = 0;
  #count = 0;
  #isLooking = false;
  #isAskedAgain = false;

  constructor(orderId: number, parts: OrderStudyParts) {
    this.orderId = orderId;
    this.#parts = parts;
  }

  /** Looks at what is new. While it looks, further calls make it look once more. */
  async look(): Promise<void> {
    this.#isAskedAgain = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      while (this.#isAskedAgain) {
        this.#isAskedAgain = false;
        await this.#readAll();
        this.failure = null;
      }
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
    } finally {
      this.#isLooking = false;
      this.#parts.onChange();
    }
  }

  async #readAll(): Promise<void> {
    const details = await this.#parts.details(this.orderId);
    if (details !== null && this.details === null) this.#lot = await this.#parts.lotOf(details);
    this.details = details;
    let isMore = true;
    while (isMore) {
      const page = await this.#parts.timeline(this.orderId, this.#after);
      this.#take(page.events);
      this.isCut = this.#count >= ENTRIES_MAX && page.next_after !== undefined;
      isMore = page.next_after !== undefined && !this.isCut;
      this.#parts.onChange();
    }
  }

  #take(entries: readonly TimelineEntry[]): void {
    this.#after = entries.at(-1)?.seq ?? this.#after;
    this.#count += entries.length;
    foldChildren(this.children, entries);
    foldHistory(this.history, entries, this.#lot);
    this.terms = termsText(entries) ?? this.terms;
    this.entries.push(...entries);
    this.entries.splice(0, Math.max(0, this.entries.length - LISTED_ENTRIES_MAX));
  }
}
