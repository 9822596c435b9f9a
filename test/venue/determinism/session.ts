import { Depth } from '../../../src/model/depth.js';
import type { InstrumentIndex } from '../../../src/model/instrument.js';
import type { Market } from '../../../src/model/market.js';
import type { EpochMs } from '../../../src/model/time.js';
import { Random } from '../../../src/venue/prng.js';
import { MemoryVenueStore, SimulatedVenues } from '../../../src/venue/index.js';
import type { FeedOutlet } from '../../../src/venue/feed/index.js';
import type { VenueSink } from '../../../src/venue/port.js';
import {
  encodeMarket,
  encodeMarketUpdate,
  encodeTradePrint,
  encodeVenueReport,
} from '../../../src/wire/codec/index.js';
import { CATALOGUE } from '../../sim/listed.js';
import { scriptOf } from './script.js';

/** Funding is paid a minute after. */
const START_MS = 1_800_000_000_000 - 60_000;
const END_MS = START_MS + 150_000;
/** Everybody looks at the markets so often. */
const LOOK_MS = 1_000;

export interface SessionOptions {
  readonly seed: number;
  /** Service milliseconds in a real one: whoever sleeps wakes a moment late, and that moment is so many times as long. */
  readonly speed: number;
}

/** Everything that the venues told, each as the bytes of its message, in hexadecimal and in order. */
export interface Told {
  readonly reports: string[];
  readonly prints: string[];
  /** Of candles that are over. */
  readonly candles: string[];
  /** The slate's row of each instrument, at each look. */
  readonly rows: string[];
  readonly depths: string[];
}

/** Plays the script of a seed on fresh venues in the turns of a speed. */
export function playSession({ seed, speed }: SessionOptions): Told {
  const told: Told = { reports: [], prints: [], candles: [], rows: [], depths: [] };
  const markets = new Map<InstrumentIndex, Market>();
  const sink: VenueSink = {
    report: (report, destination) => told.reports.push(`${destination} ${hex(encodeVenueReport(report))}`),
    market: (instrument, market) => markets.set(instrument, market),
    trade: (print) => told.prints.push(hex(encodeTradePrint(print))),
  };
  const depth = new Depth();
  const venues = openVenues(seed, outletTo(told, depth, speed));
  venues.advance(START_MS as EpochMs, sink);
  const bids = CATALOGUE.instruments.map(({ index }) => markets.get(index)?.bid ?? 0);
  const inputs = scriptOf(seed, START_MS, END_MS, bids);
  const delay = new Random(`delay/${seed}/${speed}`);
  let next = 0;
  for (let nowMs = START_MS; nowMs < END_MS;) {
    const lookMs = (Math.floor(nowMs / LOOK_MS) + 1) * LOOK_MS;
    const wokenMs = Math.max(nowMs, venues.nextWakeMs()) + Math.ceil(speed * 3 * delay.uniform());
    nowMs = Math.min(wokenMs, lookMs, inputs[next]?.atMs ?? END_MS);
    for (let input = inputs[next]; input?.atMs === nowMs; input = inputs[next]) {
      venues.handle(input.request, input.origin, nowMs as EpochMs);
      next += 1;
    }
    venues.advance(nowMs as EpochMs, sink);
    if (nowMs !== lookMs) continue;
    for (const [instrument, market] of markets) told.rows.push(hex(encodeMarket(instrument, market)));
    told.depths.push(textOf(depth));
  }
  told.candles.sort();
  return told;
}

/** One instrument sleeps unless orders rest in it. */
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

function outletTo(told: Told, shown: Depth, speed: number): FeedOutlet {
  const followed = CATALOGUE.instruments.map(({ index }) => {
    return { kind: 'candles', instrument: index, interval: 'ONE_MINUTE' } as const;
  });
  return {
    interest: { version: 1, followed: () => followed, nextClosedMs: () => START_MS as EpochMs },
    offer: (update) => {
      if (update.kind === 'CandleChanged' && update.isClosed) told.candles.push(hex(encodeMarketUpdate(update)));
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

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
