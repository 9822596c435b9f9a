import { writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { pino, type Logger } from 'pino';
import { assert } from '../domain/rejection.js';
import { LOG_FLUSH_MS_MAX, LOG_RING_BYTES } from '../domain/limits/process.js';
import { BellRinger, type BlockingBell, createBell } from '../wire/bell.js';
import { createRing, RingConsumer, RingProducer } from '../wire/ring.js';
import type { LogMemory, LogWriterWorkerData } from '../wire/worker-data.js';

/*
 * Path of a log line:
 *
 *     any thread ─▶ its ring ─▶ log writer thread ─▶ descriptor 1
 *                    │ full: the line is dropped and counted; a notice follows when there is room
 *
 * Only the writer blocks when no process reads the descriptor. A fatal line waits for its write, for a bounded time.
 */

/** Words of `LogMemory.counts`: lines sent, lines written, and lines dropped since the last notice. */
const SENT = 0;
const WRITTEN = 1;
const DROPPED = 2;
const COUNTS_BYTES = 12;

const METADATA: unique symbol = Symbol.for('pino.metadata');
const FATAL_LEVEL = 60;
const WARN_LEVEL = 40;
const STANDARD_OUTPUT = 1;
const LINES_PER_DRAIN_MAX = 256;
/** Pause before another try when the ring is full or the descriptor accepts nothing. */
const RETRY_MS = 5;

export function createLogMemory(bell: SharedArrayBuffer, ringBytes: number = LOG_RING_BYTES): LogMemory {
  return { ring: createRing(ringBytes), bell, counts: new SharedArrayBuffer(COUNTS_BYTES) };
}

/** The logger of one thread. `base`: fields of every line; null: none. */
export function threadLog(level: string, memory: LogMemory, base: Readonly<Record<string, unknown>> | null): Logger {
  return pino({ level, base }, new LogStream(memory));
}

/** Destination of one thread's lines. It blocks only for a fatal line and in `flushSync`. */
export class LogStream {
  /** Makes pino pass the level of each line. */
  readonly [METADATA] = true;
  /** Set by pino before each line. */
  lastLevel = 0;
  readonly #ring: RingProducer;
  readonly #bell: BellRinger;
  readonly #counts: Int32Array;
  readonly #flushMsMax: number;

  constructor(memory: LogMemory, flushMsMax: number = LOG_FLUSH_MS_MAX) {
    this.#ring = new RingProducer(memory.ring);
    this.#bell = new BellRinger(memory.bell);
    this.#counts = new Int32Array(memory.counts);
    this.#flushMsMax = flushMsMax;
  }

  write(line: string): void {
    const isSent = this.lastLevel >= FATAL_LEVEL ? this.#sendFatal(line) : this.#send(Buffer.from(line));
    Atomics.add(this.#counts, isSent ? SENT : DROPPED, 1);
    this.#bell.ring();
  }

  /** Waits until every line of this thread is written, at most LOG_FLUSH_MS_MAX. pino calls it after a fatal line. */
  flushSync(): void {
    awaitWritten(this.#counts, performance.now() + this.#flushMsMax);
  }

  #send(bytes: Uint8Array): boolean {
    return this.#ring.tryWrite(bytes) === 'written';
  }

  /** Waits for room, for a bounded time. Cuts a line that is too long for the ring. */
  #sendFatal(line: string): boolean {
    const bytes = Buffer.from(line);
    const endMs = performance.now() + this.#flushMsMax;
    for (;;) {
      const result = this.#ring.tryWrite(bytes);
      if (result === 'written') return true;
      if (result === 'oversize') return this.#sendFatal(`${line.slice(0, line.length >> 1)}\n`);
      if (performance.now() >= endMs) return false;
      this.#bell.ring();
      Atomics.wait(this.#counts, WRITTEN, Atomics.load(this.#counts, WRITTEN), RETRY_MS);
    }
  }
}

/** Returns when every sent line is written, or at `endMs` of performance.now. */
function awaitWritten(counts: Int32Array, endMs: number): void {
  for (;;) {
    const written = Atomics.load(counts, WRITTEN);
    const waitMs = endMs - performance.now();
    if (((Atomics.load(counts, SENT) - written) | 0) <= 0 || waitMs <= 0) return;
    Atomics.wait(counts, WRITTEN, written, waitMs);
  }
}

/**
 * Writes the lines of all threads, each thread's lines in order. It needs its own thread, because a write may block.
 */
export class LogWriter {
  readonly #threads: readonly { readonly name: string; readonly ring: RingConsumer; readonly counts: Int32Array }[];
  readonly #write: (text: string) => void;

  /** `write` returns after all of the text is written. */
  constructor({ threads }: LogWriterWorkerData, write: (text: string) => void = writeStandardOutput) {
    this.#write = write;
    this.#threads = Object.entries(threads).map(([name, { ring, counts }]) => ({
      name,
      ring: new RingConsumer(ring),
      counts: new Int32Array(counts),
    }));
  }

  /** Runs until the process ends. */
  run(bell: BlockingBell): never {
    for (;;) if (!this.drain()) bell.wait(Infinity);
  }

  /** Writes a bounded number of each thread's lines. Returns true when it wrote a line. */
  drain(): boolean {
    let hasWritten = false;
    for (const { name, ring, counts } of this.#threads) {
      let text = '';
      const lineCount = ring.drain(LINES_PER_DRAIN_MAX, (line) => (text += Buffer.from(line).toString()));
      if (lineCount > 0) this.#write(text);
      Atomics.add(counts, WRITTEN, lineCount);
      Atomics.notify(counts, WRITTEN);
      const droppedCount = Atomics.exchange(counts, DROPPED, 0);
      if (droppedCount > 0) this.#write(dropNotice(name, droppedCount));
      hasWritten ||= lineCount > 0 || droppedCount > 0;
    }
    return hasWritten;
  }
}

function dropNotice(thread: string, lines: number): string {
  const msg = 'log lines were dropped: the log was not read fast enough';
  return `${JSON.stringify({ level: WARN_LEVEL, time: Date.now(), thread, lines, msg })}\n`;
}

/** Blocks until all is written. Without a reader the text is lost and the service continues. */
function writeStandardOutput(text: string): void {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(STANDARD_OUTPUT, bytes));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

/** The log of a process: the logger of its main thread, and the log memory of its other threads. */
export interface ProcessLog {
  readonly log: Logger;
  readonly memoryOf: (thread: string) => LogMemory;
}

/** Starts the log writer. `threads`: names of the threads besides the main one. The exit flushes all lines. */
export function startLog(level: string, threads: readonly string[], writerEntry: URL): ProcessLog {
  const bell = createBell();
  const memories = new Map(['main', ...threads].map((name) => [name, createLogMemory(bell)]));
  const memoryOf = (thread: string): LogMemory => {
    const memory = memories.get(thread);
    assert(memory !== undefined, `thread ${thread} has a log`);
    return memory;
  };
  const data: LogWriterWorkerData = { bell, threads: Object.fromEntries(memories) };
  new Worker(writerEntry, { workerData: data, name: 'log-writer' }).unref();
  process.on('exit', () => {
    const endMs = performance.now() + LOG_FLUSH_MS_MAX;
    for (const { counts } of memories.values()) awaitWritten(new Int32Array(counts), endMs);
  });
  return { log: threadLog(level, memoryOf('main'), null), memoryOf };
}
