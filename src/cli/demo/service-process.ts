import { setTimeout as sleep } from 'node:timers/promises';
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { addressOf, CommandFailure } from '../context.js';
import { SluiceClient, SluiceError } from '../../client/index.js';

interface ServiceOptions {
  /** Compiled entry of the service. */
  readonly script: string;
  readonly dataDir: string;
  readonly host: string;
  /** Value of SLUICE_PORT. With 0 the service chooses a free port. */
  readonly port: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** For the slowest machine: a service that ends is noticed at once. */
const READY_MS_MAX = 300_000;
const READY_POLL_MS = 50;
/** Longer than the ten seconds in which the service stops by itself. */
const STOP_MS_MAX = 15_000;
/** A lost connection is visible shortly before the exit of the process. */
const EXIT_NOTICED_MS_MAX = 500;
const PORT_MAX = 65_535;
const LOG_LINES_SHOWN = 15;
const LEVELS_WITHOUT_INFO = new Set(['warn', 'error', 'fatal', 'silent']);

/** The service as a child process. It logs to a file to keep the terminal free. */
export class ServiceProcess {
  readonly logFile: string;
  /** Aborts with the reason when the service ends without a stop. */
  readonly ended: AbortSignal;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #host: string;
  /** null until the service listens. */
  #port: number | null = null;

  private constructor({ script, dataDir, host, port, env }: ServiceOptions) {
    this.#host = host;
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    this.logFile = join(dataDir, 'demo.log');
    const log = openSync(this.logFile, 'w', 0o600);
    this.#child = spawn(process.execPath, [script], {
      env: { ...env, ...logLevelOf(env), SLUICE_HOST: host, SLUICE_PORT: port, SLUICE_DATA_DIR: dataDir },
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
    try {
      const deadlineMs = Date.now() + READY_MS_MAX;
      while (!(await service.#isReady())) {
        if (service.#hasExited) throw service.#failure('the service ended before it was ready');
        if (Date.now() > deadlineMs)
          throw service.#failure(`the service was not ready within ${READY_MS_MAX / 1000} s`);
        await sleep(READY_POLL_MS);
      }
      return service;
    } catch (error) {
      await service.stop();
      throw error;
    }
  }

  /** Address of the service. Throws before `start` has resolved. */
  get url(): string {
    if (this.#port === null) throw new Error('the service does not listen yet');
    return addressOf(this.#host, this.#port);
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

  async #isReady(): Promise<boolean> {
    this.#port ??= listeningPort(this.logFile);
    if (this.#port === null) return false;
    const client = new SluiceClient({ url: this.url, timeoutMs: 1000 });
    try {
      return await client.isReady();
    } catch (error) {
      if (error instanceof SluiceError) return false;
      throw error;
    } finally {
      client.close();
    }
  }

  get #hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  #failure(what: string): CommandFailure {
    const tail = readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-LOG_LINES_SHOWN).join('\n');
    return new CommandFailure(`${what}; the end of ${this.logFile}:\n${tail}`);
  }
}

/** The port in the line of the log that says so; null before it is written. */
function listeningPort(logFile: string): number | null {
  for (const line of readFileSync(logFile, 'utf8').split('\n').slice(0, -1)) {
    if (!line.includes('"listening"')) continue;
    const { msg, port } = JSON.parse(line) as { readonly msg?: unknown; readonly port?: unknown };
    if (msg === 'listening' && typeof port === 'number') return port;
  }
  return null;
}

/** The demo reads the port from a line of level info. So a level that hides it becomes info. */
function logLevelOf({ SLUICE_LOG_LEVEL: level }: ServiceOptions['env']): Readonly<Record<string, string>> {
  return level !== undefined && LEVELS_WITHOUT_INFO.has(level) ? { SLUICE_LOG_LEVEL: 'info' } : {};
}

/** True when the service could not listen at the port. The service itself refuses what is no port. */
export function isPortTaken(host: string, port: number): Promise<boolean> {
  if (!(port >= 0 && port <= PORT_MAX)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(true));
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => resolve(false));
    });
  });
}
