import { InvalidArgumentError, Option } from 'commander';

/** Readers of command-line arguments; what they refuse ends the program with exit status 2. */

/** An integer from 1 to 2^53 - 1. */
export function positiveInteger(text: string): number {
  const value = Number(text);
  if (/^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('not a positive integer');
}

/** An instant as epoch milliseconds, written as such or in ISO 8601. */
export function instant(text: string): number {
  const epochMs = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isSafeInteger(epochMs)) return epochMs;
  throw new InvalidArgumentError('neither ISO 8601 nor epoch milliseconds');
}

/** One or more of what `read` reads, as a variadic argument or option gathers them. */
export function several<Value>(read: (text: string) => Value): (text: string, before?: readonly Value[]) => Value[] {
  return (text, before = []) => [...before, read(text)];
}

/** One of a few values, in any letter case. */
export function choice(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values).argParser((text: string) => {
    const value = text.toUpperCase();
    if (!values.includes(value)) throw new InvalidArgumentError(`allowed are ${values.join(', ')}`);
    return value;
  });
}
