import { MARKET_QUESTIONS_WAITING_MAX, QUESTION_STEPS_PER_TURN_MAX } from '../../model/limits.js';
import type { EpochMs } from '../../model/time.js';
import type { MarketReport } from '../../model/venue-message.js';

/** Work on one answer, in steps of about ten microseconds. */
export interface Question {
  /** Who asked. */
  readonly origin: number;
  /** Takes few steps, and somebody waits for it: it goes before those that do not. */
  readonly isBrief: boolean;
  /** Goes on for about so many steps, none when it is 0 or less; returns how many it took. */
  work(steps: number, nowMs: EpochMs): number;
  /** null while it is not complete. */
  answer(nowMs: EpochMs): MarketReport | null;
}

/**
 * Questions about the past of markets, answered in the order in which they came, the brief ones first. An answer may take
 * thousands of steps, so a turn does only some of them: orders do not wait for charts, nor a rate for a month of candles.
 */
export class Questions {
  #waiting: Question[] = [];

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** False when too many wait already. */
  ask(question: Question): boolean {
    if (this.#waiting.length >= MARKET_QUESTIONS_WAITING_MAX) return false;
    const firstLong = question.isBrief ? this.#waiting.findIndex(({ isBrief }) => !isBrief) : -1;
    this.#waiting.splice(firstLong === -1 ? this.#waiting.length : firstLong, 0, question);
    return true;
  }

  /** Works on the questions for one turn and hands over the answers that are complete. */
  work(nowMs: EpochMs, tell: (report: MarketReport, origin: number) => void): void {
    let stepsLeft = QUESTION_STEPS_PER_TURN_MAX;
    let answered = 0;
    for (const question of this.#waiting) {
      stepsLeft -= question.work(stepsLeft, nowMs);
      const report = question.answer(nowMs);
      if (report === null) break;
      tell(report, question.origin);
      answered += 1;
    }
    if (answered > 0) this.#waiting = this.#waiting.slice(answered);
  }
}
