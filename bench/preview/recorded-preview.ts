import { MarketRecord, type OrderRun } from '../../src/backtest/backtest-run.js';
import { MemoryMarketView } from '../../src/backtest/memory-ports.js';
import { type Recording, RecordingFeed, recordingsIn } from '../../src/backtest/recording.js';
import { BacktestVenue } from '../../src/backtest/venue/backtest-venue.js';
import { Depth, type Market } from '../../src/domain/market.js';
import { type Side, TRADING_STYLES } from '../../src/domain/order.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import { riskAverse } from '../../src/venue/matching/queue-model.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';
import { LATENCY_MS, USUAL } from '../quality/arena.js';
import { own, type Policy } from '../quality/policy.js';
import { recordedArena, type Survey, surveyOf } from '../quality/recorded-arena.js';
import { instrumentOfRecording } from '../quality/recorded-instrument.js';
import { readHeaders } from '../quality/recording-header.js';
import type { Half } from '../report.js';
import { comparedOf, type PreviewedAndWorked } from './previewed-order.js';

interface RecordedChoice {
  readonly dataDir: string;
  readonly instrumentsFile: string | undefined;
  readonly half: Half;
  readonly isQuick: boolean;
  readonly progress: (text: string) => void;
}

/** Previews and results of one recording. */
export interface RecordedOrders {
  readonly name: string;
  readonly orders: readonly PreviewedAndWorked[];
}

const SIDES: readonly Side[] = ['BUY', 'SELL'];
const POLICIES: readonly Policy[] = [
  ...(['TWAP', 'VWAP', 'POV', 'IS', 'ICEBERG'] as const).flatMap((strategy) =>
    TRADING_STYLES.map((style) => own(strategy, style)),
  ),
  own('MARKET', 'HYBRID'),
];
/** Short windows give more observations of a short recording; those of a minute are the usual ones. */
const DURATIONS_MS = [20_000, 60_000] as const;
const QUICK_DURATIONS_MS = [9_000] as const;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** Previews each order in one half of each recording from what was known before it, and replays it. */
export async function recordedOrders(choice: RecordedChoice): Promise<RecordedOrders[]> {
  const { dataDir, instrumentsFile, progress } = choice;
  const catalogue = buildCatalogue();
  const headers = instrumentsFile === undefined ? [] : readHeaders(instrumentsFile);
  const compared: RecordedOrders[] = [];
  for (const recording of recordingsIn(dataDir)) {
    const found = instrumentOfRecording(recording, { catalogue, headers });
    if (found.reason !== null) progress(`${recording.name} is not used: ${found.reason}`);
    else compared.push(await ordersOf(recording, await surveyOf(recording, found.instrument), choice));
  }
  return compared;
}

/** A replayed order, before its preview. */
interface Replayed {
  readonly run: OrderRun;
  readonly cluster: string;
}

async function ordersOf({ name }: Recording, survey: Survey, choice: RecordedChoice): Promise<RecordedOrders> {
  const { half, isQuick, progress } = choice;
  const replayed: Replayed[] = [];
  for (const durationMs of isQuick ? QUICK_DURATIONS_MS : DURATIONS_MS) {
    const condition = { ...USUAL, durationMs: durationMs as DurationMs };
    const arena = recordedArena({ survey, condition, half });
    const windowCount = isQuick ? Math.min(1, arena.windowCount) : arena.windowCount;
    for (let window = 0; window < windowCount; window += 1) {
      progress(`${arena.name}: window ${window + 1} of ${windowCount}`);
      // A window begins at a multiple of its duration, so it touches one calendar minute.
      const [cluster = ''] = arena.sharesOf(window);
      for (const policy of POLICIES) {
        for (const side of SIDES) replayed.push({ run: await arena.work(policy, window, side), cluster });
      }
    }
  }
  const instants = new Set(replayed.map(({ run }) => run.state.order.createdAtMs));
  const known = await marketsAt(
    survey,
    [...instants].sort((one, other) => one - other),
  );
  const orders = replayed.map(({ run, cluster }) => {
    const { order } = run.state;
    const nowMs = order.createdAtMs;
    const { market, depth } = known.get(nowMs)!;
    const previewed = {
      order,
      instrument: survey.instrument,
      market: { ...market, volatility: volatilityBefore(survey, nowMs) },
      depth,
      profile: null,
      seen: seenBefore(survey, nowMs),
      nowMs,
    };
    return comparedOf(previewed, run, { distance: null, cluster });
  });
  return { name, orders };
}

/** What others traded before an instant. */
function seenBefore({ firstAtMs, market }: Survey, beforeMs: EpochMs) {
  return { volume: market.trades.between(firstAtMs, beforeMs - 1).volume, overMs: beforeMs - firstAtMs };
}

/**
 * Standard deviation of the mid's return over a minute, from all returns over a second before an instant. The venue of
 * a replay still shows its prior after some minutes; a service has followed the market for longer.
 */
function volatilityBefore({ firstAtMs, market: { mids } }: Survey, beforeMs: number): number {
  let [squares, count] = [0, 0];
  for (let atMs = firstAtMs + SECOND_MS; atMs < beforeMs; atMs += SECOND_MS) {
    const [earlier, later] = [mids.at(atMs - SECOND_MS), mids.at(atMs)];
    if (earlier === null || later === null) continue;
    squares += Math.log(later / earlier) ** 2;
    count += 1;
  }
  return count === 0 ? 0 : Math.sqrt((squares / count) * (MINUTE_MS / SECOND_MS));
}

/** Plays the recording without an order. Returns the market as a desk at the usual distance sees it at each instant. */
async function marketsAt(
  { recording, instrument, refillHalfLifeMs }: Survey,
  instants: readonly EpochMs[],
): Promise<ReadonlyMap<EpochMs, { readonly market: Market; readonly depth: Depth | null }>> {
  const known = new Map<EpochMs, { market: Market; depth: Depth | null }>();
  const feed = new RecordingFeed(recording, instrument);
  const shown = new MemoryMarketView();
  shown.wantDepth(instrument.index, true);
  const venue = new BacktestVenue({
    instrument,
    streams: feed.streams,
    queueModel: riskAverse,
    refillHalfLifeMs,
    observer: new MarketRecord(),
    outlet: shown,
  });
  const sink = {
    report: () => undefined,
    trade: () => undefined,
    market: (_: unknown, market: Market) => shown.write(instrument.index, market),
  };
  await feed.cover(0 as EpochMs);
  for (const instant of instants) {
    for (let nextMs = venue.nextWakeMs(); nextMs <= instant - LATENCY_MS; nextMs = venue.nextWakeMs()) {
      if (!feed.covers(nextMs)) await feed.cover(nextMs);
      venue.advance(nextMs, sink);
    }
    const book = shown.depth(instrument.index);
    const depth = book === null ? null : new Depth();
    if (book !== null) depth?.set(book);
    known.set(instant, { market: shown.read(instrument.index), depth });
  }
  await feed.close();
  return known;
}
