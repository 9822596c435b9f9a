import { eventually } from '../system/eventually.js';
import { restingOrder } from '../system/sample-orders.js';
import { pause, untilServiceEnds, type Actor, type ServiceRun } from './actor.js';
import { settleAll } from './checks.js';
import type { AccountSession } from './account-session.js';
import type { Operator } from './operator.js';

const REST_MS = 30;

/** Engages the account's kill switch, by its key or as the operator, and releases it as the operator. */
export class KillSwitchActor implements Actor {
  readonly #session: AccountSession;
  readonly #operator: Operator;
  /** null: unknown, because the service ended during an engagement. */
  #isEngaged: boolean | null = false;
  engagedCount = 0;

  constructor(session: AccountSession, operator: Operator) {
    this.#session = session;
    this.#operator = operator;
  }

  restored(): void {
    this.#isEngaged = null;
  }

  async check({ report }: ServiceRun): Promise<void> {
    const { kill_switch: reported } = await this.#session.client.riskLimits();
    if (this.#isEngaged !== null && reported.engaged !== this.#isEngaged) {
      report(`the kill switch is ${reported.engaged}, but was left ${this.#isEngaged}`);
    }
    this.#isEngaged = reported.engaged;
  }

  async work(run: ServiceRun): Promise<void> {
    await untilServiceEnds(run, async () => {
      await pause(REST_MS);
      await this.#tryOrders(run);
      if (run.random.next() < 0.5) await this.#toggle(run);
    });
  }

  /** Waits until all orders have ended, then releases the kill switch. */
  async settle(run: ServiceRun): Promise<void> {
    const { client } = this.#session;
    if (this.#isEngaged === true) {
      await eventually(
        async () => (await client.open()).length,
        (count) => count === 0,
      );
      if (!run.isOperatorAway) await this.#toggle(run);
      await this.#tryOrders(run);
    }
    await settleAll(client);
  }

  async #tryOrders({ report, isStopped }: ServiceRun): Promise<void> {
    const { ledger } = this.#session;
    const orders = [1, 2].map(() => restingOrder(`halted-${ledger.nextClientId++}`));
    const expected = this.#isEngaged === true ? 'OTHER' : undefined;
    for (const { error_code: code, message } of await this.#session.client.createMany(orders)) {
      if (isStopped && code === 'SYSTEM_BUSY') continue;
      if (code !== expected) report(`with the kill switch ${this.#isEngaged} an order was ${code} (${message})`);
    }
  }

  async #toggle({ random, isOperatorAway }: ServiceRun): Promise<void> {
    const { client, account } = this.#session;
    const wasEngaged = this.#isEngaged === true;
    if (wasEngaged && isOperatorAway) return;
    this.#isEngaged = null;
    if (wasEngaged) await this.#operator.releaseKillSwitch(account);
    else if (isOperatorAway || random.next() < 0.5) await client.engageKillSwitch();
    else await this.#operator.engageKillSwitch(account);
    this.#isEngaged = !wasEngaged;
    if (!wasEngaged) this.engagedCount += 1;
  }
}
