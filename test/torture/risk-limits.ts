import type { OrderRequest } from '../../src/client/index.js';
import type { RiskLimitRequest } from '../../src/admin/risk-limit-operations.js';
import { pause, untilServiceEnds, type Actor, type ServiceRun } from './actor.js';
import { settleAll } from './checks.js';
import type { AccountSession } from './account-session.js';
import type { Operator } from './operator.js';

const REST_MS = 15;

const SMALL = {
  exchange: 'BINANCE',
  symbol: 'ETH/USDT',
  asset_category: 'SPOT',
  side: 'BUY',
  quantity: '0.01',
} as const;
const MARKET = { ...SMALL, strategy: 'MARKET' } as const;
const LIMIT = { ...SMALL, strategy: 'LIMIT', limit_price: '2000' } as const;

const HOLDERS = ['account', 'key'] as const;

interface LimitCase {
  readonly name: keyof RiskLimitRequest;
  readonly value: string;
  /** As the service reports it. */
  readonly reported: unknown;
  /** An order that is rejected while the limit is set, and accepted otherwise. */
  readonly order: OrderRequest;
  readonly code: string;
}

const LIMIT_CASES: readonly LimitCase[] = [
  { name: 'max_order_notional', value: '10', reported: 10, order: MARKET, code: 'QUANTITY_EXCEED' },
  { name: 'max_open_orders', value: '0', reported: 0, order: MARKET, code: 'QUANTITY_EXCEED' },
  { name: 'max_gross_exposure', value: '1', reported: 1, order: MARKET, code: 'QUANTITY_EXCEED' },
  { name: 'allowed_exchanges', value: 'OKX', reported: ['OKX'], order: MARKET, code: 'INVALID_EXCHANGE' },
  { name: 'allowed_symbols', value: 'BTC/USDT', reported: ['BTC/USDT'], order: MARKET, code: 'INVALID_SYMBOL' },
  { name: 'price_collar_bps', value: '100', reported: 100, order: LIMIT, code: 'INVALID_LIMIT_PRICE' },
];

/** Sets one risk limit of an account or its key at a time, removes it again, and tests each. */
export class RiskLimitActor implements Actor {
  readonly #session: AccountSession;
  readonly #operator: Operator;
  #set: { readonly limitCase: LimitCase; readonly holder: (typeof HOLDERS)[number] } | null = null;
  refusedCount = 0;

  constructor(session: AccountSession, operator: Operator) {
    this.#session = session;
    this.#operator = operator;
  }

  /** Checks that exactly the limits set before the end of the last run are set. */
  async check({ report }: ServiceRun): Promise<void> {
    const { account, key } = await this.#session.client.riskLimits();
    const wanted = { account: {}, key: {} };
    if (this.#set !== null) wanted[this.#set.holder] = { [this.#set.limitCase.name]: this.#set.limitCase.reported };
    const [reported, expected] = [{ account, key }, wanted].map((one) => JSON.stringify(one));
    if (reported !== expected) report(`risk limits are ${reported}, but were set to ${expected}`);
  }

  async work(run: ServiceRun): Promise<void> {
    await untilServiceEnds(run, async () => {
      await this.#try(run);
      await pause(REST_MS);
      await this.#change(run);
    });
  }

  async settle(run: ServiceRun): Promise<void> {
    await this.#try(run);
    await settleAll(this.#session.client);
  }

  async #change({ random, isOperatorAway }: ServiceRun): Promise<void> {
    if (isOperatorAway) return;
    const { account, key } = this.#session;
    const isLifted = this.#set !== null;
    const changed = this.#set ?? { limitCase: random.pick(LIMIT_CASES), holder: random.pick(HOLDERS) };
    const { limitCase, holder } = changed;
    this.#set = isLifted ? null : changed;
    const request = { [limitCase.name]: isLifted ? 'off' : limitCase.value };
    await this.#operator.setLimits(holder === 'account' ? { account } : { key: key.apiKey }, request);
  }

  /** Tests that a limit rejects its order, and that without limits any order is accepted. */
  async #try({ random, report }: ServiceRun): Promise<void> {
    const limitCase = this.#set?.limitCase ?? random.pick(LIMIT_CASES);
    const { client, ledger } = this.#session;
    const order = { ...limitCase.order, client_order_id: `guarded-${ledger.nextClientId++}` };
    const { error_code: code, order_id: orderId, message } = await client.create(order);
    const expected = this.#set === null ? undefined : limitCase.code;
    if (code !== expected) {
      report(
        `an order was ${code ?? 'accepted'} (${message}), expected ${expected ?? 'accepted'} by ${limitCase.name}`,
      );
    }
    if (expected !== undefined) this.refusedCount += 1;
    if (orderId !== undefined) await client.cancel({ order_id: orderId });
  }
}
