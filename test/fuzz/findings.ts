/** Something that should not be. */
export interface Finding {
  /** Of the request; absent when it is of no single one. */
  readonly index?: number;
  readonly what: string;
  /** What was sent, byte for byte as Latin-1 characters. */
  readonly sent?: string;
}

const FINDINGS_MAX = 50;

/** What was found, as far as anybody would read it. */
export class Findings {
  readonly list: Finding[] = [];
  readonly #onFound: (finding: Finding) => void;

  /** `onFound` is called at once: a long run shows what it finds while it goes on. */
  constructor(onFound: (finding: Finding) => void) {
    this.#onFound = onFound;
  }

  add(finding: Finding): void {
    if (this.list.length >= FINDINGS_MAX) return;
    this.list.push(finding);
    this.#onFound(finding);
  }
}

/** A finding for people, with the seed that leads to it. */
export function findingText({ index, what, sent }: Finding, seed: number): string {
  const where = index === undefined ? `seed ${seed}` : `seed ${seed}, request ${index}`;
  return `${where}: ${what}${sent === undefined ? '' : `\n  sent ${JSON.stringify(sent)}`}`;
}
