import type { Instrument, InstrumentCatalogue } from '../../src/model/instrument.js';
import { REPLAY_AFTERMATH_MS } from '../../src/model/limits.js';
import type { Lots } from '../../src/model/quantity.js';
import { isRejected } from '../../src/model/rejection.js';
import type { DurationMs, EpochMs } from '../../src/model/time.js';
import { MarketRecord } from '../../src/replay/market-record.js';
import { replayOrder } from '../../src/replay/order-replay.js';
import type { Recording } from '../../src/replay/recording.js';
import { TapeFeed } from '../../src/replay/tape-feed.js';
import { queueModelOf, ReplayVenue } from '../../src/venue/replay/index.js';
import { LATENCY_MS, type Arena } from './arena.js';
import { deskOrder, type Task } from './desk-order.js';

/** Part of what others trade in a window that an order wants. */
const SHARE = 0.01;
const NO_SINK = { report: () => undefined, market: () => undefined, trade: () => undefined };

export interface RecordedArenaParts {
  readonly recording: Recording;
  readonly instrument: Instrument;
  readonly catalogue: InstrumentCatalogue;
  readonly durationMs: DurationMs;
}

/** Windows of a recorded market, one behind the other; behind each, the market is known for the markouts of its end. */
export async function recordedArena(parts: RecordedArenaParts): Promise<Arena> {
  const { recording, instrument, catalogue, durationMs } = parts;
  const { spanMs, volume } = await surveyOf(recording, instrument);
  const expectedVolume = (volume * durationMs) / spanMs;
  const quantity = Math.round(SHARE * expectedVolume) as Lots;
  const base = (quantity / 10 ** instrument.quantityPrecision).toLocaleString('en', { maximumSignificantDigits: 3 });
  return {
    name: recording.name,
    kind: 'recorded',
    instrument,
    task: `${base} ${instrument.base} in ${durationMs / 1_000} s`,
    windowCount: Math.max(0, Math.floor((spanMs - REPLAY_AFTERMATH_MS) / durationMs)),
    work: async (policy, window, side) => {
      const { baseline } = policy;
      const task: Task = { side, quantity, durationMs, expectedVolume, window };
      const run = await replayOrder({
        recording,
        instrument,
        catalogue,
        orderAt: (nowMs) => deskOrder(policy, task, { instrument, catalogue }, nowMs),
        watchedMs: (window * durationMs) as DurationMs,
        queueModel: 'risk-averse',
        latencyMs: LATENCY_MS,
        ...(baseline !== null && { strategyFor: () => baseline }),
      });
      if (isRejected(run)) throw new Error(`${policy.name}: ${run.rejection.message}`);
      return run;
    },
  };
}

/** How long the market is known, and what was traded in it. */
async function surveyOf(recording: Recording, instrument: Instrument): Promise<{ spanMs: number; volume: number }> {
  const feed = new TapeFeed(recording, instrument);
  const market = new MarketRecord();
  const queueModel = queueModelOf('risk-averse', instrument);
  const venue = new ReplayVenue({ instrument, streams: feed.streams, queueModel, observer: market });
  for (let nowMs = 0 as EpochMs; nowMs < Infinity; nowMs = venue.nextWakeMs()) {
    if (!feed.covers(nowMs)) await feed.cover(nowMs);
    venue.advance(nowMs, NO_SINK);
  }
  await feed.close();
  const { firstAtMs, lastAtMs } = market.mids;
  return { spanMs: lastAtMs - firstAtMs, volume: market.trades.between(firstAtMs, lastAtMs).volume };
}
