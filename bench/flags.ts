/** What a benchmark may be told besides its name, for those that it concerns. */
export interface Flags {
  /** Of everything that is drawn. */
  readonly seed: number;
  /** Simulated windows; undefined: as many as usual. */
  readonly windows: number | undefined;
  /** Tell what is to be fitted, by orders that judge nothing. */
  readonly isFit: boolean;
  /** Where to write a page with pictures; undefined: nowhere. */
  readonly htmlFile: string | undefined;
}

/** How many windows, or orders, are looked at: as many as the caller asked for, else as many as a quick run or a whole one has. */
export function windowsOf({ windows }: Flags, { isQuick, quick, whole }: WindowCounts): number {
  return windows ?? (isQuick ? quick : whole);
}

interface WindowCounts {
  readonly isQuick: boolean;
  readonly quick: number;
  readonly whole: number;
}

/** A whole number of 0 or more; throws a RangeError that names the flag. */
export function countOf(flag: string, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new RangeError(`--${flag} ${text} is not a whole number`);
}
