import type { Arena } from './arena.js';
import { isRecordingOf, recordingsIn } from '../../src/backtest/recording.js';
import type { DurationMs } from '../../src/domain/time.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';
import { recordedArena } from './recorded-arena.js';
import { simulatedArena } from './simulated-arena.js';

interface ArenaChoice {
  /** Folder with recordings; undefined: none. */
  readonly dataDir: string | undefined;
  /** Number of simulated windows over all markets. */
  readonly windows: number;
  readonly seed: number;
  readonly isQuick: boolean;
}

const SIMULATED = ['BTC/USDT', 'BTC/USDT:USDT'] as const;
/** Recordings last some minutes, and many short windows give more observations than a long one. */
const RECORDED_MS = 60_000 as DurationMs;
const SIMULATED_MS = 300_000 as DurationMs;
const QUICK_MS = 20_000 as DurationMs;

/** Returns the arenas: each recording of the folder, then the simulated markets. */
export async function arenasOf({ dataDir, windows, seed, isQuick }: ArenaChoice): Promise<Arena[]> {
  const catalogue = buildCatalogue();
  const arenas: Arena[] = [];
  for (const recording of dataDir === undefined ? [] : recordingsIn(dataDir)) {
    const instrument = catalogue.instruments.find((one) => isRecordingOf(recording, one));
    if (instrument === undefined) continue;
    const durationMs = isQuick ? QUICK_MS : RECORDED_MS;
    const arena = await recordedArena({ recording, instrument, catalogue, durationMs });
    arenas.push(isQuick ? { ...arena, windowCount: Math.min(1, arena.windowCount) } : arena);
  }
  const windowCount = Math.ceil(windows / SIMULATED.length);
  for (const symbol of windows > 0 ? SIMULATED : []) {
    const instrument = catalogue.findCanonical('BINANCE', symbol);
    if (instrument === null) throw new Error(`BINANCE lists ${symbol}`);
    arenas.push(await simulatedArena({ instrument, windowCount, durationMs: isQuick ? QUICK_MS : SIMULATED_MS, seed }));
  }
  return arenas.filter((arena) => arena.windowCount > 0);
}
