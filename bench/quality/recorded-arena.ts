import { minimumAt } from '../../src/domain/exchange-rules.js';
import { InstrumentCatalogue, type Instrument } from '../../src/domain/instrument.js';
import { BACKTEST_AFTERMATH_MS } from '../../src/domain/limits/trading.js';
import type { Lots } from '../../src/domain/quantity.js';
import { isRejected } from '../../src/domain/rejection.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import { backtestOrder, MarketRecord } from '../../src/backtest/backtest-run.js';
import type { Recording } from '../../src/backtest/recording.js';
import { RecordingFeed } from '../../src/backtest/recording.js';
import { RecordedMarket } from '../../src/backtest/venue/backtest-venue.js';
import { FileError } from '../../src/backtest/table/columns.js';
import { type Half, unitsOf } from '../report.js';
import { type Arena, type Condition, nameOf } from './arena.js';
import { RefillEstimate, WATCHED_MS } from './refill.js';
import { orderOfTask, type Task } from './task-order.js';
import { alone } from './simulated-world.js';

/** Least part of an order's duration that must be known before it, for its size. */
const KNOWN_PART_MIN = 0.5;
const MINUTE_MS = 60_000;
/** The first half of the windows of a recording chooses, the rest judges. */
const TUNE_PART = 1 / 2;

export interface RecordedArenaParts {
  readonly survey: Survey;
  readonly condition: Condition;
  readonly half: Half;
}

/** A recording as it was without our orders. */
export interface Survey {
  readonly recording: Recording;
  /** The only one of its catalogue. */
  readonly instrument: Instrument;
  /** When the book was first known. */
  readonly firstAtMs: EpochMs;
  readonly market: MarketRecord;
  /** Time in which half of a taken quantity comes back, as estimated from the whole recording. */
  readonly refillHalfLifeMs: DurationMs;
}

/**
 * Returns consecutive windows of one half of a recorded market. They begin at full minutes, shorter ones at multiples
 * of their duration, so that a window of a minute touches one calendar minute. After each window the recording
 * continues for the last markouts; those of the first half end where the other half begins.
 */
export function recordedArena({ survey, condition, half }: RecordedArenaParts): Arena {
  const { recording, instrument, refillHalfLifeMs } = survey;
  const { latencyMs, queueModel, share, durationMs } = condition;
  const place = `${recording.name}, ${half} half`;
  const catalogue = new InstrumentCatalogue([instrument]);
  const starts = startsOf(survey, durationMs);
  const { from, to } = unitsOf(half, starts.length, TUNE_PART);
  const endOfHalfMs = half === 'tune' ? (starts[to] ?? Infinity) : Infinity;
  return {
    name: `${place}, ${nameOf(condition)}`,
    place,
    condition,
    kind: 'recorded',
    half,
    instrument,
    task: `${share * 100} % of the volume before, refill in ${refillHalfLifeMs} ms`,
    windowCount: to - from,
    sharesOf: (window) =>
      minutesOf(starts[from + window]!, durationMs).map((minute) => `${instrument.venue} ${minute}`),
    work: async (policy, window, side) => {
      const { baseline } = policy;
      const startMs = starts[from + window]!;
      const expectedVolume = volumeBefore(survey, startMs, durationMs);
      const quantity = Math.max(leastLots(survey, instrument, startMs), Math.round(share * expectedVolume)) as Lots;
      const task: Task = { side, quantity, durationMs, expectedVolume, window: from + window };
      const run = await backtestOrder({
        recording,
        instrument,
        catalogue,
        orderAt: (nowMs) => orderOfTask(policy, task, { instrument, catalogue }, nowMs),
        notBeforeMs: startMs,
        queueModel,
        refillHalfLifeMs,
        latencyMs,
        ...(baseline !== null && { strategyFor: () => baseline }),
      });
      if (isRejected(run)) throw new Error(`${policy.name}: ${run.rejection.message}`);
      return { ...run, knownUntilMs: Math.min(run.knownUntilMs, endOfHalfMs) as EpochMs };
    },
  };
}

/** The exchange's minimum, and a tenth more, because the price may fall before the order begins. */
function leastLots({ market }: Survey, instrument: Instrument, atMs: EpochMs): number {
  return Math.ceil(1.1 * minimumAt(instrument, market.mids.at(atMs) ?? Infinity));
}

/** Starts of the windows, those of both halves. */
function startsOf({ firstAtMs, market }: Survey, durationMs: DurationMs): EpochMs[] {
  const stepMs = Math.min(durationMs, MINUTE_MS);
  const firstMs = Math.ceil((firstAtMs + KNOWN_PART_MIN * durationMs) / stepMs) * stepMs;
  const untilMs = market.mids.lastAtMs - BACKTEST_AFTERMATH_MS;
  const count = Math.max(0, Math.floor((untilMs - firstMs) / durationMs));
  return Array.from({ length: count }, (_, index) => (firstMs + index * durationMs) as EpochMs);
}

/** The calendar minutes that a period touches, as 2024-08-08T23:55. */
function minutesOf(startMs: EpochMs, durationMs: DurationMs): string[] {
  const first = Math.floor(startMs / MINUTE_MS);
  const last = Math.ceil((startMs + durationMs) / MINUTE_MS) - 1;
  return Array.from({ length: last - first + 1 }, (_, index) => {
    return new Date((first + index) * MINUTE_MS).toISOString().slice(0, 16);
  });
}

/** Lots that others traded on average in so long a time, over all of the recording before an instant. */
function volumeBefore({ firstAtMs, market }: Survey, beforeMs: EpochMs, durationMs: DurationMs): number {
  return (market.trades.between(firstAtMs, beforeMs - 1).volume * durationMs) / (beforeMs - firstAtMs);
}

/** Plays the whole recording without an order. */
export async function surveyOf(recording: Recording, listed: Instrument): Promise<Survey> {
  const instrument = alone(listed);
  const feed = new RecordingFeed(recording, instrument);
  const market = new MarketRecord();
  let firstAtMs: EpochMs | null = null;
  const onBook = (atMs: EpochMs): void => {
    refill.onBook(atMs);
    const [bid, ask] = [shown.best('BUY'), shown.best('SELL')];
    if (bid > 0 && ask > 0) market.onQuote(bid, ask, atMs);
    if (book.isSynchronised) firstAtMs ??= atMs;
  };
  const { book, shown, player } = new RecordedMarket(feed.streams, {
    onBook,
    onTrade: (price, quantity, takerSide, atMs) => {
      refill.onTrade(price, quantity, takerSide, atMs);
      market.onTrade(price, quantity, atMs);
    },
  });
  const refill = new RefillEstimate(shown);
  for (let nowMs = 0; nowMs < Infinity; nowMs = player.nextMs()) {
    if (!feed.covers(nowMs as EpochMs)) await feed.cover(nowMs as EpochMs);
    player.play(nowMs as EpochMs);
  }
  await feed.close();
  if (firstAtMs === null) throw new FileError({ file: recording.name }, 'the recording has no snapshot of its book');
  const { lastAtMs } = market.mids;
  refill.finish(lastAtMs as EpochMs);
  return { recording, instrument, firstAtMs, market, refillHalfLifeMs: refill.halfLifeMs ?? WATCHED_MS };
}
