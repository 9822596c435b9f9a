import {
  KEEPER_SILENCE_MS_MAX,
  KEEPER_SILENCE_MS_WARNING,
  MAIN_SILENCE_MS_MAX,
  SHARD_SILENCE_MS_MAX,
  THREAD_SILENCE_MS_MAX,
  THREAD_SILENCE_MS_WARNING,
  THREAD_SILENCE_MS_WARNING_MIN,
} from '../domain/limits/process.js';

/** Silence of a thread in milliseconds: the first bound is reported, the second one ends the thread or the process. */
export interface SilenceBound {
  readonly warningMs: number;
  readonly maxMs: number;
}

export interface SilenceBounds {
  readonly shard: SilenceBound;
  readonly keeper: SilenceBound;
  readonly main: SilenceBound;
  /** Of every other thread. */
  readonly thread: SilenceBound;
}

/** The bounds for a value of SLUICE_HANG_S in milliseconds, which is the bound of most threads. */
export function silenceBounds(hangMs: number): SilenceBounds {
  const bound = (warningMs: number, maxMs: number): SilenceBound => ({
    warningMs: Math.max(THREAD_SILENCE_MS_WARNING_MIN, scaled(warningMs, hangMs)),
    maxMs: scaled(maxMs, hangMs),
  });
  return {
    shard: bound(THREAD_SILENCE_MS_WARNING, SHARD_SILENCE_MS_MAX),
    keeper: bound(KEEPER_SILENCE_MS_WARNING, KEEPER_SILENCE_MS_MAX),
    main: bound(THREAD_SILENCE_MS_WARNING, MAIN_SILENCE_MS_MAX),
    thread: bound(THREAD_SILENCE_MS_WARNING, THREAD_SILENCE_MS_MAX),
  };
}

function scaled(ms: number, hangMs: number): number {
  return Math.round((ms * hangMs) / THREAD_SILENCE_MS_MAX);
}
