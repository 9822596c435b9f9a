import { PROBLEMS_COUNT_MAX } from '../model/limits.js';

/** A bounded list of findings, in words. */
export class ProblemList {
  readonly list: string[] = [];

  get isFull(): boolean {
    return this.list.length >= PROBLEMS_COUNT_MAX;
  }

  add(problem: string): void {
    if (!this.isFull) this.list.push(problem);
  }
}
