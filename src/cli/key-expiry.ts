import { InvalidArgumentError } from 'commander';

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const DURATION = /^([1-9]\d{0,9})([smhdw])$/;
/** With its zone: a key must not end earlier or later where the command is typed. */
const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * When a key ends, as epoch milliseconds: an instant in ISO 8601 (a date alone means midnight UTC), or a time from
 * `nowMs` on such as 90s, 45m, 12h, 30d or 4w. What it refuses ends the program with exit status 2.
 */
export function keyExpiry(text: string, nowMs: number): number {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (unit !== undefined) return nowMs + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  const epochMs = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(epochMs)) throw new InvalidArgumentError('neither ISO 8601 with its zone nor a time such as 30d');
  return epochMs;
}
