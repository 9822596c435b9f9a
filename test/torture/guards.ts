import type { OrderRequest } from '../../src/client/index.js';
import type { GuardrailRequest } from '../../src/operator/guardrails.js';
import { pause, untilDeath, type Actor, type Life } from './actor.js';
import { settleAll } from './checks.js';
import type { Desk } from './desk.js';
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

interface Guard {
  readonly name: keyof GuardrailRequest;
  readonly value: string;
  /** As the service tells it. */
  readonly told: unknown;
  /** Refused while it is set, and never otherwise. */
  readonly order: OrderRequest;
  readonly code: string;
}

const GUARDS: readonly Guard[] = [
  { name: 'max_order_notional', value: '10', told: 10, order: MARKET, code: 'QUANTITY_EXCEED' },
  { name: 'max_open_orders', value: '0', told: 0, order: MARKET, code: 'QUANTITY_EXCEED' },
  { name: 'max_gross_exposure', value: '1', told: 1, order: MARKET, code: 'QUANTITY_EXCEED' },
  { name: 'allowed_exchanges', value: 'OKX', told: ['OKX'], order: MARKET, code: 'INVALID_EXCHANGE' },
  { name: 'allowed_symbols', value: 'BTC/USDT', told: ['BTC/USDT'], order: MARKET, code: 'INVALID_SYMBOL' },
  { name: 'price_collar_bps', value: '100', told: 100, order: LIMIT, code: 'INVALID_LIMIT_PRICE' },
];

/** An operator who sets one guardrail after another and lifts it again, of an account or of its key, and tries each. */
export class Guards implements Actor {
  readonly #desk: Desk;
  readonly #operator: Operator;
  #set: { readonly guard: Guard; readonly holder: (typeof HOLDERS)[number] } | null = null;
  refusedCount = 0;

  constructor(desk: Desk, operator: Operator) {
    this.#desk = desk;
    this.#operator = operator;
  }

  /** What was set when the service died is set, and nothing else. */
  async check({ report }: Life): Promise<void> {
    const { account, key } = await this.#desk.client.guardrails();
    const wanted = { account: {}, key: {} };
    if (this.#set !== null) wanted[this.#set.holder] = { [this.#set.guard.name]: this.#set.guard.told };
    const [told, expected] = [{ account, key }, wanted].map((one) => JSON.stringify(one));
    if (told !== expected) report(`guardrails are ${told}, and were set to ${expected}`);
  }

  async work(life: Life): Promise<void> {
    await untilDeath(life, async () => {
      await this.#try(life);
      await pause(REST_MS);
      await this.#change(life);
    });
  }

  async settle(life: Life): Promise<void> {
    await this.#try(life);
    await settleAll(this.#desk.client);
  }

  async #change({ random, isOperatorAway }: Life): Promise<void> {
    if (isOperatorAway) return;
    const { account, key } = this.#desk;
    const isLifted = this.#set !== null;
    const changed = this.#set ?? { guard: random.pick(GUARDS), holder: random.pick(HOLDERS) };
    const { guard, holder } = changed;
    this.#set = isLifted ? null : changed;
    const request = { [guard.name]: isLifted ? 'off' : guard.value };
    await this.#operator.setGuardrails(holder === 'account' ? { account } : { key: key.apiKey }, request);
  }

  /** The guardrail that is set refuses its order; without one any order is taken. */
  async #try({ random, report }: Life): Promise<void> {
    const guard = this.#set?.guard ?? random.pick(GUARDS);
    const { client, ledger } = this.#desk;
    const order = { ...guard.order, client_order_id: `guarded-${ledger.nextClientId++}` };
    const { error_code: code, order_id: orderId, message } = await client.create(order);
    const expected = this.#set === null ? undefined : guard.code;
    if (code !== expected) {
      report(`an order was ${code ?? 'taken'} (${message}), expected ${expected ?? 'taken'} by ${guard.name}`);
    }
    if (expected !== undefined) this.refusedCount += 1;
    if (orderId !== undefined) await client.cancel({ order_id: orderId });
  }
}
