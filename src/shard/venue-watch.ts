import type { RealVenues, Venue } from '../domain/exchange.js';
import { LazyHeap } from '../domain/queues.js';
import type { AccountId, ChildNumber } from '../domain/ids.js';
import { ANSWER_SILENCE_MS_MAX, RECONNECT_WAIT_MS, RESTING_SILENCE_MS_MAX } from '../domain/limits/trading.js';
import { type ChildOrder, type LiveChild, liveChildren, NO_CHILDREN } from '../domain/order-state.js';
import { legAt } from '../domain/pair.js';
import type { EpochMs } from '../domain/time.js';
import type { LinkReport } from '../domain/venue-report.js';
import { isAnswerDue } from '../order/children.js';
import type { Actor } from './actor.js';

/** Tells whether an account is connected to a venue. */
export type IsLinked = (venue: Venue, account: AccountId) => boolean;

/**
 * Tracks which venues are connected. All need the venue worker, each needs its own connection, and at a real exchange
 * each account has its own.
 */
export class VenueLinks {
  readonly #realVenues: RealVenues;
  /** When each connection was cut: that of a venue for all accounts, and those of one account. */
  readonly #cutOff = new Map<Venue, EpochMs>();
  readonly #accountsCutOff = new Map<string, EpochMs>();
  /** Real exchanges without a worker, and null without a worker of the simulated ones. */
  readonly #withoutWorker = new Set<Venue | null>();

  constructor(realVenues: RealVenues) {
    this.#realVenues = realVenues;
  }

  isUp(venue: Venue, account: AccountId): boolean {
    if (this.#isWithoutWorker(venue) || this.#cutOff.has(venue)) return false;
    return this.#accountsCutOff.size === 0 || !this.#accountsCutOff.has(`${venue}/${account}`);
  }

  /** Until when a new order waits for a connection that was cut; -Infinity: it is up, or its worker is missing. */
  waitUntilMs(venue: Venue, account: AccountId): number {
    if (this.isUp(venue, account) || this.#isWithoutWorker(venue)) return -Infinity;
    const cuts = [this.#cutOff.get(venue), this.#accountsCutOff.get(`${venue}/${account}`)];
    return Math.min(...cuts.map((atMs) => (atMs === undefined ? Infinity : atMs + RECONNECT_WAIT_MS)));
  }

  /**
   * Sets the state of a worker; null: that of the simulated exchanges. Returns true for a change. A restarted worker
   * reports its missing connections.
   */
  setWorker(worker: Venue | null, isUp: boolean): boolean {
    if (this.#withoutWorker.has(worker) !== isUp) return false;
    if (isUp) this.#withoutWorker.delete(worker);
    else this.#withoutWorker.add(worker);
    if (isUp) return true;
    for (const venue of this.#cutOff.keys()) if (this.#workerOf(venue) === worker) this.#cutOff.delete(venue);
    for (const name of this.#accountsCutOff.keys()) {
      const venue = name.slice(0, name.indexOf('/')) as Venue;
      if (this.#workerOf(venue) === worker) this.#accountsCutOff.delete(name);
    }
    return true;
  }

  #workerOf(venue: Venue): Venue | null {
    return this.#realVenues.has(venue) ? venue : null;
  }

  #isWithoutWorker(venue: Venue): boolean {
    return this.#withoutWorker.size > 0 && this.#withoutWorker.has(this.#workerOf(venue));
  }

  /** Sets the state of one connection, since `nowMs`. Returns true for a change. */
  setVenue({ venue, account, isUp }: VenueLink, nowMs: EpochMs): boolean {
    return account === null
      ? set(this.#cutOff, venue, isUp ? null : nowMs)
      : set(this.#accountsCutOff, `${venue}/${account}`, isUp ? null : nowMs);
  }
}

/** `account` null: the connection of all accounts. */
type VenueLink = Pick<LinkReport, 'venue' | 'account' | 'isUp'>;

/** `atMs` null: the connection is up. */
function set<Name>(cutOff: Map<Name, EpochMs>, name: Name, atMs: EpochMs | null): boolean {
  if (atMs === null) return cutOff.delete(name);
  if (cutOff.has(name)) return false;
  cutOff.set(name, atMs);
  return true;
}

/**
 * Finds children without a report for too long. An answer or a fill may be lost, and only a status request shows it.
 *
 *   in flight, being cancelled, unknown, or to be done at once   unchanged between two reviews, at least
 *                                                                ANSWER_SILENCE_MS_MAX apart
 *   resting in the book                                          once in every RESTING_SILENCE_MS_MAX of its life
 *
 * An order without live children costs nothing. An order with some has a single entry, whatever their number.
 */
export class AckTimeoutWatchdog {
  readonly #reviews = new LazyHeap<Actor>((actor, atMs) => actor.reviewAtMs === atMs);
  readonly #isVenueUp: IsLinked;

  constructor(isVenueUp: IsLinked) {
    this.#isVenueUp = isVenueUp;
  }

  /** Reschedules the order's next review. Call it after anything that changed the order. */
  watch(actor: Actor, nowMs: EpochMs): void {
    const { order } = actor.state;
    const children = liveChildren(actor.state);
    if (children.length === 0) return this.leave(actor);
    // A venue that is down cannot answer. After its return the status of every child is requested.
    if (order.legs.length === 1 && !this.#isVenueUp(order.legs[0].venue, order.account)) return this.leave(actor);
    let dueMs = Infinity;
    for (const child of children) {
      const { venue } = legAt(order.legs, child.order.leg);
      const isConnected = order.legs.length === 1 || this.#isVenueUp(venue, order.account);
      if (isConnected) dueMs = Math.min(dueMs, reviewMs(child, nowMs));
    }
    if (dueMs >= actor.reviewAtMs) return;
    actor.reviewAtMs = dueMs;
    actor.watchedChildren = children;
    actor.seenAtMs = nowMs;
    this.#reviews.push(actor, dueMs);
  }

  /** Cancels the next review until the order is watched again. */
  leave(actor: Actor): void {
    actor.reviewAtMs = Infinity;
    // The list would otherwise keep ended children in memory.
    actor.watchedChildren = NO_CHILDREN;
  }

  /**
   * Excuses a child's missing report because the throttle delays it. The next review skips it and starts a new
   * interval.
   */
  excuse(actor: Actor, child: ChildNumber): void {
    actor.watchedChildren = actor.watchedChildren.filter(({ order }) => order.child !== child);
  }

  nextReviewMs(): number {
    return this.#reviews.lowest();
  }

  /** Reviews at most `ordersMax` due orders. Calls `ask` with the silent children of each order that has some. */
  review(nowMs: EpochMs, ordersMax: number, ask: (actor: Actor, silent: readonly ChildNumber[]) => void): void {
    for (let count = 0; count < ordersMax; count += 1) {
      const actor = this.#reviews.popUpTo(nowMs);
      if (actor === undefined) return;
      const { legs, account } = actor.state.order;
      const silent = silentChildren(actor, nowMs)
        .filter(({ leg }) => this.#isVenueUp(legAt(legs, leg).venue, account))
        .map(({ child }) => child);
      this.leave(actor);
      if (silent.length > 0) ask(actor, silent);
      this.watch(actor, nowMs);
    }
  }
}

function silentChildren({ state, watchedChildren, seenAtMs }: Actor, nowMs: EpochMs): ChildOrder[] {
  const silent: ChildOrder[] = [];
  for (const child of liveChildren(state)) {
    // States are replaced, never changed: the same object is the same state.
    const isSilent = isAnswerDue(child) ? watchedChildren.includes(child) : reviewMs(child, seenAtMs) <= nowMs;
    if (isSilent) silent.push(child.order);
  }
  return silent;
}

/** Time of a child's next review. */
function reviewMs(child: LiveChild, nowMs: number): number {
  if (isAnswerDue(child)) return nowMs + ANSWER_SILENCE_MS_MAX;
  const { submittedAtMs } = child.order;
  const restedMs = Math.max(0, nowMs - submittedAtMs);
  const rounds = Math.floor(restedMs / RESTING_SILENCE_MS_MAX) + 1;
  return submittedAtMs + rounds * RESTING_SILENCE_MS_MAX;
}
