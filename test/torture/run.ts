import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type WebSocket from 'ws';
import { NO_RETRY, SluiceClient } from '../../src/client/index.js';
import { openIdentity } from '../../src/journal/identity/index.js';
import { verifyJournal } from '../../src/journal/index.js';
import { isRejected } from '../../src/model/rejection.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import {
  checkAcknowledged,
  checkBalances,
  resolveUnanswered,
  settleAll,
  terminalDigest,
  type KeyOf,
} from './checks.js';
import { FeedWatch } from './feed-watch.js';
import { Random } from './random.js';
import { ServiceProcess } from './service-process.js';
import { newLedger, workUntilDeath, type Ledger } from './workload.js';

export interface TortureOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly shards: number;
  /** Between two full settlements (cancel all, balances, replay of the feeds, journal verification). */
  readonly settleEveryRounds: number;
  readonly log: (text: string) => void;
}

export interface TortureReport {
  readonly rounds: number;
  readonly orders: number;
  readonly resent: number;
  readonly frames: number;
  readonly recoveryMsMax: number;
  readonly problems: readonly string[];
}

const LIFE_MS_MIN = 200;
const LIFE_MS_SPREAD = 1200;
const REPLAY_WAIT_MS = 60_000;

/** Kills the service at random moments under full load, again and again, and checks every promise after each restart. */
export async function runTorture(options: TortureOptions): Promise<TortureReport> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-torture-'));
  try {
    return await new Torture(dataDir, options).run();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

class Torture {
  readonly #dataDir: string;
  readonly #options: TortureOptions;
  readonly #random: Random;
  readonly #ledger: Ledger = newLedger();
  readonly #feeds = new FeedWatch();
  readonly #problems: string[] = [];
  #key: KeyOf = { apiKey: '', apiSecret: '' };
  #ended = new Map<number, string>();
  #resent = 0;
  #recoveryMsMax = 0;

  constructor(dataDir: string, options: TortureOptions) {
    this.#dataDir = dataDir;
    this.#options = options;
    this.#random = new Random(options.seed);
  }

  async run(): Promise<TortureReport> {
    await this.#createKey();
    for (let round = 1; round <= this.#options.rounds && this.#problems.length === 0; round += 1) {
      await this.#round(round);
    }
    return {
      rounds: this.#options.rounds,
      orders: this.#ledger.acknowledged.size,
      resent: this.#resent,
      frames: this.#feeds.frameCount,
      recoveryMsMax: this.#recoveryMsMax,
      problems: [...this.#problems, ...this.#feeds.problems],
    };
  }

  async #createKey(): Promise<void> {
    const identity = openIdentity(this.#dataDir);
    const account = 'torture';
    const created = identity.keys.createKey({ account, permissions: ['trade'], kind: 'HMAC' }, Date.now());
    if (isRejected(created)) throw new Error(created.rejection.message);
    this.#key = { apiKey: created.apiKey, apiSecret: created.apiSecret ?? '' };
    await identity.close();
  }

  async #round(round: number): Promise<void> {
    const startedMs = Date.now();
    const service = new ServiceProcess(this.#dataDir, { SLUICE_SHARDS: String(this.#options.shards) });
    const port = await service.ready();
    const recoveryMs = Date.now() - startedMs;
    this.#recoveryMsMax = Math.max(this.#recoveryMsMax, recoveryMs);
    const url = `http://127.0.0.1:${port}`;
    // The workload itself decides what is sent again.
    const client = new SluiceClient({ url, ...this.#key, connections: 32, retry: NO_RETRY });
    let socket: WebSocket | null = null;
    try {
      await this.#checkAfterRestart(client);
      socket = await this.#feeds.follow(client, port);
      const isSettling = round % this.#options.settleEveryRounds === 0 || round === this.#options.rounds;
      if (isSettling) await this.#settle(client, port);
      const death = this.#killLater(service, LIFE_MS_MIN + this.#random.below(LIFE_MS_SPREAD));
      await workUntilDeath(client, this.#ledger, this.#random);
      await death;
      if (isSettling) await this.#verify();
    } finally {
      socket?.terminate();
      client.close();
      if (!service.hasEnded) await service.kill();
    }
    this.#problems.push(...service.lines.filter(isTrouble).map((line) => JSON.stringify(line)));
    this.#options.log(
      `round ${round}: ready in ${recoveryMs} ms, ${this.#ledger.acknowledged.size} orders, ${this.#feeds.frameCount} frames`,
    );
  }

  async #checkAfterRestart(client: SluiceClient): Promise<void> {
    this.#resent += await resolveUnanswered(client, this.#ledger);
    this.#problems.push(...(await checkAcknowledged(client, this.#ledger)));
    const ended = await terminalDigest(client, [...this.#ended.keys()]);
    for (const [orderId, digest] of this.#ended) {
      if (ended.get(orderId) !== digest)
        this.#problems.push(`ended order ${orderId} changed: ${digest} → ${ended.get(orderId)}`);
    }
  }

  async #settle(client: SluiceClient, port: number): Promise<void> {
    await settleAll(client);
    this.#problems.push(...(await checkBalances(port, this.#key, this.#ledger)));
    const recent = [...this.#ledger.acknowledged.values()].slice(-500).map(({ orderId }) => orderId);
    this.#ended = await terminalDigest(client, recent);
    await this.#feeds.compareReplay(client, port, REPLAY_WAIT_MS);
  }

  async #verify(): Promise<void> {
    const report = await verifyJournal(this.#dataDir, foldEnvelope);
    for (const problem of report.problems) this.#problems.push(`journal: ${problem}`);
  }

  async #killLater(service: ServiceProcess, delayMs: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await service.kill();
  }
}

/** Log lines that a healthy service never writes. */
function isTrouble(line: Readonly<Record<string, unknown>>): boolean {
  return Number(line['level']) >= 50;
}
