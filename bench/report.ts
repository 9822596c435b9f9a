import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { availableParallelism, hostname } from 'node:os';

/** One figure of a run, as --json prints it. */
export interface Figure {
  readonly bench: string;
  readonly case: string;
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
  readonly reference?: string;
  readonly reference_value?: number;
  readonly ratio?: number;
  /** Bounds of the 95 % confidence interval; null in the JSON output where the data are too few for a bound. */
  readonly low?: number;
  readonly high?: number;
  readonly rounds: number;
}

interface ReportOptions {
  readonly isJson: boolean;
  /** Appends the figures to the history. */
  readonly isRecorded: boolean;
}

const HISTORY = 'bench/history.ndjson';
const MEASURED_DIGITS = 6;
const SHOWN_DIGITS = 4;

/** Prints figures, one JSON object or one table line each, and appends them to the history. */
export class Report {
  readonly #options: ReportOptions;
  readonly #commit = commit();
  #hasHeader = false;

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  /** Prints and records a figure. `digits` are significant digits; computed figures have more than measured ones. */
  add(figure: Figure, digits = MEASURED_DIGITS): void {
    const rounded = roundedTo(digits, figure);
    if (this.#options.isJson) this.detail(rounded, digits);
    else this.#printLine(rounded, digits > MEASURED_DIGITS ? digits : SHOWN_DIGITS);
    this.record(rounded);
  }

  /** Prints a figure in JSON output only. The table and the history get `text` and `record` instead. */
  detail(figure: Figure, digits = MEASURED_DIGITS): void {
    if (!this.#options.isJson) return;
    console.log(JSON.stringify({ ...roundedTo(digits, figure), commit: this.#commit }));
  }

  /** Prints a line of the table. */
  text(line: string): void {
    if (!this.#options.isJson) console.log(line);
  }

  /** Appends a line to the history when the run is recorded. */
  record(result: object): void {
    if (!this.#options.isRecorded) return;
    appendFileSync(HISTORY, `${JSON.stringify({ ...result, ...this.#fingerprint() })}\n`);
  }

  /** Prints the present step to standard error. */
  progress(text: string): void {
    if (!this.#options.isJson) process.stderr.write(`  … ${text}\n`);
  }

  #printLine(figure: Figure, digits: number): void {
    const format = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: digits });
    if (!this.#hasHeader) {
      console.log(line(['case', 'metric', 'value', 'unit', 'ratio', 'reference']));
      this.#hasHeader = true;
    }
    const reference =
      figure.reference === undefined ? '' : `${figure.reference} ${format(figure.reference_value ?? 0)}`;
    const ratio = figure.ratio === undefined ? '' : format(figure.ratio);
    const { low, high } = figure;
    const interval = low === undefined || high === undefined ? '' : `  [${format(low)}, ${format(high)}]`;
    console.log(line([figure.case, figure.metric, format(figure.value), figure.unit, ratio, reference + interval]));
  }

  #fingerprint(): object {
    return {
      commit: this.#commit,
      date: new Date().toISOString(),
      host: hostname(),
      cores: availableParallelism(),
      node: process.version,
    };
  }
}

function roundedTo(digits: number, figure: Figure): Figure {
  const significant = (value: number): number => Number(value.toPrecision(digits));
  const { value, reference_value, ratio, low, high } = figure;
  return {
    ...figure,
    value: significant(value),
    ...(reference_value !== undefined && { reference_value: significant(reference_value) }),
    ...(ratio !== undefined && { ratio: significant(ratio) }),
    ...(low !== undefined && { low: significant(low) }),
    ...(high !== undefined && { high: significant(high) }),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** The cells of a line, as texts. */
type Cells = readonly [name: string, metric: string, value: string, unit: string, ratio: string, reference: string];

function line([name, metric, value, unit, ratio, reference]: Cells): string {
  return `${name.padEnd(34)} ${metric.padEnd(21)} ${value.padStart(12)} ${unit.padEnd(5)} ${ratio.padStart(8)}  ${reference}`;
}

function commit(): string {
  return git('rev-parse', '--short', 'HEAD') ?? 'unknown';
}

/** True for a release commit: a tag points at HEAD and the tree is clean. The history file itself may have changed. */
export function isRelease(): boolean {
  const tags = git('tag', '--points-at', 'HEAD');
  return tags !== null && tags !== '' && git('status', '--porcelain', '--', '.', `:!${HISTORY}`) === '';
}

/** Output of a git command; null when it fails. */
function git(...args: readonly string[]): string | null {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}

/** A part of recorded data: one chooses the numbers of the strategies, the other judges them. */
export type Half = 'tune' | 'judge';

/** Flags of single benchmarks. */
export interface Flags {
  /** Seed of all random numbers. */
  readonly seed: number;
  /** Number of simulated windows or orders; undefined: the default of the benchmark. */
  readonly windows: number | undefined;
  /** Works recorded orders of all sizes and durations. */
  readonly isGrid: boolean;
  /** Prints fitted parameters, from orders other than those that check them. */
  readonly isFit: boolean;
  readonly half: Half;
  /** Part of the names of candle files whose volume counts the quote currency; undefined: none. */
  readonly quoteVolume: string | undefined;
  /** File that describes instruments of recordings that the catalogue does not know; undefined: none. */
  readonly instrumentsFile: string | undefined;
  /** File for a page with charts; undefined: no page. */
  readonly htmlFile: string | undefined;
}

/** Number of windows or orders: the flag, or the default of a quick or a full run. */
export function windowsOf({ windows }: Flags, { isQuick, quick, whole }: WindowCounts): number {
  return windows ?? (isQuick ? quick : whole);
}

interface WindowCounts {
  readonly isQuick: boolean;
  readonly quick: number;
  readonly whole: number;
}

/** Parses a whole number from 0 on. Throws a RangeError that names the flag. */
export function countOf(flag: string, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new RangeError(`--${flag} ${text} is not a whole number`);
}

/** Parses --half. Throws a RangeError for any other text. */
export function halfOf(text: string): Half {
  if (text === 'tune' || text === 'judge') return text;
  throw new RangeError(`--half ${text} is neither tune nor judge`);
}

/**
 * The units of a half, such as days or windows in order of time: of `count`, the first `tunePart` chose, the rest
 * judges.
 */
export function unitsOf(half: Half, count: number, tunePart: number): { readonly from: number; readonly to: number } {
  const firstJudged = Math.floor(count * tunePart);
  return half === 'tune' ? { from: 0, to: firstJudged } : { from: firstJudged, to: count };
}
