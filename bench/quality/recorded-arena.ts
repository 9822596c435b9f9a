import type { Instrument, InstrumentCatalogue } from '../../src/domain/instrument.js';
import { BACKTEST_AFTERMATH_MS } from '../../src/domain/limits/trading.js';
import type { Lots } from '../../src/domain/quantity.js';
import { isRejected } from '../../src/domain/rejection.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import { backtestOrder, MarketRecord } from '../../src/backtest/backtest-run.js';
import type { Recording } from '../../src/backtest/recording.js';
import { RecordingFeed } from '../../src/backtest/recording.js';
import { queueModelOf } from '../../src/backtest/venue/queue-model.js';
import { BacktestVenue } from '../../src/backtest/venue/backtest-venue.js';
import { type Arena, LATENCY_MS } from './arena.js';
import { orderOfTask, type Task } from './task-order.js';

/** Order quantity as a part of the volume of others in a window. */
const SHARE = 0.01;
const NO_SINK = { report: () => undefined, market: () => undefined, trade: () => undefined };

export interface RecordedArenaParts {
  readonly recording: Recording;
  readonly instrument: Instrument;
  readonly catalogue: InstrumentCatalogue;
  readonly durationMs: DurationMs;
}

/**
 * Returns consecutive windows of a recorded market. After each window the recording continues for the last markouts.
 */
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
    windowCount: Math.max(0, Math.floor((spanMs - BACKTEST_AFTERMATH_MS) / durationMs)),
    work: async (policy, window, side) => {
      const { baseline } = policy;
      const task: Task = { side, quantity, durationMs, expectedVolume, window };
      const run = await backtestOrder({
        recording,
        instrument,
        catalogue,
        orderAt: (nowMs) => orderOfTask(policy, task, { instrument, catalogue }, nowMs),
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

/** Returns the length of the recording and its volume. */
async function surveyOf(recording: Recording, instrument: Instrument): Promise<{ spanMs: number; volume: number }> {
  const feed = new RecordingFeed(recording, instrument);
  const market = new MarketRecord();
  const queueModel = queueModelOf('risk-averse', instrument);
  const venue = new BacktestVenue({ instrument, streams: feed.streams, queueModel, observer: market });
  for (let nowMs = 0 as EpochMs; nowMs < Infinity; nowMs = venue.nextWakeMs()) {
    if (!feed.covers(nowMs)) await feed.cover(nowMs);
    venue.advance(nowMs, NO_SINK);
  }
  await feed.close();
  const { firstAtMs, lastAtMs } = market.mids;
  return { spanMs: lastAtMs - firstAtMs, volume: market.trades.between(firstAtMs, lastAtMs).volume };
}
