import { KILL_SWITCH_CAUSE } from '../../src/domain/cancel-cause.js';
import type { Amount } from '../../src/domain/quantity.js';
import { createIn } from '../../src/backtest/memory-ports.js';
import type { Venue } from '../../src/domain/exchange.js';
import { InstrumentCatalogue, type Instrument } from '../../src/domain/instrument.js';
import type { AccountId, CorrelationId, OrderId } from '../../src/domain/ids.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { ParentOrder } from '../../src/domain/order.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { VenueRequest } from '../../src/domain/venue-message.js';
import { Shard } from '../../src/shard/shard.js';
import { TinyVenue } from '../order/tiny-venue.js';
import { FakeMarket, marketOf } from '../shard/fake-market.js';
import { FakeInbox, FakeMain, FakeVenue } from '../shard/fake-ports.js';
import { MemoryJournal } from '../shard/memory-journal.js';
import { ETH, START_MS } from '../shard/sample-orders.js';

const RICH = (10n ** 27n) as Amount;
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
  readonly journal = new MemoryJournal();
  readonly sites: readonly [Site, Site];
  /** Mids of the legs' markets in ticks, by time. */
  readonly mids: readonly [Map<number, number>, Map<number, number>] = [new Map(), new Map()];
  readonly #order: ParentOrder;
  readonly #inbox = new FakeInbox();
  readonly #venue = new FakeVenue([]);
  readonly #market = new FakeMarket();
  readonly #catalogue: InstrumentCatalogue;
  #shard: Shard;
  nowMs = START_MS;

  constructor(order: ParentOrder, [lead, other]: readonly [Instrument, Instrument]) {
    this.#order = order;
    this.#catalogue = new InstrumentCatalogue([lead, ETH, other]);
    this.sites = [site(lead), site(other)];
    this.#shard = this.#start();
    this.#inbox.commands.push(createIn(this.journal, order, this.nowMs, 1 as CorrelationId));
  }

  get state(): ParentState | null {
    return this.journal.state(1 as OrderId);
  }

  /** Sends a market update: mid and half spread in ticks, and the lots at each touch. */
  quote(index: 0 | 1, mid: number, half: number, depth: number): void {
    const { instrument, venue } = this.sites[index];
    const quote = { bid: mid - half, ask: mid + half, last: mid, volume: this.nowMs - START_MS, depth };
    const market = marketOf(quote, this.nowMs);
    venue.move(market, depth);
    this.mids[index].set(this.nowMs, mid);
    this.#market.write(instrument.index, quote, this.nowMs);
  }

  ask(kind: 'CancelParent' | 'PauseParent' | 'ResumeParent'): void {
    const [account, orderId] = ['alice' as AccountId, 1 as OrderId];
    const named = { correlationId: 2 as CorrelationId, account, orderId };
    if (kind === 'CancelParent') this.#inbox.commands.push({ kind, ...named, cancelCause: KILL_SWITCH_CAUSE });
    else this.#inbox.commands.push({ kind, ...named });
  }

  /** Requests valid new terms twice, as a client without an answer does. */
  amend(order: ParentOrder): void {
    const command = { kind: 'AmendParent', correlationId: 3 as CorrelationId, order } as const;
    this.#inbox.commands.push(command, command);
  }

  /** Cuts the connection to a venue and drops messages in flight. */
  link(index: 0 | 1, isUp: boolean): void {
    const at = this.sites[index];
    if (at.isUp === isUp) return;
    at.isUp = isUp;
    at.venue.reports.length = 0;
    this.#inbox.reports.push({ kind: 'Link', venue: at.instrument.venue, account: null, isUp, atMs: this.nowMs });
  }

  /** Restarts the process. */
  restart(): void {
    this.#inbox.commands.length = 0;
    this.#inbox.reports.length = 0;
    this.#venue.requests.length = 0;
    for (const { venue } of this.sites) venue.reports.length = 0;
    this.#shard = this.#start();
    this.#shard.recover();
    for (const { instrument, isUp } of this.sites) {
      if (!isUp)
        this.#inbox.reports.push({ kind: 'Link', venue: instrument.venue, account: null, isUp, atMs: this.nowMs });
    }
  }

  /** Exchanges messages until none is in flight. `isLate` keeps reports for the next call. */
  exchange(isLate = false): void {
    for (let turns = 0; turns < TURNS_MAX; turns += 1) {
      while (this.#shard.turn());
      for (const request of this.#venue.requests.splice(0)) this.#handle(request);
      if (isLate) return;
      for (const { venue } of this.sites) this.#inbox.reports.push(...venue.reports.splice(0));
      if (this.#inbox.reports.length === 0 && this.#shard.nextWakeMs() > this.nowMs) return;
    }
    throw new Error('shard and venues do not come to rest');
  }

  pass(ms: number): void {
    this.nowMs = (this.nowMs + ms) as EpochMs;
    for (const { venue } of this.sites) venue.nowMs = this.nowMs;
    // A market without an update keeps its mid.
    for (const mids of this.mids) mids.set(this.nowMs, [...mids.values()].at(-1) ?? 0);
  }

  #handle(request: VenueRequest): void {
    if (request.kind === 'QueryFunds') return this.#fund(request.venue);
    const at = this.sites.find(({ instrument }) => instrument.venue === request.venue);
    if (at === undefined || !at.isUp) return;
    if (request.kind === 'Submit') at.venue.handle({ kind: 'Submit', submission: request });
    else if (request.kind === 'Cancel') at.venue.handle({ kind: 'Cancel', target: request });
    else if (request.kind === 'QueryStatus')
      at.venue.handle({ kind: 'QueryStatus', target: request, requestClass: 'STATUS', notBeforeMs: this.nowMs });
  }

  #fund(venue: Venue): void {
    const balances = ['USDT', 'BTC'].map((asset) => ({ asset, total: RICH, free: RICH }));
    const head = { kind: 'Funds', correlationId: 0 as CorrelationId, account: this.#order.account, venue } as const;
    this.#inbox.reports.push({ ...head, atMs: this.nowMs, isSnapshot: true, version: 1, balances, causedBy: null });
  }

  #start(): Shard {
    return new Shard({
      shard: 0,
      shardCount: 1,
      clock: { nowMs: () => this.nowMs },
      catalogue: this.#catalogue,
      journal: this.journal,
      inbox: this.#inbox,
      main: new FakeMain([]),
      venue: this.#venue,
      market: this.#market,
    });
  }
}

function site(instrument: Instrument): Site {
  return { instrument, venue: new TinyVenue(), isUp: true };
}
