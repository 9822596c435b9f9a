import type { Life } from './actor.js';
import {
  checkAcknowledged,
  checkBalances,
  checkOverdue,
  checkPaused,
  resolveUnanswered,
  settleAll,
  terminalDigest,
} from './checks.js';
import type { Desk } from './desk.js';

const ENDED_COUNT = 500;

/** What must hold of an account's orders and money, whatever kind of orders they are. */
export class Books {
  readonly #desk: Desk;
  readonly #exchanges: readonly string[];
  #ended = new Map<number, string>();
  resentCount = 0;

  /** With the exchanges whose fills are all spot. */
  constructor(desk: Desk, exchanges: readonly string[]) {
    this.#desk = desk;
    this.#exchanges = exchanges;
  }

  async check({ report }: Life): Promise<void> {
    const { client, ledger } = this.#desk;
    this.resentCount += await resolveUnanswered(client, ledger);
    for (const problem of await checkAcknowledged(client, ledger)) report(problem);
    for (const problem of await checkPaused(client, ledger)) report(problem);
    const ended = await terminalDigest(client, [...this.#ended.keys()]);
    for (const [orderId, digest] of this.#ended) {
      if (ended.get(orderId) !== digest) report(`ended order ${orderId} changed: ${digest} → ${ended.get(orderId)}`);
    }
  }

  /** Schedules end by themselves when their time is over; what is left is cancelled. Then the sums are compared. */
  async settle({ port, report }: Life): Promise<void> {
    const { client, ledger, key } = this.#desk;
    for (const problem of await checkOverdue(client)) report(problem);
    ledger.paused.clear();
    await settleAll(client);
    for (const exchange of this.#exchanges) {
      for (const problem of await checkBalances(port, key, ledger, exchange)) report(`${exchange} ${problem}`);
    }
    const recent = [...ledger.acknowledged.values()].slice(-ENDED_COUNT).map(({ orderId }) => orderId);
    this.#ended = await terminalDigest(client, recent);
  }
}
