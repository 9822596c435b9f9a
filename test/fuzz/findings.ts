/** A violation that the run found. */
export interface Finding {
  /** Index of the request; absent when it concerns no single request. */
  readonly index?: number;
  readonly what: string;
  /** The sent bytes as Latin-1 characters. */
  readonly sent?: string;
}

const FINDINGS_MAX = 50;

/** Keeps the first FINDINGS_MAX findings. */
export class Findings {
  readonly list: Finding[] = [];
  readonly #onFound: (finding: Finding) => void;

  /** `onFound` is called at once, so that a long run shows its findings early. */
  constructor(onFound: (finding: Finding) => void) {
    this.#onFound = onFound;
  }

  add(finding: Finding): void {
    if (this.list.length >= FINDINGS_MAX) return;
    this.list.push(finding);
    this.#onFound(finding);
  }
}

/** Formats a finding with the seed that reproduces it. */
export function findingText({ index, what, sent }: Finding, seed: number): string {
  const where = index === undefined ? `seed ${seed}` : `seed ${seed}, request ${index}`;
  return `${where}: ${what}${sent === undefined ? '' : `\n  sent ${JSON.stringify(sent)}`}`;
}
