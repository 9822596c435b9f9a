import type { AccountId } from '../../src/domain/ids.js';
import { RISK_LIMIT_READ_MS } from '../../src/domain/limits/trading.js';
import type { ReconciliationReport } from '../../src/domain/restore.js';
import { ACCOUNTS, CATALOGUE } from './listed.js';
import type { ModelOrder } from './order-model.js';
import type { World } from './world.js';

const VENUES = [...new Set(CATALOGUE.instruments.map(({ venue }) => venue))];

/** The operator of the service. Releases quarantined orders and resumes trading, as the commands of `sluice` do. */
export class Operator {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Runs one command when there is a cause for it. */
  act(): void {
    if (this.#world.chance.hits(0.5)) this.#resume();
    if (this.#world.chance.hits(0.3)) this.#hold();
    const held = this.#held();
    if (held.length > 0) this.#release(this.#world.chance.pick(held));
  }

  /** Runs all commands that have a cause. */
  actAll(): void {
    for (const order of this.#held()) this.#release(order);
    this.#resume();
  }

  #release({ created: { orderId } }: ModelOrder): void {
    const { process, nowMs } = this.#world;
    const { releases } = process.front;
    if (releases.pending().includes(orderId)) return;
    this.#world.write(`release ${orderId}`);
    releases.ask(orderId, nowMs);
  }

  /** Ends the halt of a restored service for the accounts that are reconciled. */
  #resume(): void {
    const { trading, restore } = this.#world.process.front;
    if (trading.restore()?.isHalted !== true || restore.report === null) return;
    if (!restore.report.isComplete) return this.#resumeAccounts(restore.report);
    this.#world.checkLostOrders(null);
    this.#world.write('trading is resumed');
    trading.resume(null);
  }

  #resumeAccounts({ accounts }: ReconciliationReport): void {
    const { trading } = this.#world.process.front;
    const exempt = trading.restore()?.exempt ?? [];
    for (const { account, isComplete } of accounts) {
      if (!isComplete || exempt.includes(account)) continue;
      this.#world.checkLostOrders(account);
      this.#world.write(`trading of ${account} is resumed`);
      trading.resume(account);
    }
  }

  /** Sets a risk limit of an account, or lifts all its limits and kill switches. */
  #hold(): void {
    const { chance, bounds, process, trueMs } = this.#world;
    const account = chance.pick(ACCOUNTS);
    const store = process.front.guardrails;
    const holder = { kind: 'account', account: account as AccountId } as const;
    if (chance.hits(0.5)) {
      this.#world.write(`${account} is held to nothing`);
      bounds.lift(account);
      store.set(holder, { allowedExchanges: null, maxOpenOrders: null });
      store.release(holder);
      return;
    }
    const exchange = chance.hits(0.5) ? chance.pick(VENUES) : null;
    const openOrdersMax = exchange === null ? chance.between(1, 6) : null;
    this.#world.write(`${account} is held to ${exchange ?? `${openOrdersMax} open orders`}`);
    bounds.lift(account);
    store.set(holder, { allowedExchanges: exchange === null ? null : [exchange], maxOpenOrders: openOrdersMax });
    const isHalted = store.rows().some((row) => row.kind === 'killSwitch');
    if (!isHalted) bounds.expect(account, { exchange, openOrdersMax }, trueMs + RISK_LIMIT_READ_MS);
  }

  #held(): ModelOrder[] {
    return [...this.#world.audit.model.open.values()].filter(({ quarantine }) => quarantine === 'held');
  }
}
