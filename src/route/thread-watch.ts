import { TERMINATION_MS_MAX, THREAD_START_MS_MAX } from '../model/limits.js';
import { SilenceMeter } from './silence-meter.js';

export interface WatchedThread {
  readonly name: string;
  readonly beat: () => number;
  readonly isUp: () => boolean;
  /** A shard may hold the journal's lock: it cannot be terminated alone. */
  readonly isRestartable: boolean;
  /** Silence that is reported, and silence that ends the thread. */
  readonly silenceMsWarning: number;
  readonly silenceMsMax: number;
}

export interface ThreadWatchParts {
  readonly nowMs: () => number;
  readonly log: { error(context: object, message: string): void; info(context: object, message: string): void };
  /** The thread is to be terminated; it is started again when it has ended. */
  readonly terminate: (name: string, reason: string) => void;
  /** The thread cannot be terminated: the process must end at once. */
  readonly onStuck: (reason: string) => void;
}

interface Watched extends WatchedThread {
  readonly meter: SilenceMeter;
  isReported: boolean;
  isTerminating: boolean;
}

/**
 * Watches the beats of the worker threads. A silent one is logged and makes the service not ready. Over its bound it
 * is terminated and started again, or the process ends where that cannot work.
 */
export class ThreadWatch {
  readonly #parts: ThreadWatchParts;
  readonly #threads: readonly Watched[];

  constructor(threads: readonly WatchedThread[], parts: ThreadWatchParts) {
    this.#parts = parts;
    this.#threads = threads.map((thread) => ({
      ...thread,
      meter: new SilenceMeter(),
      isReported: false,
      isTerminating: false,
    }));
  }

  /** Milliseconds since each thread was last seen moving. */
  get silences(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#threads.map(({ name, meter }) => [name, meter.silenceMs]));
  }

  /** Names of the threads that should move and do not. */
  get silent(): readonly string[] {
    return this.#threads.filter(({ isReported }) => isReported).map(({ name }) => name);
  }

  /** To be called about once a second. */
  look(): void {
    const nowMs = this.#parts.nowMs();
    for (const thread of this.#threads) this.#judge(thread, thread.meter.look(thread.beat(), nowMs));
  }

  /** The thread has ended: another one takes its place. */
  forget(name: string): void {
    const thread = this.#threads.find((one) => one.name === name);
    if (thread === undefined) return;
    thread.meter.reset();
    thread.isTerminating = false;
    thread.isReported = false;
  }

  #judge(thread: Watched, silenceMs: number): void {
    const { name, isRestartable } = thread;
    if (!thread.isUp()) return this.#judgeStart(thread, silenceMs);
    this.#report(thread, silenceMs);
    if (silenceMs < thread.silenceMsMax) return;
    const reason = `${name} has made no turn for ${Math.round(silenceMs / 1000)} s`;
    if (!isRestartable || silenceMs >= thread.silenceMsMax + TERMINATION_MS_MAX) return this.#parts.onStuck(reason);
    if (thread.isTerminating) return;
    thread.isTerminating = true;
    this.#parts.terminate(name, reason);
  }

  /** A shard may recover for long: it is awaited without a bound, as its readiness says. */
  #judgeStart({ name, isRestartable }: Watched, silenceMs: number): void {
    if (!isRestartable || silenceMs < THREAD_START_MS_MAX) return;
    this.#parts.onStuck(`${name} has not started within ${Math.round(silenceMs / 1000)} s`);
  }

  #report(thread: Watched, silenceMs: number): void {
    const isSilent = silenceMs >= thread.silenceMsWarning;
    if (isSilent === thread.isReported) return;
    thread.isReported = isSilent;
    const { name } = thread;
    if (isSilent) this.#parts.log.error({ thread: name, silenceMs: Math.round(silenceMs) }, 'a thread does not move');
    else this.#parts.log.info({ thread: name }, 'the thread moves again');
  }
}
