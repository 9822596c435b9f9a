import { assert } from '../../../src/model/assert.js';
import type { AnyEvent, EventEnvelope } from '../../../src/model/event.js';
import type { ChildNumber, CorrelationId, OrderId } from '../../../src/model/ids.js';
import { isTerminal, type ParentOrder, type ParentState } from '../../../src/model/order.js';
import type { Lots, Ticks } from '../../../src/model/quantity.js';
import type { DurationMs, EpochMs } from '../../../src/model/time.js';
import type { VenueReport } from '../../../src/model/venue-message.js';
import { Shard } from '../../../src/shard/shard.js';
import { FaultyVenues, parseFaultRule } from '../../../src/venue/faults/index.js';
import { MemoryVenueStore, SimulatedVenues } from '../../../src/venue/index.js';
import { LatentVenues, type LatencyModel } from '../../../src/venue/latency/index.js';
import { plainOrder } from '../../model/plain-order.js';
import { FakeMarket } from '../../shard/fake-market.js';
import { FakeInbox, FakeMain, FakeVenue } from '../../shard/fake-ports.js';
import { MemoryJournal } from '../../shard/memory-journal.js';
import { CATALOGUE } from '../../sim/listed.js';

export const START_MS = 1_800_000_000_000 as EpochMs;
const STEP_MS = 50;
const AUDITOR = -1;
const ORDER_ID = 1 as OrderId;
const [BTC] = CATALOGUE.instruments;
assert(BTC !== undefined, 'the first instrument is there');

/** One order of a real shard at real simulated venues that fail by the rules, under a clock of the test. */
export class TradingDay {
  readonly journal = new MemoryJournal();
  readonly #inbox = new FakeInbox();
  readonly #venue = new FakeVenue([]);
  readonly #board = new FakeMarket();
  readonly #gateway: LatentVenues;
  readonly #shard: Shard;
  #venues: SimulatedVenues | null = null;
  #nowMs = START_MS;

  constructor(rules: readonly object[], entry: LatencyModel = { kind: 'constant', delayUs: 0 }) {
    const store = new MemoryVenueStore();
    const open = (startMs: EpochMs): SimulatedVenues => {
      this.#venues = new SimulatedVenues({
        catalogue: CATALOGUE,
        seed: 1,
        store,
        startMs,
        isWatched: (instrument) => this.#board.isWanted(instrument),
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
    this.#shard = new Shard({
      shard: 0,
      shardCount: 1,
      clock: { nowMs: () => this.#nowMs },
      catalogue: CATALOGUE,
      journal: this.journal,
      inbox: this.#inbox,
      main: new FakeMain([]),
      venue: this.#venue,
      market: this.#board,
    });
    this.#advance();
  }

  /** Buys 0.4 BTC within a minute unless told otherwise, and follows the order to its end, or for so long. */
  work(change: Partial<ParentOrder> = {}, forMs = 200_000): ParentState {
    const order = orderOf(change);
    this.#inbox.commands.push({ kind: 'CreateParent', correlationId: 1 as CorrelationId, order });
    return this.run(forMs);
  }

  run(forMs: number): ParentState {
    for (const untilMs = this.#nowMs + forMs; this.#nowMs < untilMs; this.#nowMs = (this.#nowMs + STEP_MS) as EpochMs) {
      this.#rest();
      if (isTerminal(this.state.status)) break;
    }
    return this.state;
  }

  cancel(): void {
    const { account } = this.state.order;
    this.#inbox.commands.push({ kind: 'CancelParent', correlationId: 2 as CorrelationId, account, orderId: ORDER_ID });
  }

  get state(): ParentState {
    const state = this.journal.state(ORDER_ID);
    assert(state !== null, 'the order is there');
    return state;
  }

  /** An order without an end time, with a limit so many basis points above (or below) what is asked now. */
  limited(bps: number): Partial<ParentOrder> {
    const { ask } = this.#board.read(orderOf({}).instrument);
    const limitPrice = Math.round(ask * (1 + bps / 10_000)) as Ticks;
    return { strategy: 'LIMIT', limitPrice, endAtMs: null, durationMs: null };
  }

  /** Service time since the start. */
  get atMs(): number {
    return this.#nowMs - START_MS;
  }

  events(kind: AnyEvent['kind']): EventEnvelope[] {
    return this.journal.entries.map(({ envelope }) => envelope).filter(({ event }) => event.kind === kind);
  }

  /** What the venue has traded for the order, whatever the shard was told; nothing of it may be open. */
  get tradedAtVenue(): Lots {
    const { order, childCount } = this.state;
    let traded = 0;
    for (let child = 1; child <= childCount; child += 1) {
      const { account, venue, orderId } = order;
      const query = { kind: 'Query', account, venue, orderId, child: child as ChildNumber } as const;
      for (const report of this.#ask(query)) {
        if (report.kind === 'Filled') traded += report.fill.quantity;
        if (report.kind !== 'QueryAnswered') continue;
        assert(report.answer.state !== 'OPEN', `child ${child} has ended at the venue`);
      }
    }
    return traded as Lots;
  }

  /** All turns that are due at this instant. */
  #rest(): void {
    for (let round = 0; round < 20; round += 1) {
      this.#shard.turn();
      const requests = this.#venue.requests.splice(0);
      for (const request of requests) this.#gateway.handle(request, 0, this.#nowMs);
      this.#advance();
      if (requests.length === 0 && this.#inbox.reports.length === 0) return;
    }
  }

  #advance(): void {
    this.#gateway.advance(this.#nowMs, {
      report: (report) => void this.#inbox.reports.push(report),
      market: (instrument, market) => this.#board.put(instrument, market),
      trade: () => undefined,
    });
  }

  #ask(query: Parameters<SimulatedVenues['handle']>[0]): VenueReport[] {
    const venues = this.#venues;
    assert(venues !== null, 'the venues are open');
    const answers: VenueReport[] = [];
    venues.handle(query, AUDITOR, this.#nowMs);
    venues.advance(this.#nowMs, {
      report: (report, destination) => void (destination === AUDITOR && answers.push(report)),
      market: () => undefined,
      trade: () => undefined,
    });
    return answers;
  }
}

function orderOf(change: Partial<ParentOrder>): ParentOrder {
  assert(BTC !== undefined, 'the first instrument is there');
  return plainOrder(BTC, START_MS, {
    orderId: ORDER_ID,
    quantity: (0.4 * 10 ** BTC.quantityPrecision) as Lots,
    endAtMs: (START_MS + 60_000) as EpochMs,
    durationMs: 60_000 as DurationMs,
    ...change,
  });
}

/** An order that takes all it wants at once and has no end time. */
export const AT_ONCE: Partial<ParentOrder> = { strategy: 'MARKET', endAtMs: null, durationMs: null };
