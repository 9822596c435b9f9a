import { KILL_SWITCH_CAUSE } from '../../../src/domain/cancel-cause.js';
import { assert } from '../../../src/domain/rejection.js';
import type { AnyEvent, EventEnvelope } from '../../../src/domain/event.js';
import type { ChildNumber, OrderId } from '../../../src/domain/ids.js';
import type { ParentState } from '../../../src/domain/order-state.js';
import { isTerminal, type ParentOrder } from '../../../src/domain/order.js';
import type { Lots, Ticks } from '../../../src/domain/quantity.js';
import type { DurationMs, EpochMs } from '../../../src/domain/time.js';
import type { VenueReport } from '../../../src/domain/venue-report.js';
import { FaultyVenues } from '../../../src/sim/faults/faulty-venues.js';
import { parseFaultRule } from '../../../src/sim/faults/fault-script.js';
import { SimulatedVenues } from '../../../src/sim/simulated-venues.js';
import { MemoryVenueStore } from '../memory-store.js';
import type { LatencyModel } from '../../../src/sim/latency/latency-model.js';
import { LatentVenues } from '../../../src/sim/latency/latent-venues.js';
import { type FlatTerms, plainOrder } from '../../domain/plain-order.js';
import { FakeMarket } from '../../shard/fake-market.js';
import { ShardRig } from '../../shard/shard-rig.js';
import { CATALOGUE } from '../../simulation/listed.js';
import { targetOf } from '../../venue/child-target.js';

export const START_MS = 1_800_000_000_000 as EpochMs;
const STEP_MS = 50;
const AUDITOR = -1;
const ORDER_ID = 1 as OrderId;
const [BTC] = CATALOGUE.instruments;
assert(BTC !== undefined, 'the catalogue has no instrument');

/** One order of a real shard at real simulated venues with fault rules, under a test clock. */
export class TradingDay {
  readonly #board = new FakeMarket();
  readonly #rig = new ShardRig({ shard: 0, shardCount: 1, catalogue: CATALOGUE, market: this.#board });
  readonly #gateway: LatentVenues;
  #venues: SimulatedVenues | null = null;
  #isKeptAwake = false;

  constructor(rules: readonly object[], entry: LatencyModel = { kind: 'constant', delayUs: 0 }) {
    const store = new MemoryVenueStore();
    const open = (startMs: EpochMs): SimulatedVenues => {
      this.#venues = new SimulatedVenues({
        catalogue: CATALOGUE,
        seed: 1,
        store,
        startMs,
        isWatched: (instrument) => this.#isKeptAwake || this.#board.isWanted(instrument),
        balanceHome: () => 0,
        onRepeated: ({ orderId, child }) => {
          throw new Error(`child ${orderId}-${child} was sent twice`);
        },
      });
      return this.#venues;
    };
    const parts = { catalogue: CATALOGUE, seed: 1, startMs: START_MS, listeners: [0] };
    const faulty = new FaultyVenues({ ...parts, open, rules: rules.map((rule) => parseFaultRule(rule)) });
    const latency = { feed: entry, entry, response: entry };
    this.#gateway = new LatentVenues({ ...parts, gateway: faulty, latencyOf: () => latency });
    this.#rig.nowMs = START_MS;
    this.#advance();
  }

  /** Buys 0.4 BTC within a minute by default. Runs until the order ends, or for the given time. */
  work(change: Partial<FlatTerms> = {}, forMs = 200_000): ParentState {
    this.#rig.place(orderOf(change));
    return this.run(forMs);
  }

  run(forMs: number): ParentState {
    let seenCount = 0;
    for (const untilMs = this.#rig.nowMs + forMs; this.#rig.nowMs < untilMs; this.#pass(STEP_MS)) {
      this.#rest();
      const eventCount = this.#rig.journal.entries.length;
      // The state is read from its bytes, so only after an event.
      if (eventCount !== seenCount && isTerminal(this.state.status)) break;
      seenCount = eventCount;
    }
    return this.state;
  }

  /** Keeps the market active from now on. */
  keepMarketAwake(): void {
    this.#isKeptAwake = true;
  }

  /** Advances time without turns of shard and venue, as on an overloaded machine. */
  starve(forMs: number): void {
    this.#pass(forMs);
  }

  cancel(): void {
    const { account } = this.state.order;
    this.#rig.post({ kind: 'CancelParent', account, orderId: ORDER_ID, cancelCause: KILL_SWITCH_CAUSE });
  }

  get state(): ParentState {
    const state = this.#rig.state(ORDER_ID);
    assert(state !== null, 'the journal has no such order');
    return state;
  }

  /** An order without an end time and with a limit `bps` basis points above (or below) the current ask. */
  limited(bps: number): Partial<FlatTerms> {
    const { ask } = this.#board.read(orderOf({}).legs[0].instrument);
    const limitPrice = Math.round(ask * (1 + bps / 10_000)) as Ticks;
    return { strategy: 'LIMIT', limitPrice, endAtMs: null, durationMs: null };
  }

  /** Milliseconds of service time since the start. */
  get atMs(): number {
    return this.#rig.nowMs - START_MS;
  }

  events(kind: AnyEvent['kind']): EventEnvelope[] {
    return this.#rig.journal.entries.map(({ envelope }) => envelope).filter(({ event }) => event.kind === kind);
  }

  /** Traded quantity at the venue, independent of the shard's reports; no child may be open. */
  get tradedAtVenue(): Lots {
    const { order } = this.state;
    const { childCount } = this.state.legs[0];
    let traded = 0;
    for (let child = 1; child <= childCount; child += 1) {
      const { account, orderId, legs } = order;
      const [{ venue }] = legs;
      const query = {
        kind: 'QueryStatus',
        ...targetOf({ account, venue, orderId, child: child as ChildNumber }),
      } as const;
      for (const report of this.#ask(query)) {
        if (report.kind === 'Filled') traded += report.fill.quantity;
        if (report.kind !== 'StatusAnswered') continue;
        assert(report.answer.state !== 'OPEN', `child ${child} is still open at the venue`);
      }
    }
    return traded as Lots;
  }

  #pass(ms: number): void {
    this.#rig.nowMs = (this.#rig.nowMs + ms) as EpochMs;
  }

  /** Runs all turns that are due at this instant. */
  #rest(): void {
    for (let round = 0; round < 20; round += 1) {
      this.#rig.turn();
      const requests = this.#rig.venue.requests.splice(0);
      for (const request of requests) this.#gateway.handle(request, 0, this.#rig.nowMs);
      this.#advance();
      if (requests.length === 0 && this.#rig.inbox.reports.length === 0) return;
    }
  }

  #advance(): void {
    this.#gateway.advance(this.#rig.nowMs, {
      report: (report) => void this.#rig.inbox.reports.push(report),
      market: (instrument, market) => this.#board.put(instrument, market),
      trade: () => undefined,
    });
  }

  #ask(query: Parameters<SimulatedVenues['handle']>[0]): VenueReport[] {
    const venues = this.#venues;
    assert(venues !== null, 'the venues are closed');
    const answers: VenueReport[] = [];
    venues.handle(query, AUDITOR, this.#rig.nowMs);
    venues.advance(this.#rig.nowMs, {
      report: (report, destination) => void (destination === AUDITOR && answers.push(report)),
      market: () => undefined,
      trade: () => undefined,
    });
    return answers;
  }
}

function orderOf(change: Partial<FlatTerms>): ParentOrder {
  assert(BTC !== undefined, 'the catalogue has no instrument');
  return plainOrder(BTC, START_MS, {
    orderId: ORDER_ID,
    quantity: (0.4 * 10 ** BTC.quantityPrecision) as Lots,
    endAtMs: (START_MS + 60_000) as EpochMs,
    durationMs: 60_000 as DurationMs,
    ...change,
  });
}

/** A market order without an end time. */
export const AT_ONCE: Partial<FlatTerms> = { strategy: 'MARKET', endAtMs: null, durationMs: null };
