import { Depth, type Market } from '../../../src/domain/market.js';
import type { InstrumentIndex } from '../../../src/domain/instrument.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { Random } from '../../../src/sim/prng.js';
import { SimulatedVenues } from '../../../src/sim/simulated-venues.js';
import { MemoryVenueStore } from '../memory-store.js';
import type { FeedOutlet } from '../../../src/sim/feed/port.js';
import type { VenueSink } from '../../../src/venue/port.js';
import { encodeMarketUpdate } from '../../../src/wire/codec/market.js';
import { encodeVenueReport } from '../../../src/wire/codec/venue-report.js';
import { CATALOGUE } from '../../simulation/listed.js';
import { scriptOf } from './script.js';

/** One minute before a funding time. */
const START_MS = 1_800_000_000_000 - 60_000;
const END_MS = START_MS + 150_000;
/** Interval of market reads. */
const LOOK_MS = 1_000;

export interface SessionOptions {
  readonly seed: number;
  /** Service milliseconds per real millisecond: a delay of a thread's wake-up grows with it. */
  readonly speed: number;
}

/** Encoded messages of the venues in hexadecimal, and rows as JSON, in order. */
export interface SessionRecord {
  readonly reports: string[];
  readonly prints: string[];
  /** Closed candles. */
  readonly candles: string[];
  /** The last-value cache row of each instrument, at each read. */
  readonly rows: string[];
  readonly depths: string[];
}

/** Runs the script of a seed on new venues, in turns of the given speed. */
export function playSession({ seed, speed }: SessionOptions): SessionRecord {
  const session: SessionRecord = { reports: [], prints: [], candles: [], rows: [], depths: [] };
  const markets = new Map<InstrumentIndex, Market>();
  const sink: VenueSink = {
    report: (report, destination) => session.reports.push(`${destination} ${hex(encodeVenueReport(report))}`),
    market: (instrument, market) => markets.set(instrument, market),
    trade: (print) => session.prints.push(hex(encodeMarketUpdate({ kind: 'Traded', print }))),
  };
  const depth = new Depth();
  const venues = openVenues(seed, outletTo(session, depth, speed));
  venues.advance(START_MS as EpochMs, sink);
  const bids = CATALOGUE.instruments.map(({ index }) => markets.get(index)?.bid ?? 0);
  const inputs = scriptOf(seed, START_MS, END_MS, bids);
  const delay = new Random(`delay/${seed}/${speed}`);
  let next = 0;
  for (let nowMs = START_MS; nowMs < END_MS;) {
    const nextLookMs = (Math.floor(nowMs / LOOK_MS) + 1) * LOOK_MS;
    const wokenMs = Math.max(nowMs, venues.nextWakeMs()) + Math.ceil(speed * 3 * delay.uniform());
    nowMs = Math.min(wokenMs, nextLookMs, inputs[next]?.atMs ?? END_MS);
    for (let input = inputs[next]; input?.atMs === nowMs; input = inputs[next]) {
      venues.handle(input.request, input.origin, nowMs as EpochMs);
      next += 1;
    }
    venues.advance(nowMs as EpochMs, sink);
    if (nowMs !== nextLookMs) continue;
    for (const [instrument, market] of markets) session.rows.push(rowText(instrument, market));
    session.depths.push(textOf(depth));
  }
  session.candles.sort();
  return session;
}

/** One instrument is not watched, so it sleeps without orders. */
function openVenues(seed: number, outlet: FeedOutlet): SimulatedVenues {
  return new SimulatedVenues({
    catalogue: CATALOGUE,
    seed,
    store: new MemoryVenueStore(),
    startMs: START_MS as EpochMs,
    isWatched: (instrument) => instrument !== 2,
    balanceHome: () => 0,
    onRepeated: () => undefined,
    outlet,
  });
}

function outletTo(session: SessionRecord, shown: Depth, speed: number): FeedOutlet {
  const followed = CATALOGUE.instruments.map(({ index }) => {
    return { kind: 'candles', instrument: index, interval: 'ONE_MINUTE' } as const;
  });
  return {
    subscriptions: { version: 1, followed: () => followed, nextClosedMs: () => START_MS as EpochMs },
    offer: (update) => {
      if (update.kind === 'CandleChanged' && update.isClosed) session.candles.push(hex(encodeMarketUpdate(update)));
      return true;
    },
    isDepthWanted: (instrument) => instrument === 0,
    showDepth: (_, depth) => Object.assign(shown, structuredClone(depth)),
    speed,
  };
}

function textOf({ atMs, bids, asks }: Depth): string {
  const sides = [bids, asks].map(({ count, prices, quantities }) => {
    return [prices.subarray(0, count).join(), quantities.subarray(0, count).join()];
  });
  return JSON.stringify([atMs, sides]);
}

function rowText(instrument: InstrumentIndex, market: Market): string {
  const row = { instrument, ...market };
  return JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
