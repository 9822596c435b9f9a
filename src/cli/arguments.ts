import { type Command, InvalidArgumentError, Option } from 'commander';
import { asciiUpper } from '../domain/letter-case.js';

/** Parsers of command-line arguments. A refused argument ends the program with exit status 2. */

/** Parses an integer from 1 to 2^53 - 1. */
export function positiveInteger(text: string): number {
  const value = Number(text);
  if (/^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('not a positive integer');
}

/** Parses an instant, given as epoch milliseconds or in ISO 8601. Returns epoch milliseconds. */
export function instant(text: string): number {
  const epochMs = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isSafeInteger(epochMs)) return epochMs;
  throw new InvalidArgumentError('neither ISO 8601 nor epoch milliseconds');
}

/** Collects the values of a variadic argument or option. */
export function several<Value>(read: (text: string) => Value): (text: string, before?: readonly Value[]) => Value[] {
  return (text, before = []) => [...before, read(text)];
}

/** An option with a fixed set of values. Letter case is ignored. */
export function choice(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values).argParser((text: string) => {
    const value = asciiUpper(text);
    if (!values.includes(value)) throw new InvalidArgumentError(`allowed are ${values.join(', ')}`);
    return value;
  });
}

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const DURATION = /^([1-9]\d{0,9})([smhdw])$/;
/** Requires a time zone, so that the expiry does not depend on the zone of the terminal. */
const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * Parses the expiry of a key. Accepts an instant in ISO 8601 (a date alone means midnight UTC) or a duration from
 * `nowMs` such as 90s, 45m, 12h, 30d or 4w. Returns epoch milliseconds.
 */
export function keyExpiry(text: string, nowMs: number): number {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (unit !== undefined) return nowMs + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  const epochMs = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(epochMs))
    throw new InvalidArgumentError('neither ISO 8601 with a time zone nor a duration such as 30d');
  return epochMs;
}

const REASON_CHARACTERS_MAX = 256;
const PRINTABLE = new RegExp(`^[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S} ]{1,${REASON_CHARACTERS_MAX}}$`, 'u');

/** Adds the option --reason to a command whose action is in the audit log. */
export function withReason(command: Command): Command {
  return command.option('--reason <text>', 'why; stored in the audit log', auditReason);
}

function auditReason(text: string): string {
  if (text.trim() !== '' && PRINTABLE.test(text)) return text;
  throw new InvalidArgumentError(`not 1 to ${REASON_CHARACTERS_MAX} printable characters`);
}

/** The examples at the end of a help text, one command a line. */
export function examples(...commands: readonly string[]): string {
  return ['', 'Examples:', ...commands.map((command) => `  $ ${command}`)].join('\n');
}
