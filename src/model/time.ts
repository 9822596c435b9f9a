import type { Brand } from './brand.js';

/** An instant: milliseconds since the Unix epoch, of service time unless the name says otherwise. */
export type EpochMs = Brand<number, 'EpochMs'>;
/** A span in milliseconds. */
export type DurationMs = Brand<number, 'DurationMs'>;

/** Time is an argument: whoever needs it is handed a clock. */
export interface Clock {
  /** Service time, which runs SLUICE_SIM_SPEED times as fast as real time and never steps back. */
  nowMs(): EpochMs;
}
