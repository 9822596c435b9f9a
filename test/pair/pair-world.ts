import { KILL_SWITCH_CAUSE } from '../../src/domain/cancel-cause.js';
import { InstrumentCatalogue, type Instrument } from '../../src/domain/instrument.js';
import type { AccountId, OrderId } from '../../src/domain/ids.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { ParentOrder } from '../../src/domain/order.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { VenueRequest } from '../../src/domain/venue-message.js';
import { TinyVenue } from '../order/tiny-venue.js';
import { marketOf } from '../shard/fake-market.js';
import { ShardRig } from '../shard/shard-rig.js';
import { ETH, START_MS } from '../shard/sample-orders.js';

const ORDER = 1 as OrderId;
/** Maximum of rounds. These venues answer at once, so a clip in hundreds of parts takes many rounds. */
const TURNS_MAX = 30_000;

/** Venue of one leg: a book with one price on each side, and a connection that can be cut. */
export interface Site {
  readonly instrument: Instrument;
  readonly venue: TinyVenue;
  isUp: boolean;
}

/** A shard with one pair and two venues. A restart keeps the journal only. */
export class PairWorld {
  readonly sites: readonly [Site, Site];
  /** Mids of the legs' markets in ticks, by time. */
  readonly mids: readonly [Map<number, number>, Map<number, number>] = [new Map(), new Map()];
  readonly #rig: ShardRig;

  constructor(order: ParentOrder, [lead, other]: readonly [Instrument, Instrument]) {
    this.sites = [site(lead), site(other)];
    this.#rig = new ShardRig({ shard: 0, shardCount: 1, catalogue: new InstrumentCatalogue([lead, ETH, other]) });
    this.#rig.place(order);
  }

  get journal(): ShardRig['journal'] {
    return this.#rig.journal;
  }

  get nowMs(): EpochMs {
    return this.#rig.nowMs;
  }

  get state(): ParentState | null {
    return this.#rig.state(ORDER);
  }

  /** Sends a market update: mid and half spread in ticks, and the lots at each touch. */
  quote(index: 0 | 1, mid: number, half: number, depth: number): void {
    const { instrument, venue } = this.sites[index];
    const quote = { bid: mid - half, ask: mid + half, last: mid, volume: this.nowMs - START_MS, depth };
    venue.move(marketOf(quote, this.nowMs), depth);
    this.mids[index].set(this.nowMs, mid);
    this.#rig.quote(quote, instrument);
  }

  ask(kind: 'CancelParent' | 'PauseParent' | 'ResumeParent'): void {
    const named = { account: 'alice' as AccountId, orderId: ORDER };
    if (kind === 'CancelParent') this.#rig.post({ kind, ...named, cancelCause: KILL_SWITCH_CAUSE });
    else this.#rig.post({ kind, ...named });
  }

  /** Requests valid new terms twice, as a client without an answer does. */
  amend(order: ParentOrder): void {
    this.#rig.post({ kind: 'AmendParent', order });
    this.#rig.post({ kind: 'AmendParent', order });
  }

  /** Cuts the connection to a venue and drops messages in flight. */
  link(index: 0 | 1, isUp: boolean): void {
    const at = this.sites[index];
    if (at.isUp === isUp) return;
    at.isUp = isUp;
    at.venue.reports.length = 0;
    this.#rig.link(at.instrument.venue, isUp);
  }

  /** Restarts the process. */
  restart(): void {
    for (const { venue } of this.sites) venue.reports.length = 0;
    this.#rig.restart();
    for (const { instrument, isUp } of this.sites) if (!isUp) this.#rig.link(instrument.venue, isUp);
  }

  /** Exchanges messages until none is in flight. `isLate` keeps reports for the next call. */
  exchange(isLate = false): void {
    const { shard, inbox, venue: outbox } = this.#rig;
    for (let turns = 0; turns < TURNS_MAX; turns += 1) {
      while (shard.turn());
      for (const request of outbox.requests.splice(0)) this.#handle(request);
      if (isLate) return;
      for (const { venue } of this.sites) inbox.reports.push(...venue.reports.splice(0));
      if (inbox.reports.length === 0 && shard.nextWakeMs() > this.nowMs) return;
    }
    throw new Error('shard and venues do not come to rest');
  }

  pass(ms: number): void {
    this.#rig.nowMs = (this.nowMs + ms) as EpochMs;
    for (const { venue } of this.sites) venue.nowMs = this.nowMs;
    // A market without an update keeps its mid.
    for (const mids of this.mids) mids.set(this.nowMs, [...mids.values()].at(-1) ?? 0);
  }

  #handle(request: VenueRequest): void {
    const { account, venue } = request;
    if (request.kind === 'QueryFunds') return this.#rig.fund(account, { venue });
    const at = this.sites.find(({ instrument }) => instrument.venue === venue);
    if (at?.isUp === true) at.venue.handle(request);
  }
}

function site(instrument: Instrument): Site {
  return { instrument, venue: new TinyVenue(), isUp: true };
}
