import type { Brand } from './ids.js';
import { CLOCK_CONFIRM_MS_MAX, CLOCK_ERROR_MS_MIN, CLOCK_GAP_MS_MAX, CLOCK_STOP_MS_MAX } from './limits/process.js';
/** An instant: milliseconds since the Unix epoch, in service time unless the name says otherwise. */
export type EpochMs = Brand<number, 'EpochMs'>;
/** A span in milliseconds. */
export type DurationMs = Brand<number, 'DurationMs'>;

/** A clock is an argument of the code that needs the time. */
export interface Clock {
  /** Service time. It runs SLUICE_SIM_SPEED times as fast as real time and never steps back. */
  nowMs(): EpochMs;
}

/** The clock of a thread that waits until an instant. */
export interface ThreadClock extends Clock {
  /** Real milliseconds until a service instant at the present pace; 0 after the instant. */
  realMsUntil(instantMs: number): number;
}

/** The last state of the clocks on disk. Service time was wallMs + leadMs + errorMs. */
export interface ClockRecord {
  readonly wallMs: number;
  /** The part of service time − wall clock that comes from simulated speeds. */
  readonly leadMs: number;
  /** The rest of the difference. It is slewed away. */
  readonly errorMs: number;
  readonly speed: number;
  /** Id of the machine's boot, and the time since that boot with suspends; '' and null when the system has none. */
  readonly bootId: string;
  readonly uptimeMs: number | null;
}

/** The clocks that a start reads. */
export interface ClockSighting {
  readonly wallMs: number;
  readonly bootId: string;
  readonly uptimeMs: number | null;
  /** Latest service time in the journal; 0: the journal is empty. */
  readonly lastServiceMs: number;
  readonly speed: number;
  /** The present time as the operator states it; null: not stated. */
  readonly confirmedMs: number | null;
}

const NO_RECORD = { leadMs: 0, errorMs: 0, speed: 1, bootId: '', uptimeMs: null } as const;

type ClockVerdict =
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'accepted'; readonly serviceMs: number; readonly leadMs: number; readonly errorMs: number };

/** Difference between the wall clock and its expected value; positive when the clock is ahead. */
interface Gap {
  readonly ms: number;
  readonly boundMs: number;
  readonly evidence: string;
  /** Real time since the record was made, as far as known. */
  readonly elapsedMs: number;
}

/**
 * Decides the service time of a start, or refuses the wall clock.
 *
 * Within one boot the uptime measures how long the service was off, so any gap is a step of the clock. After a reboot a
 * clock that is late is certainly wrong. A clock that is ahead may be right: the service may have been off. A stop is
 * accepted up to CLOCK_STOP_MS_MAX. Without a record the latest service time in the journal replaces it. At a simulated
 * speed that time has no relation to real time.
 */
export function judgeClock(record: ClockRecord | null, sighting: ClockSighting): ClockVerdict {
  const { wallMs, lastServiceMs, speed, confirmedMs } = sighting;
  if (record === null && (lastServiceMs === 0 || speed !== 1)) {
    const serviceMs = Math.max(wallMs, lastServiceMs);
    return { kind: 'accepted', serviceMs, leadMs: serviceMs - wallMs, errorMs: 0 };
  }
  const isConfirmed = confirmedMs !== null && Math.abs(wallMs - confirmedMs) <= CLOCK_CONFIRM_MS_MAX;
  const known = record ?? { ...NO_RECORD, wallMs: lastServiceMs };
  const gap = gapOf(known, sighting);
  if (Math.abs(gap.ms) > gap.boundMs && !isConfirmed) return { kind: 'refused', reason: refusalOf(gap, sighting) };

  const stepMs = wallMs - (known.wallMs + gap.elapsedMs);
  const carriedMs = known.errorMs - stepMs;
  const errorMs = Math.abs(carriedMs) <= CLOCK_ERROR_MS_MIN ? 0 : carriedMs;
  // A stop uses up the lead of simulated speeds: service time starts at the real time again. A killed run is different:
  // its last seconds are in the journal and not in the record.
  const restedMs = Math.max(0, known.leadMs - gap.elapsedMs);
  const serviceMs = Math.max(lastServiceMs, wallMs + restedMs + errorMs);
  const aheadMs = serviceMs - wallMs - errorMs;
  const leadMs = known.speed === 1 ? Math.min(aheadMs, Math.max(0, known.leadMs)) : aheadMs;
  const excessMs = aheadMs - leadMs;
  if (excessMs > CLOCK_GAP_MS_MAX && !isConfirmed) {
    const evidence = 'by the latest service time in the journal';
    const ahead = { ...gap, ms: -excessMs, boundMs: CLOCK_GAP_MS_MAX, evidence };
    return { kind: 'refused', reason: refusalOf(ahead, sighting) };
  }
  return { kind: 'accepted', serviceMs, leadMs, errorMs: errorMs + excessMs };
}

function gapOf(known: ClockRecord, { wallMs, bootId, uptimeMs, speed }: ClockSighting): Gap {
  if (bootId !== '' && bootId === known.bootId && uptimeMs !== null && known.uptimeMs !== null) {
    const elapsedMs = Math.max(0, uptimeMs - known.uptimeMs);
    const evidence = 'by the uptime since the service last ran';
    return { ms: wallMs - known.wallMs - elapsedMs, boundMs: CLOCK_GAP_MS_MAX, evidence, elapsedMs };
  }
  const ms = wallMs - known.wallMs;
  const isAhead = ms >= 0;
  // At a simulated speed no real order depends on the time.
  const stopMs = speed === 1 ? CLOCK_STOP_MS_MAX : Infinity;
  return {
    ms,
    boundMs: isAhead ? stopMs : CLOCK_GAP_MS_MAX,
    evidence: isAhead ? 'after the service last ran, and the machine has been rebooted' : 'when the service last ran',
    elapsedMs: Math.max(0, ms),
  };
}

function refusalOf({ ms, boundMs, evidence }: Gap, { wallMs, confirmedMs }: ClockSighting): string {
  const apart = `${spanText(Math.abs(ms))} ${ms > 0 ? 'later' : 'earlier'} than ${timeText(wallMs - ms)}`;
  const stated = confirmedMs === null ? '' : ` SLUICE_CLOCK_CONFIRM=${timeText(confirmedMs)} is not the time it shows.`;
  return (
    `the wall clock shows ${timeText(wallMs)}, ${apart}, the time expected ${evidence}; ` +
    `the bound is ${spanText(boundMs)}.${stated} Correct the clock, or, when it is right, start once with ` +
    'SLUICE_CLOCK_CONFIRM=<the present time of another clock, such as 2026-01-31T09:30:00Z>'
  );
}

function timeText(ms: number): string {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : String(ms);
}

const UNITS = [
  ['days', 86_400],
  ['hours', 3_600],
  ['minutes', 60],
] as const;

/** A duration as text, such as `4 days`. */
export function spanText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const unit = UNITS.find(([, unitSeconds]) => seconds >= 2 * unitSeconds);
  return unit === undefined ? `${seconds} seconds` : `${Number((seconds / unit[1]).toFixed(1))} ${unit[0]}`;
}
