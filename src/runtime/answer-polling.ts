import { monotonicMs } from './clock.js';

const COMMANDS_MAX = 2;
const POLL_MS = 0.6;

interface AnswerPollingParts {
  /** Commands without an answer. */
  readonly pendingCount: () => number;
  /** Takes the messages of the other threads. */
  readonly drain: () => void;
}

/**
 * Polls for the answers of one or two pending commands. That saves about 60 µs compared to a wake-up. With more commands
 * the loop is busy anyway, and the shards need the processor.
 */
export class AnswerPolling {
  readonly #parts: AnswerPollingParts;
  #isRunning = false;
  #untilMs = 0;

  constructor(parts: AnswerPollingParts) {
    this.#parts = parts;
  }

  /** Call it after each sent command. */
  onSent(): void {
    if (this.#parts.pendingCount() > COMMANDS_MAX) return;
    this.#untilMs = monotonicMs() + POLL_MS;
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(this.#poll);
  }

  readonly #poll = (): void => {
    this.#parts.drain();
    this.#isRunning = this.#parts.pendingCount() > 0 && monotonicMs() < this.#untilMs;
    if (this.#isRunning) setImmediate(this.#poll);
  };
}
