import { type Arena, ASSUMPTIONS, type Condition, GRID, USUAL } from './arena.js';
import { recordingsIn } from '../../src/backtest/recording.js';
import type { DurationMs } from '../../src/domain/time.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';
import type { Half } from '../report.js';
import { instrumentOfRecording } from './recorded-instrument.js';
import { readHeaders } from './recording-header.js';
import { recordedArena, surveyOf } from './recorded-arena.js';
import { simulatedArena } from './simulated-arena.js';

interface ArenaChoice {
  /** Folder with recordings; undefined: none. */
  readonly dataDir: string | undefined;
  /** Number of simulated windows over all markets. */
  readonly windows: number;
  readonly seed: number;
  readonly isQuick: boolean;
  readonly half: Half;
  /** All sizes and durations of recorded orders. */
  readonly isGrid: boolean;
  /** File that describes instruments of recordings; undefined: none. */
  readonly instrumentsFile: string | undefined;
}

interface UnusedRecording {
  readonly recording: string;
  readonly reason: string;
}

interface Arenas {
  readonly arenas: readonly Arena[];
  /** Recordings without an arena. */
  readonly unused: readonly UnusedRecording[];
}

const SIMULATED = ['BTC/USDT', 'BTC/USDT:USDT'] as const;
const SIMULATED_MS = 300_000 as DurationMs;
const QUICK_MS = 20_000 as DurationMs;
/** Short enough for a recording of a minute and a half. */
const QUICK_RECORDED_MS = 9_000 as DurationMs;

/** Returns the arenas: each recording of the folder under each condition, then the simulated markets. */
export async function arenasOf({
  dataDir,
  windows,
  seed,
  isQuick,
  half,
  isGrid,
  instrumentsFile,
}: ArenaChoice): Promise<Arenas> {
  const catalogue = buildCatalogue();
  const headers = instrumentsFile === undefined ? [] : readHeaders(instrumentsFile);
  const arenas: Arena[] = [];
  const unused: UnusedRecording[] = [];
  for (const recording of dataDir === undefined ? [] : recordingsIn(dataDir)) {
    const found = instrumentOfRecording(recording, { catalogue, headers });
    if (found.reason !== null) {
      unused.push({ recording: recording.name, reason: found.reason });
      continue;
    }
    const survey = await surveyOf(recording, found.instrument);
    const worked = conditionsOf(isQuick, isGrid)
      .map((condition) => recordedArena({ survey, condition, half }))
      .filter((arena) => arena.windowCount > 0);
    if (worked.length === 0) unused.push({ recording: recording.name, reason: `no order fits into its ${half} half` });
    arenas.push(...worked.map((arena) => (isQuick ? { ...arena, windowCount: 1 } : arena)));
  }
  const windowCount = Math.ceil(windows / SIMULATED.length);
  for (const symbol of windows > 0 ? SIMULATED : []) {
    const instrument = catalogue.findCanonical('BINANCE', symbol);
    if (instrument === null) throw new Error(`BINANCE lists ${symbol}`);
    arenas.push(await simulatedArena({ instrument, windowCount, durationMs: isQuick ? QUICK_MS : SIMULATED_MS, seed }));
  }
  return { arenas, unused };
}

function conditionsOf(isQuick: boolean, isGrid: boolean): readonly Condition[] {
  if (isQuick) return [{ ...USUAL, durationMs: QUICK_RECORDED_MS }];
  return isGrid ? GRID : ASSUMPTIONS;
}
