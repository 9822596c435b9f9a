import { SILENCE_PER_CHECK_MS_MAX, TERMINATION_MS_MAX, THREAD_START_MS_MAX } from '../domain/limits/process.js';

/**
 * Measures how long a thread's heartbeat has not changed. Each check counts at most SILENCE_PER_CHECK_MS_MAX: a longer
 * gap means that the checking thread or the whole process was stopped, and proves nothing about the thread.
 */
export class HeartbeatMonitor {
  #beat: number | null = null;
  #checkedAtMs = 0;
  #silenceMs = 0;

  get silenceMs(): number {
    return this.#silenceMs;
  }

  /** Takes the present heartbeat. Returns the silence in milliseconds. Call it about once a second. */
  update(beat: number, nowMs: number): number {
    const isSame = beat === this.#beat;
    this.#silenceMs = isSame ? this.#silenceMs + Math.min(nowMs - this.#checkedAtMs, SILENCE_PER_CHECK_MS_MAX) : 0;
    this.#beat = beat;
    this.#checkedAtMs = nowMs;
    return this.#silenceMs;
  }

  /** Resets the measurement when the thread starts again. */
  reset(): void {
    this.#beat = null;
    this.#silenceMs = 0;
  }
}

export interface WatchedThread {
  readonly name: string;
  readonly beat: () => number;
  readonly isUp: () => boolean;
  /** False for a thread of the journal: it may hold LMDB's lock, or an unfinished write. */
  readonly isRestartable: boolean;
  /** Silence that is reported, and silence that ends the thread. */
  readonly silenceMsWarning: number;
  readonly silenceMsMax: number;
}

interface ThreadWatchParts {
  readonly nowMs: () => number;
  readonly log: { error(context: object, message: string): void; info(context: object, message: string): void };
  /** Terminates the thread. It is started again after its end. */
  readonly terminate: (name: string, reason: string) => void;
  /** Called when the thread cannot be terminated: the process must end at once. */
  readonly onStuck: (reason: string) => void;
}

interface Watched extends WatchedThread {
  readonly meter: HeartbeatMonitor;
  /** True when it had started at the last check. */
  wasUp: boolean;
  isReported: boolean;
  isTerminating: boolean;
}

/**
 * Watches the heartbeats of the worker threads. Logs a silent thread and makes the service not ready. Beyond its
 * limit the thread is terminated and started again. Where that is impossible the process ends.
 */
export class ThreadWatch {
  readonly #parts: ThreadWatchParts;
  readonly #threads: readonly Watched[];

  constructor(threads: readonly WatchedThread[], parts: ThreadWatchParts) {
    this.#parts = parts;
    this.#threads = threads.map((thread) => ({
      ...thread,
      meter: new HeartbeatMonitor(),
      wasUp: false,
      isReported: false,
      isTerminating: false,
    }));
  }

  /** Milliseconds since the last heartbeat of each thread. */
  get silences(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#threads.map(({ name, meter }) => [name, meter.silenceMs]));
  }

  /** Names of the threads whose heartbeat has stopped. */
  get silent(): readonly string[] {
    return this.#threads.filter(({ isReported }) => isReported).map(({ name }) => name);
  }

  /** Call it about once a second. */
  check(): void {
    const nowMs = this.#parts.nowMs();
    for (const thread of this.#threads) {
      const isUp = thread.isUp();
      // A thread beats only after its start, which takes seconds on a loaded machine and is no silence.
      if (isUp && !thread.wasUp) thread.meter.reset();
      thread.wasUp = isUp;
      this.#judge(thread, thread.meter.update(thread.beat(), nowMs));
    }
  }

  /** Resets a thread that has ended, for its successor. */
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

  /** A shard may recover for a long time. It has no limit, because the readiness reports it. */
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
