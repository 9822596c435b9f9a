import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SluiceClient, SluiceError } from '../../client/index.js';
import { CommandFailure } from '../context.js';
import { pause } from './pause.js';

export interface ServiceOptions {
  /** The service's compiled entry. */
  readonly script: string;
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const READY_MS_MAX = 60_000;
const READY_POLL_MS = 50;
/** The service itself promises to be gone within ten seconds. */
const STOP_MS_MAX = 15_000;
/** A broken connection is noticed a little before the end of the process. */
const EXIT_NOTICED_MS_MAX = 500;
const LOG_LINES_SHOWN = 15;

/** The service as a child process. Its log goes to a file, so that it does not disturb the terminal. */
export class ServiceProcess {
  readonly url: string;
  readonly logFile: string;
  /** Aborted, with the reason, when the service ends by itself. */
  readonly ended: AbortSignal;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;

  private constructor({ script, dataDir, host, port, env }: ServiceOptions) {
    this.url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    this.logFile = join(dataDir, 'demo.log');
    const log = openSync(this.logFile, 'w', 0o600);
    this.#child = spawn(process.execPath, [script], {
      env: { ...env, SLUICE_HOST: host, SLUICE_PORT: String(port), SLUICE_DATA_DIR: dataDir },
      stdio: ['ignore', log, log],
      // Ctrl-C reaches the demo alone, which then stops the service once and in order.
      detached: true,
    });
    closeSync(log);
    const ending = new AbortController();
    this.ended = ending.signal;
    this.#exited = new Promise((resolve) => {
      this.#child.once('exit', () => {
        ending.abort(this.#failure('the service ended'));
        resolve();
      });
    });
  }

  /** Resolves once the service is ready; throws CommandFailure with the end of its log when it does not become so. */
  static async start(options: ServiceOptions): Promise<ServiceProcess> {
    const service = new ServiceProcess(options);
    const client = new SluiceClient({ url: service.url, timeoutMs: 1000 });
    try {
      const deadlineMs = Date.now() + READY_MS_MAX;
      while (!(await answersReady(client))) {
        if (service.#hasExited) throw service.#failure('the service did not start');
        if (Date.now() > deadlineMs) throw service.#failure(`it was not ready within ${READY_MS_MAX / 1000} s`);
        await pause(READY_POLL_MS);
      }
      return service;
    } catch (error) {
      await service.stop();
      throw error;
    } finally {
      client.close();
    }
  }

  /** The better explanation of a request that was not answered: that the service has ended, if it has. */
  async explain(failure: unknown): Promise<unknown> {
    if (!(failure instanceof SluiceError) || failure.status !== 0) return failure;
    await Promise.race([this.#exited, pause(EXIT_NOTICED_MS_MAX)]);
    return this.ended.aborted ? this.ended.reason : failure;
  }

  /** Graceful; forced only when the service does not keep its time. */
  async stop(): Promise<void> {
    if (this.#hasExited) return;
    const force = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS_MAX);
    this.#child.kill('SIGTERM');
    await this.#exited;
    clearTimeout(force);
  }

  get #hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  #failure(what: string): CommandFailure {
    const tail = readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-LOG_LINES_SHOWN).join('\n');
    return new CommandFailure(`${what}; the end of ${this.logFile}:\n${tail}`);
  }
}

async function answersReady(client: SluiceClient): Promise<boolean> {
  try {
    return await client.isReady();
  } catch (error) {
    if (error instanceof SluiceError) return false;
    throw error;
  }
}
