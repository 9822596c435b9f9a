/** How long an answer may stay the same: far longer than any pause of a loaded machine. */
export const IDLE_MS = 120_000;
/** How often the same answer must have come as well: a machine that starves the test asks less often. */
const IDLE_LOOKS = 200;
/** An answer that never stops changing is no progress. */
const CHANGING_MS = 480_000;
const POLL_MS = 20;

/**
 * Asks again and again until the answer is as wanted, and resolves with it. It rejects with the last answer when the
 * answer has stayed the same for so long that nothing can be under way.
 */
export async function eventually<Answer>(
  ask: () => Promise<Answer> | Answer,
  isWanted: (answer: Answer) => boolean,
): Promise<Answer> {
  const idle = new Idleness();
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    idle.note(JSON.stringify(answer) ?? 'undefined');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Watches what is seen of something that works, and throws once nothing has moved for too long. */
export class Idleness {
  readonly #idleMs: number;
  readonly #beganMs = performance.now();
  #movedMs = this.#beganMs;
  #seen: string | null = null;
  #looks = 0;

  constructor(idleMs = IDLE_MS) {
    this.#idleMs = idleMs;
  }

  /** Takes the next thing seen. Throws an error that names it when it is the same as for a long time. */
  note(seen: string): void {
    const nowMs = performance.now();
    if (seen !== this.#seen) {
      this.#seen = seen;
      this.#movedMs = nowMs;
      this.#looks = 0;
    }
    this.#looks += 1;
    if (this.#looks >= IDLE_LOOKS && nowMs - this.#movedMs > this.#idleMs) {
      throw new Error(`nothing has moved for ${this.#idleMs} ms; the last seen: ${seen}`);
    }
    if (nowMs - this.#beganMs > CHANGING_MS) {
      throw new Error(`not as wanted within ${CHANGING_MS} ms; the last seen: ${seen}`);
    }
  }
}
