import { TERMINAL_STATUSES } from '../../client/wire.js';
import type { OrderCost, OrderDetails, OrderTimeline, TimelineEntry } from '../../client/wire.js';
import { detailText, difference, reasonOf, sum } from '../view/figures.js';
import { termsText } from './order-facts.js';

/** One child order, folded from the timeline of its parent. */
export interface ChildProgress {
  readonly id: string;
  readonly submittedAtMs: number;
  readonly side: string;
  readonly quantity: number;
  /** null for a market order. */
  readonly price: number | null;
  /** For example LIMIT IOC. */
  readonly kind: string;
  /** Why the strategy placed it, as a code; `detail` has the figures of the decision as text. */
  readonly reason: string;
  readonly detail: string;
  readonly status: string;
  readonly filled: number;
  /** Error code and message; null without an error. */
  readonly problem: string | null;
}

/** A quantity that holds from an instant of service time on. */
export interface QuantityPoint {
  readonly atMs: number;
  readonly quantity: number;
}

export interface FillPoint extends QuantityPoint {
  readonly price: number;
  readonly liquidity: string;
  /** Place of its leg in `legs`; 0 in a single-leg order. */
  readonly leg: number;
}

/** OrderProgress of an order, folded from its timeline. */
export interface OrderProgress {
  /** Each fill, with the filled quantity after it. */
  readonly fills: FillPoint[];
  /** Target quantity of the strategy at each of its decisions. */
  readonly targets: QuantityPoint[];
}

export interface OrderHistoryParts {
  readonly timeline: (orderId: number, after: number) => Promise<OrderTimeline>;
  readonly details: (orderId: number) => Promise<OrderDetails | null>;
  readonly cost: (orderId: number) => Promise<OrderCost>;
  readonly onChange: () => void;
}

/** Entries that are read at most; a longer timeline is cut. */
const ENTRIES_MAX = 50_000;
/** Latest entries that are kept for the list. */
const LISTED_ENTRIES_MAX = 2_000;

/** One order in full. It reads the whole timeline once and then only new entries. */
export class OrderHistory {
  readonly orderId: number;
  readonly children = new Map<string, ChildProgress>();
  readonly progress: OrderProgress = { fills: [], targets: [] };
  /** Oldest first. */
  readonly entries: TimelineEntry[] = [];
  /** With fees; null until it is read. */
  details: OrderDetails | null = null;
  cost: OrderCost | null = null;
  /** Why the latest read failed; null when it succeeded. */
  failure: string | null = null;
  /** False until the timeline was read for the first time. */
  isRead = false;
  isCut = false;
  /** Parameters of the latest terms. */
  terms = '';
  readonly #parts: OrderHistoryParts;
  #after = 0;
  #count = 0;
  #isReading = false;
  #isRequested = false;
  #costRead: Promise<void> | null = null;

  constructor(orderId: number, parts: OrderHistoryParts) {
    this.orderId = orderId;
    this.#parts = parts;
  }

  /** Reads new entries. Calls during a read cause one more read. */
  async read(): Promise<void> {
    this.#isRequested = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#isRequested) {
        this.#isRequested = false;
        await this.#readAll();
        this.isRead = true;
        this.failure = null;
      }
    } catch (error) {
      this.failure = reasonOf(error);
    } finally {
      this.#isReading = false;
      this.#parts.onChange();
    }
  }

  /** Reads the cost report, unless the known one is final. A call during a read joins it: the first report is slow. */
  readCost(): Promise<void> {
    if (this.cost?.is_final === true) return Promise.resolve();
    this.#costRead ??= this.#readCost();
    return this.#costRead;
  }

  async #readCost(): Promise<void> {
    try {
      this.cost = await this.#parts.cost(this.orderId);
    } catch (error) {
      this.failure = reasonOf(error);
    }
    this.#costRead = null;
    this.#parts.onChange();
  }

  async #readAll(): Promise<void> {
    const [details, first] = await Promise.all([this.#parts.details(this.orderId), this.#nextPage()]);
    this.details = details;
    for (let page: OrderTimeline | null = first; page !== null; page = await this.#pageAfter(page)) {
      this.#take(page.events);
      this.isCut = this.#count >= ENTRIES_MAX && page.next_after !== undefined;
      this.#parts.onChange();
    }
    if (this.cost === null || TERMINAL_STATUSES.includes(details?.status ?? '')) void this.readCost();
  }

  #nextPage(): Promise<OrderTimeline> {
    return this.#parts.timeline(this.orderId, this.#after);
  }

  /** null after the last page, and where the timeline is cut. */
  async #pageAfter(page: OrderTimeline): Promise<OrderTimeline | null> {
    return page.next_after === undefined || this.isCut ? null : this.#nextPage();
  }

  #take(entries: readonly TimelineEntry[]): void {
    this.#after = entries.at(-1)?.seq ?? this.#after;
    this.#count += entries.length;
    foldChildren(this.children, entries);
    foldProgress(this.progress, entries, leadingLegOf(this.details));
    this.terms = termsText(entries) ?? this.terms;
    this.entries.push(...entries);
    this.entries.splice(0, Math.max(0, this.entries.length - LISTED_ENTRIES_MAX));
  }
}

/** Place of the leading leg, the first when no leg leads; null for a single-leg order. */
export function leadingLegOf(details: OrderDetails | null): number | null {
  const legs = details?.legs ?? [];
  if (legs.length === 0) return null;
  return Math.max(
    0,
    legs.findIndex((leg) => leg.is_leading),
  );
}

/** Adds further entries; children are kept by id, oldest first. */
export function foldChildren(children: Map<string, ChildProgress>, entries: readonly TimelineEntry[]): void {
  for (const entry of entries) {
    const { child_order_id: id } = entry;
    if (id === undefined) continue;
    const known = entry.event === 'ChildSubmitted' ? submitted(id, entry) : children.get(id);
    if (known === undefined) continue;
    const problem = [entry.error_code, entry.message].filter((part) => part !== undefined).join(': ');
    children.set(id, {
      ...known,
      status: entry.child_status ?? known.status,
      filled: entry.child_filled_quantity ?? known.filled,
      problem: problem === '' ? known.problem : problem,
    });
  }
}

function submitted(id: string, entry: TimelineEntry): ChildProgress {
  return {
    id,
    submittedAtMs: entry.time,
    side: entry.side ?? '',
    quantity: entry.quantity ?? 0,
    price: entry.price ?? null,
    kind: [entry.order_type, entry.tif, entry.post_only === true ? 'post-only' : ''].filter(Boolean).join(' '),
    reason: entry.reason ?? '',
    detail: detailText(entry.detail),
    status: entry.child_status ?? 'PENDING_NEW',
    filled: 0,
    problem: null,
  };
}

/** Adds further entries to the progress. `leadingLeg`: place of the leading leg; null in a single-leg order. */
export function foldProgress(
  progress: OrderProgress,
  entries: readonly TimelineEntry[],
  leadingLeg: number | null,
): void {
  for (const entry of entries) {
    const { time: atMs, filled_quantity: filled, price, taker_or_maker: liquidity, leg = 0 } = entry;
    const isOfLeader = leadingLeg === null || leg === leadingLeg;
    if (entry.event === 'ChildFilled' && price !== undefined) {
      const quantity = isOfLeader ? filled : (entry.other_filled_quantity ?? 0);
      progress.fills.push({ atMs, quantity, price, liquidity: liquidity ?? '', leg });
    }
    const { target, filled: ofTarget } = entry.detail ?? {};
    // After an amendment a strategy may count from 0 again: the distance of its two figures holds for the whole order.
    if (target !== undefined && ofTarget !== undefined && isOfLeader) {
      progress.targets.push({ atMs, quantity: sum(filled, difference(target, ofTarget)) });
    }
  }
}
