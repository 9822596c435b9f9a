import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { ROOT, ServiceRun } from '../../system/service-run.js';
import type { ApiKey } from './signature.js';
import { Trader } from './trader.js';

const COMMAND_LINE = join(ROOT, 'dist/service/src/cli.js');

export interface Circumstances {
  readonly env?: Readonly<Record<string, string>>;
  /** Fault script of the simulated venues, a rule each. */
  readonly faults?: readonly object[];
}

/** The service as running.md says it is started, on a data directory of its own, and what is known of it outside. */
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
    if (this.#run === null) throw new Error('not started');
    return this.#run;
  }

  /** A client with permission to trade, of account `trader`. */
  get trader(): Trader {
    if (this.#trader === null) throw new Error('not started');
    return this.#trader;
  }

  /** Starts it again on the same data directory, or for the first time. */
  async start(): Promise<void> {
    this.#run = new ServiceRun(this.dataDir, { env: this.#env });
    this.port = await this.#run.ready();
    const key = this.#trader?.key ?? (await this.createKey('--account', 'trader', '--permissions', 'trade'));
    this.#trader = new Trader(this.port, key);
  }

  /** A client of a key made while the service runs. */
  async client(account: string, permission: 'read' | 'trade' = 'trade'): Promise<Trader> {
    return new Trader(this.port, await this.createKey('--account', account, '--permissions', permission));
  }

  async createKey(...args: readonly string[]): Promise<ApiKey> {
    return JSON.parse(await this.sluice('keys', 'create', '--json', ...args)) as ApiKey;
  }

  /** What the command line prints; rejects when its exit status is not 0. */
  async sluice(...args: readonly string[]): Promise<string> {
    const env = { ...process.env, SLUICE_DATA_DIR: this.dataDir };
    return (await promisify(execFile)(process.execPath, [COMMAND_LINE, ...args], { env })).stdout;
  }

  async close(): Promise<void> {
    await this.#run?.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #written(faults: readonly object[]): string {
    const file = join(this.folder, 'faults');
    writeFileSync(file, faults.map((fault) => `${JSON.stringify(fault)}\n`).join(''));
    return file;
  }
}

/** One service for all tests of a file; usable from the first test on. */
export function useService(circumstances: Circumstances = {}): ServiceUnderRules {
  const service = new ServiceUnderRules(circumstances);
  beforeAll(() => service.start());
  afterAll(() => service.close());
  return service;
}
