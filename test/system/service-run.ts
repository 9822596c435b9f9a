import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { IDLE_MS, Idleness } from './eventually.js';

/** The project folder. Compiled tests are one folder deeper than their sources. */
export const ROOT = join(import.meta.dirname, '../..').replace(/\/dist$/, '');
const MAIN = join(ROOT, 'dist/service/src/main.js');
const POLL_MS = 20;

/** A line of the service's log. */
export type LogLine = Readonly<Record<string, unknown>>;

/** How a run ended: by itself with a status, or by a signal that it did not handle. */
export interface Ending {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments of Node itself. */
  readonly nodeArgs?: readonly string[];
  /** Instead of Node with the service's entry. */
  readonly command?: readonly [string, ...string[]];
}

/** Default environment of a run: a free port, no limits, no demo key. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  SLUICE_HOST: '127.0.0.1',
  SLUICE_PORT: '0',
  SLUICE_RATE_LIMIT_ORDERS: '0',
  SLUICE_ACCOUNT_OPEN_ORDERS: '0',
  SLUICE_RATE_LIMIT_READS: '0',
  SLUICE_CREATE_DEMO_KEY: 'false',
};

/** One run of the service in its own process, from start to end. */
export class ServiceRun {
  /** Log lines received so far. */
  readonly lines: LogLine[] = [];
  /** All it wrote, standard output and error. */
  output = '';
  readonly ended: Promise<Ending>;
  /** A time of `performance.now()` when it was surely not ready: when the last look that found it so began. */
  unreadyAtMs = performance.now();
  readonly #child: ChildProcess;
  #partialLine = '';
  #onOutput: () => void = () => undefined;

  constructor(dataDir: string, { env = {}, nodeArgs = [], command }: RunOptions = {}) {
    const [program, ...args] = command ?? [process.execPath, ...nodeArgs, MAIN];
    this.#child = spawn(program, args, {
      cwd: ROOT,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...ENVIRONMENT, SLUICE_DATA_DIR: dataDir, ...env },
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#onStandardOutput(chunk.toString()));
    this.#child.stderr?.on('data', (chunk: Buffer) => this.#take(chunk.toString()));
    // 'close' and not 'exit': only then all of its output is here.
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (status, signal) => resolve({ status, signal }));
    });
    void this.ended.then(() => this.#onOutput());
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The first log line with this message, once it is there. */
  async line(message: string): Promise<LogLine> {
    await this.until(() => this.lines.some(({ msg }) => msg === message), `it says '${message}'`);
    return this.lines.find(({ msg }) => msg === message) as LogLine;
  }

  /**
   * Resolves when something holds that its output can make true; rejects when it ended, or has been silent for long.
   */
  async until(isSo: () => boolean, what: string): Promise<void> {
    const idle = new Idleness();
    while (!isSo()) {
      if (this.hasEnded) throw new Error(`the service ended and did not: ${what}; its output:\n${this.output}`);
      idle.note(`the service did not: ${what}; its output:\n${this.output}`);
      await this.#outputOrPoll();
    }
  }

  /** The port, once it listens. */
  async listening(): Promise<number> {
    return (await this.line('listening'))['port'] as number;
  }

  /** The port, once /status/ready answers 200. */
  async ready(): Promise<number> {
    const port = await this.listening();
    const idle = new Idleness();
    for (;;) {
      const lookAtMs = performance.now();
      const status = await statusOf(port, '/status/ready');
      if (status === 200) return port;
      this.unreadyAtMs = lookAtMs;
      if (this.hasEnded) throw new Error(`the service ended before it was ready; its output:\n${this.output}`);
      idle.note(`/status/ready answers ${status}; the output of the service:\n${this.output}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends SIGKILL to the service and its child processes. */
  async kill(): Promise<void> {
    if (!this.hasEnded) process.kill(-this.pid, 'SIGKILL');
    await this.ended;
  }

  /** SIGTERM, and how it ended. Rejects with its output when it is silent for far longer than its own bound. */
  async stop(): Promise<Ending> {
    this.#child.kill('SIGTERM');
    await this.until(() => this.hasEnded, 'it ends');
    return this.ended;
  }

  async #outputOrPoll(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#onOutput = resolve;
      timer = setTimeout(resolve, POLL_MS);
    });
    clearTimeout(timer);
  }

  #onStandardOutput(text: string): void {
    const parts = (this.#partialLine + text).split('\n');
    this.#partialLine = parts.pop() ?? '';
    for (const part of parts) if (part.startsWith('{')) this.lines.push(JSON.parse(part) as LogLine);
    this.#take(text);
  }

  #take(text: string): void {
    this.output += text;
    this.#onOutput();
  }
}

/** HTTP status of a page that needs no key. 0 when the connection fails, or nothing comes for long. */
export async function statusOf(port: number, path: string): Promise<number> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(IDLE_MS / 2) });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return 0;
  }
}
