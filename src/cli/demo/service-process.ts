import { setTimeout as sleep } from 'node:timers/promises';
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { addressOf, CommandFailure } from '../context.js';
import { SluiceClient, SluiceError } from '../../client/index.js';

interface ServiceOptions {
  /** Compiled entry of the service. */
  readonly script: string;
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** For the slowest machine: a service that ends is noticed at once. */
const READY_MS_MAX = 300_000;
const READY_POLL_MS = 50;
/** Longer than the ten seconds in which the service stops by itself. */
const STOP_MS_MAX = 15_000;
/** A lost connection is visible shortly before the exit of the process. */
const EXIT_NOTICED_MS_MAX = 500;
const LOG_LINES_SHOWN = 15;

/** The service as a child process. It logs to a file to keep the terminal free. */
export class ServiceProcess {
  readonly url: string;
  readonly logFile: string;
  /** Aborts with the reason when the service ends without a stop. */
  readonly ended: AbortSignal;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;

  private constructor({ script, dataDir, host, port, env }: ServiceOptions) {
    this.url = addressOf(host, port);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    this.logFile = join(dataDir, 'demo.log');
    const log = openSync(this.logFile, 'w', 0o600);
    this.#child = spawn(process.execPath, [script], {
      env: { ...env, SLUICE_HOST: host, SLUICE_PORT: String(port), SLUICE_DATA_DIR: dataDir },
      stdio: ['ignore', log, log],
      // Ctrl-C reaches only the demo, which then stops the service gracefully.
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

  /** Starts the service and waits until it is ready. Throws CommandFailure with the end of its log on failure. */
  static async start(options: ServiceOptions): Promise<ServiceProcess> {
    const service = new ServiceProcess(options);
    const client = new SluiceClient({ url: service.url, timeoutMs: 1000 });
    try {
      const deadlineMs = Date.now() + READY_MS_MAX;
      while (!(await answersReady(client))) {
        if (service.#hasExited) throw service.#failure('the service ended before it was ready');
        if (Date.now() > deadlineMs)
          throw service.#failure(`the service was not ready within ${READY_MS_MAX / 1000} s`);
        await sleep(READY_POLL_MS);
      }
      return service;
    } catch (error) {
      await service.stop();
      throw error;
    } finally {
      client.close();
    }
  }

  /** Returns the reason of an unanswered request: the end of the service if it has ended, otherwise `failure`. */
  async explain(failure: unknown): Promise<unknown> {
    if (!(failure instanceof SluiceError) || failure.status !== 0) return failure;
    await Promise.race([this.#exited, sleep(EXIT_NOTICED_MS_MAX)]);
    return this.ended.aborted ? this.ended.reason : failure;
  }

  /** Stops the service gracefully. Kills it after the time limit. */
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

/** Returns the wanted port when it is free, otherwise another free port. */
export async function freePort(host: string, wanted: number): Promise<number> {
  return (await probe(host, wanted)) ?? (await probe(host, 0)) ?? wanted;
}

/** Binds and releases a port. Returns it, or null when the bind failed. */
function probe(host: string, port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ host, port, exclusive: true }, () => {
      const bound = (server.address() as AddressInfo).port;
      server.close(() => resolve(bound));
    });
  });
}
