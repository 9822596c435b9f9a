import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { Idleness } from '../system/eventually.js';

const ROOT = join(import.meta.dirname, '../..');
/** Compiled tests are one folder deeper than their sources. */
export const DIST = ROOT.endsWith('dist') ? ROOT : join(ROOT, 'dist');
const POLL_MS = 25;

type Line = Readonly<Record<string, unknown>>;

/** One run of the service, from its start to its end by a signal. */
export class ServiceProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;
  readonly lines: Line[] = [];
  /** All its standard output and error. */
  output = '';
  #text = '';

  constructor(dataDir: string, env: Readonly<Record<string, string>>, nodeArgs: readonly string[] = []) {
    this.#child = spawn(process.execPath, [...nodeArgs, join(DIST, 'service/src/main.js')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        SLUICE_DATA_DIR: dataDir,
        SLUICE_PORT: '0',
        SLUICE_RATE_LIMIT_ORDERS: '0',
        SLUICE_ACCOUNT_OPEN_ORDERS: '0',
        SLUICE_RATE_LIMIT_READS: '0',
        SLUICE_CREATE_DEMO_KEY: 'false',
        ...env,
      },
    });
    this.#exited = new Promise((resolve) => this.#child.once('exit', (code) => resolve(code)));
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#onText(chunk.toString()));
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.output += chunk.toString();
      process.stderr.write(chunk);
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Resolves with the port when /status/ready answers 200. */
  async ready(): Promise<number> {
    const idle = new Idleness();
    for (;;) {
      const port = this.lines.find((line) => line['msg'] === 'listening')?.['port'];
      if (typeof port === 'number') {
        const answer = await fetch(`http://127.0.0.1:${port}/status/ready`).catch(() => null);
        if (answer?.status === 200) return port;
      }
      if (this.hasEnded) throw new Error(`the service ended before it was ready: ${this.lastWords()}`);
      idle.note(`the service is not ready: ${this.lastWords()}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Sends SIGKILL, so the service cannot shut down. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  /** Stops all its threads for a time, as a busy machine may: what it does then comes late. */
  async pause(ms: number): Promise<void> {
    this.#child.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, ms));
    this.#child.kill('SIGCONT');
  }

  /** Sends SIGTERM. Resolves with the exit status. */
  async stop(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    return this.#exited;
  }

  /** Resolves with the exit status when the service ends by itself. */
  exited(): Promise<number | null> {
    return this.#exited;
  }

  lastWords(): string {
    return this.lines
      .slice(-5)
      .map((line) => JSON.stringify(line))
      .join('\n');
  }

  #onText(text: string): void {
    this.output += text;
    const parts = (this.#text + text).split('\n');
    this.#text = parts.pop() ?? '';
    for (const part of parts) {
      if (part.startsWith('{')) this.lines.push(JSON.parse(part) as Line);
    }
  }
}
