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
    const significant = (value: number): number => Number(value.toPrecision(digits));
    const rounded: Figure = {
      ...figure,
      value: significant(figure.value),
      ...(figure.reference_value === undefined ? {} : { reference_value: significant(figure.reference_value) }),
      ...(figure.ratio === undefined ? {} : { ratio: significant(figure.ratio) }),
    };
    if (this.#options.isJson) console.log(JSON.stringify({ ...rounded, commit: this.#commit }));
    else this.#printLine(rounded, digits > MEASURED_DIGITS ? digits : SHOWN_DIGITS);
    if (this.#options.isRecorded)
      appendFileSync(HISTORY, `${JSON.stringify({ ...rounded, ...this.#fingerprint() })}\n`);
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
