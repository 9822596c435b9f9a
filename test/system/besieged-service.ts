import { expect } from 'vitest';
import type { SluiceClient } from '../../src/client/index.js';
import { HonestClient } from './honest-client.js';
import type { ServiceRun } from './service-run.js';
import { Site, type Key } from './site.js';

const ERROR = 50;

/** A service that some clients attack while another one works with it as ever. */
export class BesiegedService {
  /** The attackers' key: the account of the honest client is another one. */
  readonly key: Key;
  readonly port: number;
  /** Of the attackers' account. */
  readonly client: SluiceClient;
  readonly #honest: HonestClient;
  readonly #site: Site;
  readonly #run: ServiceRun;

  private constructor(parts: { site: Site; run: ServiceRun; port: number; attacker: Key; honest: Key }) {
    const { site, run, port, attacker, honest } = parts;
    this.#site = site;
    this.#run = run;
    this.key = attacker;
    this.port = port;
    this.client = site.client(port, attacker);
    this.#honest = new HonestClient(site.client(port, honest));
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<BesiegedService> {
    const site = new Site();
    const [attacker, honest] = [await site.issueKey('attacker'), await site.issueKey('honest')];
    const run = site.start({ env });
    return new BesiegedService({ site, run, port: await run.ready(), attacker, honest });
  }

  /** Its process. */
  get pid(): number {
    return this.#run.pid;
  }

  /** The honest client continued and got only correct answers, and the service logged no error. */
  async expectUnharmed(): Promise<void> {
    const before = this.#honest.answeredCount;
    await expect.poll(() => this.#honest.answeredCount).toBeGreaterThan(before);
    expect(this.#honest.problems).toEqual([]);
    expect(this.#run.lines.filter(({ level }) => Number(level) >= ERROR)).toEqual([]);
  }

  async end(): Promise<void> {
    await this.#honest.stop();
    expect(await this.#run.stop()).toEqual({ status: 0, signal: null });
    await this.#site.close();
  }
}
