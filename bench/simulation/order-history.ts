import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccountId, ChildNumber, OrderId } from '../../src/domain/ids.js';
import { InstrumentCatalogue, type InstrumentIndex } from '../../src/domain/instrument.js';
import { FORGET_BATCH_ROWS, FORGET_PAUSE_MS, ORDER_HISTORY_MS } from '../../src/domain/limits/trading.js';
import type { Market } from '../../src/domain/market.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { SimulatedVenues } from '../../src/sim/simulated-venues.js';
import { LmdbVenueStore } from '../../src/sim/store/lmdb-store.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';
import { quantile } from '../latency/times.js';
import type { Report } from '../report.js';

const BENCH = 'order-history';
const DAY_MS = 24 * 3600 * 1000;
/** A turn skips most of its time, so that a month of markets takes seconds. */
const TURN_MS = 120_000;
const START_MS = Date.UTC(2027, 0, 15) as EpochMs;
/** The order and its index row. Fills of these orders are in the row of the order. */
const ROWS_PER_ORDER = 2;
/** Days after which the size is reported. The last one is the length of the run. */
const FULL = { days: [7, 14, 15, 21, 30], ordersPerTurn: 8 };
const QUICK = { days: [1], ordersPerTurn: 1 };
/** One order of this many is a limit order that rests until the next one comes. */
const RESTING_ONE_OF = 4;

/**
 * Measures the size of the store of the simulated exchanges at a constant rate of orders, on a simulated clock, and a
 * turn that does nothing but a full batch of the removal.
 */
export function orderHistory(report: Report, isQuick: boolean): Promise<void> {
  const { days, ordersPerTurn } = isQuick ? QUICK : FULL;
  const run = new HistoryRun(ordersPerTurn);
  try {
    for (let day = 1; day <= days.at(-1)!; day += 1) {
      run.tradeForDay();
      if (!days.includes(day)) continue;
      const { bytes, orders } = run.size();
      const figure = { bench: BENCH, case: `day ${day}, ${run.ordersPerDay} orders a day`, rounds: 1 };
      report.add({ ...figure, metric: 'file', value: bytes, unit: 'B' });
      report.add({ ...figure, metric: 'ended_orders', value: orders, unit: 'count' });
    }
    const turnsUs = run.removals();
    const figure = { bench: BENCH, case: `${FORGET_BATCH_ROWS} rows removed`, rounds: turnsUs.length };
    report.add({ ...figure, metric: 'p50', value: quantile(turnsUs, 0.5), unit: 'us' });
    report.add({ ...figure, metric: 'p99', value: quantile(turnsUs, 0.99), unit: 'us' });
  } finally {
    run.close();
  }
  return Promise.resolve();
}

/** One market on a simulated clock, whose store is on the disk. */
class HistoryRun {
  readonly ordersPerDay: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'sluice-history-'));
  readonly #store = new LmdbVenueStore(this.#folder);
  readonly #venues: SimulatedVenues;
  readonly #ordersPerTurn: number;
  #market: Market | null = null;
  #nowMs: number = START_MS;
  #lastOrderId = 0;

  constructor(ordersPerTurn: number) {
    this.#ordersPerTurn = ordersPerTurn;
    this.ordersPerDay = (ordersPerTurn * DAY_MS) / TURN_MS;
    const instrument = buildCatalogue().findCanonical('BINANCE', 'BTC/USDT')!;
    this.#venues = new SimulatedVenues({
      catalogue: new InstrumentCatalogue([{ ...instrument, index: 0 as InstrumentIndex }]),
      seed: 1,
      store: this.#store,
      startMs: START_MS,
      isWatched: () => false,
      balanceHome: () => 0,
      onRepeated: () => undefined,
    });
    this.#turn();
  }

  tradeForDay(): void {
    for (let passedMs = 0; passedMs < DAY_MS; passedMs += TURN_MS) {
      this.#nowMs += TURN_MS;
      if (this.#market !== null) this.#trade(this.#market.bid, this.#nowMs as EpochMs);
      this.#turn();
    }
  }

  /** Lets all orders become due, and returns the time of each turn that removes a full batch, in microseconds. */
  removals(): number[] {
    this.#cancel(this.#nowMs as EpochMs);
    this.#turn();
    this.#nowMs += ORDER_HISTORY_MS + DAY_MS;
    const took: number[] = [];
    const batches = Math.floor((ROWS_PER_ORDER * this.size().orders) / FORGET_BATCH_ROWS);
    for (let batch = 0; batch < batches; batch += 1) {
      const startMs = performance.now();
      this.#turn();
      took.push((performance.now() - startMs) * 1000);
      this.#nowMs += FORGET_PAUSE_MS;
    }
    return took;
  }

  size(): { readonly bytes: number; readonly orders: number } {
    let orders = 0;
    for (const _row of this.#store.range('done/')) orders += 1;
    return { bytes: statSync(join(this.#folder, 'data.mdb')).size, orders };
  }

  close(): void {
    this.#venues.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #turn(): void {
    this.#venues.advance(this.#nowMs as EpochMs, {
      report: () => undefined,
      market: (_instrument, market) => (this.#market = market),
      trade: () => undefined,
    });
  }

  #trade(bid: Ticks, nowMs: EpochMs): void {
    for (let order = 0; order < this.#ordersPerTurn; order += 1) {
      const isResting = this.#lastOrderId % RESTING_ONE_OF === 0;
      if (isResting) this.#cancel(nowMs);
      this.#lastOrderId += 1;
      this.#venues.handle(
        {
          kind: 'Submit',
          ...this.#ref(this.#lastOrderId),
          instrument: 0 as InstrumentIndex,
          side: this.#lastOrderId % 2 === 0 ? 'BUY' : 'SELL',
          quantity: 100 as Lots,
          type: isResting ? 'LIMIT' : 'MARKET',
          timeInForce: isResting ? 'GTC' : 'IOC',
          limitPrice: isResting ? (Math.round(bid * (this.#lastOrderId % 2 === 0 ? 0.95 : 1.05)) as Ticks) : null,
          postOnly: false,
          reduceOnly: false,
          selfTradePrevention: 'NONE',
        },
        0,
        nowMs,
      );
    }
  }

  /** Cancels the resting order of before. */
  #cancel(nowMs: EpochMs): void {
    const orderId = this.#lastOrderId + 1 - RESTING_ONE_OF;
    if (orderId > 0) this.#venues.handle({ kind: 'Cancel', ...this.#ref(orderId) }, 0, nowMs);
  }

  #ref(orderId: number) {
    return {
      account: 'bench' as AccountId,
      venue: 'BINANCE',
      orderId: orderId as OrderId,
      child: 1 as ChildNumber,
      instrument: 0 as InstrumentIndex,
      submittedAtMs: START_MS,
      venueOrderId: null,
    } as const;
  }
}
