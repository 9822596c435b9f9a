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

  add(finding: Finding): void {
    if (this.list.length < FINDINGS_MAX) this.list.push(finding);
  }
}

/** A finding for people, with the seed that leads to it. */
export function findingText({ index, what, sent }: Finding, seed: number): string {
  const where = index === undefined ? `seed ${seed}` : `seed ${seed}, request ${index}`;
  return `${where}: ${what}${sent === undefined ? '' : `\n  sent ${JSON.stringify(sent)}`}`;
}
