import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { isRejected } from '../../../src/domain/rejection.js';
import { operate } from '../../../src/admin/admin-client.js';
import { ROOT, ServiceRun } from '../../system/service-run.js';
import type { ApiKey } from './signature.js';
import { Trader } from './trader.js';

const COMMAND_LINE = join(ROOT, 'dist/service/src/cli/main.js');

export interface Circumstances {
  readonly env?: Readonly<Record<string, string>>;
  /** Rules of the fault script of the simulated exchanges. */
  readonly faults?: readonly object[];
}

/** A service that is started as running.md says, on its own data directory, with clients and its command line. */
export class ServiceUnderRules {
  readonly folder = mkdtempSync(join(tmpdir(), 'sluice-rules-'));
  readonly dataDir = join(this.folder, 'data');
  port = 0;
  #run: ServiceRun | null = null;
  #trader: Trader | null = null;
  readonly #env: Readonly<Record<string, string>>;

  constructor({ env = {}, faults = [] }: Circumstances) {
    this.#env = faults.length === 0 ? env : { ...env, SLUICE_SIM_FAULTS: this.#written(faults) };
  }

  get run(): ServiceRun {
    if (this.#run === null) throw new Error('the service is not started');
    return this.#run;
  }

  /** A client with permission to trade, of account `trader`. */
  get trader(): Trader {
    if (this.#trader === null) throw new Error('the service is not started');
    return this.#trader;
  }

  /** Starts the service, also again on the same data directory. */
  async start(): Promise<void> {
    this.#run = new ServiceRun(this.dataDir, { env: this.#env });
    this.port = await this.#run.ready();
    const key = this.#trader?.key ?? (await this.#issueKey('trader', 'trade'));
    this.#trader = new Trader(this.port, key);
  }

  /** A client with a key that is made while the service runs. */
  async client(account: string, permission: 'read' | 'trade' = 'trade'): Promise<Trader> {
    return new Trader(this.port, await this.#issueKey(account, permission));
  }

  /** Makes a key by the command line. */
  async createKey(...args: readonly string[]): Promise<ApiKey> {
    return JSON.parse(await this.sluice('keys', 'create', '--json', ...args)) as ApiKey;
  }

  /** Runs the command line and returns its output. Rejects when the exit status is not 0. */
  async sluice(...args: readonly string[]): Promise<string> {
    const env = { ...process.env, SLUICE_DATA_DIR: this.dataDir };
    return (await promisify(execFile)(process.execPath, [COMMAND_LINE, ...args], { env })).stdout;
  }

  async close(): Promise<void> {
    await this.#run?.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Makes a key without the start of a process. */
  async #issueKey(account: string, permission: 'read' | 'trade'): Promise<ApiKey> {
    const data = { path: this.dataDir, masterKey: undefined };
    const key = await operate(data, 'keys.create', { account, permissions: [permission], kind: 'HMAC' });
    if (isRejected(key)) throw new Error(key.rejection.message);
    return { api_key: key.apiKey, api_secret: key.apiSecret ?? '' };
  }

  #written(faults: readonly object[]): string {
    const file = join(this.folder, 'faults');
    writeFileSync(file, faults.map((fault) => `${JSON.stringify(fault)}\n`).join(''));
    return file;
  }
}

/** One service for all tests of a file. It runs before the first test. */
export function useService(circumstances: Circumstances = {}): ServiceUnderRules {
  const service = new ServiceUnderRules(circumstances);
  beforeAll(() => service.start());
  afterAll(() => service.close());
  return service;
}
