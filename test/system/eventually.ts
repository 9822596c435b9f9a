import { SluiceError, type OrderSummary, type SluiceClient } from '../../src/client/index.js';

/** How long an answer may stay the same: far longer than any pause of a loaded machine. */
export const IDLE_MS = 120_000;
/** How often the same answer must have come as well: a machine that starves the test asks less often. */
const IDLE_LOOKS = 200;
/** An answer that never stops changing is no progress. */
const CHANGING_MS = 480_000;
/** The first pause between two looks. Each pause is longer than the one before, up to the longest. */
const POLL_MS = 20;
const POLL_MS_MAX = 100;
const POLL_GROWTH = 1.1;

/**
 * Asks again and again until the answer is as wanted, and resolves with it. It rejects with the last answer when the
 * answer has not changed for so long that no work can be in progress.
 */
export async function eventually<Answer>(
  ask: () => Promise<Answer> | Answer,
  isWanted: (answer: Answer) => boolean,
): Promise<Answer> {
  const idle = new Idleness();
  for (let pollMs = POLL_MS; ; pollMs = Math.min(POLL_MS_MAX, pollMs * POLL_GROWTH)) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    idle.note(JSON.stringify(answer) ?? 'undefined');
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Ends the refusal of a request while the stored state lacks an answered turn. Nothing was done. */
const STORE_BEHIND = /being stored; nothing was \w+, try again$/;
const BATCHES: ReadonlySet<unknown> = new Set(['createMany', 'createManyMultiLegs', 'cancelMany']);

/**
 * The client, with requests and members of batches repeated while the stored state is behind: a commit of a loaded
 * machine may take more than a second. Every other refusal is passed on at once.
 */
export function onceStored(client: SluiceClient): SluiceClient {
  return new Proxy(client, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      const ask = (...args: unknown[]): unknown => Reflect.apply(member, target, args);
      if (name === 'close') return ask;
      const asked = (...args: unknown[]): Promise<unknown> => repeatedWhileBehind(() => ask(...args));
      return BATCHES.has(name) ? (members: unknown[]) => batchOnceStored(asked as Batch, members) : asked;
    },
  });
}

async function repeatedWhileBehind(ask: () => unknown): Promise<unknown> {
  const idle = new Idleness();
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof SluiceError) || !isStoreBehind(error.code, error.message)) throw error;
      idle.note(error.message);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS_MAX));
  }
}

type Batch = (members: readonly unknown[]) => Promise<readonly OrderSummary[]>;

async function batchOnceStored(ask: Batch, members: readonly unknown[]): Promise<readonly OrderSummary[]> {
  const summaries = [...(await ask(members))];
  const idle = new Idleness();
  for (;;) {
    const behind = [...summaries.keys()].filter((at) => {
      const { error_code: code, message } = summaries[at]!;
      return isStoreBehind(code, message);
    });
    if (behind.length === 0) return summaries;
    idle.note(`${behind.length} members wait for the store`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS_MAX));
    const again = await ask(behind.map((at) => members[at]));
    for (const [index, at] of behind.entries()) summaries[at] = again[index]!;
  }
}

function isStoreBehind(code: string | undefined, message = ''): boolean {
  return code === 'SYSTEM_BUSY' && STORE_BEHIND.test(message);
}

/** Watches the observed state of some work. Throws when it has not changed for too long. */
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
