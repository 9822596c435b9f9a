import type { ServiceRun } from './actor.js';
import {
  checkAcknowledged,
  checkFills,
  checkOverdue,
  checkPaused,
  resolveUnanswered,
  settleAll,
  terminalDigest,
  type Witness,
} from './checks.js';
import type { AccountSession } from './account-session.js';
import { ExactReader } from './exact.js';
import { goBack, type Acknowledged } from './ledger.js';

const ENDED_COUNT = 500;
/** Number of settled orders that each run checks again. */
const SAMPLE_COUNT = 200;

/** Checks an account's orders and money. */
export class AccountChecks {
  readonly #session: AccountSession;
  readonly #exchanges: readonly string[];
  readonly #witness: Omit<Witness, 'account'>;
  #ended = new Map<number, string>();
  #settledCount = 0;
  #mark: ReadonlyMap<string, Acknowledged> = new Map();
  resentCount = 0;

  /** `exchanges`: those whose fills are all spot. */
  constructor(session: AccountSession, exchanges: readonly string[], witness: Omit<Witness, 'account'>) {
    this.#session = session;
    this.#exchanges = exchanges;
    this.#witness = witness;
  }

  mark(): void {
    this.#mark = new Map(this.#session.ledger.acknowledged);
  }

  restored(): void {
    goBack(this.#session.ledger, this.#mark);
  }

  async check({ port, nowMs, random, report }: ServiceRun): Promise<void> {
    const { client, ledger, key } = this.#session;
    this.resentCount += await resolveUnanswered(client, ledger);
    const orders = [...ledger.acknowledged];
    const from = this.#settledCount <= SAMPLE_COUNT ? 0 : random.below(this.#settledCount - SAMPLE_COUNT);
    const sample = orders.slice(from, Math.min(from + SAMPLE_COUNT, this.#settledCount));
    const reader = new ExactReader(port, key, nowMs);
    const looked = [...sample, ...orders.slice(this.#settledCount)];
    for (const problem of await checkAcknowledged(reader, ledger, looked)) report(problem);
    for (const problem of await checkPaused(client, ledger)) report(problem);
    const ended = await terminalDigest(client, [...this.#ended.keys()]);
    for (const [orderId, digest] of this.#ended) {
      if (ended.get(orderId) !== digest) report(`ended order ${orderId} changed: ${digest} → ${ended.get(orderId)}`);
    }
  }

  /** Waits for the end of schedules, cancels the rest and compares the sums. */
  async settle({ port, nowMs, report }: ServiceRun): Promise<void> {
    const { account, client, ledger, key } = this.#session;
    for (const problem of await checkOverdue(client)) report(problem);
    ledger.paused.clear();
    await settleAll(client);
    const reader = new ExactReader(port, key, nowMs);
    const orders = [...ledger.acknowledged];
    for (const problem of await checkAcknowledged(reader, ledger, orders)) report(problem);
    for (const exchange of this.#exchanges) {
      const problems = await checkFills(reader, ledger, exchange, { ...this.#witness, account });
      for (const problem of problems) report(`${account} at ${exchange}: ${problem}`);
    }
    this.#settledCount = orders.length;
    const recent = orders.slice(-ENDED_COUNT).map(([, { orderId }]) => orderId);
    this.#ended = await terminalDigest(client, recent);
  }
}
