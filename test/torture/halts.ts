import { eventually } from '../system/eventually.js';
import { restingOrder } from '../system/sample-orders.js';
import { pause, untilDeath, type Actor, type Life } from './actor.js';
import { settleAll } from './checks.js';
import type { Desk } from './desk.js';
import type { Operator } from './operator.js';

const REST_MS = 30;

/** Throws the account's kill switch, by its key or as the operator, and has the operator release it. */
export class Halts implements Actor {
  readonly #desk: Desk;
  readonly #operator: Operator;
  /** null: it was being engaged when the service died, and may be. */
  #isEngaged: boolean | null = false;
  engagedCount = 0;

  constructor(desk: Desk, operator: Operator) {
    this.#desk = desk;
    this.#operator = operator;
  }

  restored(): void {
    this.#isEngaged = null;
  }

  async check({ report }: Life): Promise<void> {
    const { kill_switch: told } = await this.#desk.client.guardrails();
    if (this.#isEngaged !== null && told.engaged !== this.#isEngaged) {
      report(`the kill switch is ${told.engaged}, and was left ${this.#isEngaged}`);
    }
    this.#isEngaged = told.engaged;
  }

  async work(life: Life): Promise<void> {
    await untilDeath(life, async () => {
      await pause(REST_MS);
      await this.#tryOrders(life);
      if (life.random.next() < 0.5) await this.#throwOrRelease(life);
    });
  }

  /** What it was engaged over is gone; then trading goes on. */
  async settle(life: Life): Promise<void> {
    const { client } = this.#desk;
    if (this.#isEngaged === true) {
      await eventually(
        async () => (await client.open()).length,
        (count) => count === 0,
      );
      if (!life.isOperatorAway) await this.#throwOrRelease(life);
      await this.#tryOrders(life);
    }
    await settleAll(client);
  }

  async #tryOrders({ report, isStopped }: Life): Promise<void> {
    const { ledger } = this.#desk;
    const orders = [1, 2].map(() => restingOrder(`halted-${ledger.nextClientId++}`));
    const expected = this.#isEngaged === true ? 'OTHER' : undefined;
    for (const { error_code: code, message } of await this.#desk.client.createMany(orders)) {
      if (isStopped && code === 'SYSTEM_BUSY') continue;
      if (code !== expected) report(`with the kill switch ${this.#isEngaged} an order was ${code} (${message})`);
    }
  }

  async #throwOrRelease({ random, isOperatorAway }: Life): Promise<void> {
    const { client, account } = this.#desk;
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
