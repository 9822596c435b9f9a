import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { availableParallelism, hostname } from 'node:os';

/** One figure of a run, as `--json` prints it. */
export interface Figure {
  readonly bench: string;
  readonly case: string;
  readonly metric: string;
  readonly value: number;
  readonly unit: string;
  readonly reference?: string;
  readonly reference_value?: number;
  readonly ratio?: number;
  /** Bounds of the interval that covers the true value in 95 % of runs like this. */
  readonly low?: number;
  readonly high?: number;
  readonly rounds: number;
}

export interface ReportOptions {
  readonly isJson: boolean;
  readonly isRecorded: boolean;
}

const HISTORY = 'bench/history.ndjson';
const MEASURED_DIGITS = 6;
const SHOWN_DIGITS = 4;

/** Prints figures as they come: one JSON object a line, or a table line for people. */
export class Report {
  readonly #options: ReportOptions;
  readonly #commit = commit();
  #hasHeader = false;

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  /** `digits` are significant: more than usual for what is computed and not measured. */
  add(figure: Figure, digits = MEASURED_DIGITS): void {
    const rounded = roundedTo(digits, figure);
    if (this.#options.isJson) this.detail(rounded, digits);
    else this.#printLine(rounded, digits > MEASURED_DIGITS ? digits : SHOWN_DIGITS);
    this.record(rounded);
  }

  /** One of very many figures: for `--json` alone. People are told by `text`, the history by `record`. */
  detail(figure: Figure, digits = MEASURED_DIGITS): void {
    if (!this.#options.isJson) return;
    console.log(JSON.stringify({ ...roundedTo(digits, figure), commit: this.#commit }));
  }

  /** A line for people. */
  text(line: string): void {
    if (!this.#options.isJson) console.log(line);
  }

  /** A line of the history, when one was asked for. */
  record(result: object): void {
    if (!this.#options.isRecorded) return;
    appendFileSync(HISTORY, `${JSON.stringify({ ...result, ...this.#fingerprint() })}\n`);
  }

  /** For people only: what is being measured right now. */
  progress(text: string): void {
    if (!this.#options.isJson) process.stderr.write(`  … ${text}\n`);
  }

  #printLine(figure: Figure, digits: number): void {
    const format = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: digits });
    if (!this.#hasHeader) {
      console.log(line('case', 'metric', 'value', 'unit', 'ratio', 'reference'));
      this.#hasHeader = true;
    }
    const reference =
      figure.reference === undefined ? '' : `${figure.reference} ${format(figure.reference_value ?? 0)}`;
    const ratio = figure.ratio === undefined ? '' : format(figure.ratio);
    console.log(line(figure.case, figure.metric, format(figure.value), figure.unit, ratio, reference));
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

function line(name: string, metric: string, value: string, unit: string, ratio: string, reference: string): string {
  return `${name.padEnd(34)} ${metric.padEnd(12)} ${value.padStart(12)} ${unit.padEnd(5)} ${ratio.padStart(8)}  ${reference}`;
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
