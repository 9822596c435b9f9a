import { expect, type TestContext, onTestFinished } from 'vitest';
import type { OrderDetails, OrderRequest, SluiceClient } from '../../src/client/index.js';
import type { LoopbackAccount } from '../loopback/accounts.js';
import { formatUnits } from '../loopback/decimal.js';
import type { LedgerFill } from '../loopback/ledger.js';
import { eventually } from './eventually.js';
import { accepted, addKey } from './live-site.js';
import { newSite } from './site.js';
import { endSoon } from './sooner-end.js';

type Market = Pick<OrderRequest, 'exchange' | 'symbol' | 'asset_category'>;

interface Trading {
  /** Of the service. */
  readonly environment: Readonly<Record<string, string>>;
  readonly account: LoopbackAccount;
  /** Each market gets an order that is filled before the kill, in turn to buy and to sell. */
  readonly markets: readonly Market[];
}

interface Traded {
  readonly survivor: SluiceClient;
  readonly orders: readonly OrderDetails[];
  /** What both processes have printed. */
  readonly outputs: readonly string[];
}

type Terms = Market & Pick<OrderRequest, 'side' | 'quantity'>;

const PARAMS = { duration_seconds: '30', trading_style: 'AGGRESSIVE' } as const;

/**
 * Trades at a loopback exchange until all orders are filled. A SIGKILL comes while the last order trades, which takes
 * the other side in the last market.
 */
export async function tradedThroughKill(
  { environment, account, markets }: Trading,
  test: Pick<TestContext, 'onTestFinished'> = { onTestFinished },
): Promise<Traded> {
  const terms = markets.map((market, index): Terms => ({
    ...market,
    side: sideOf(index),
    quantity: `0.0${index + 1}`,
  }));
  const twap: Terms = { ...markets.at(-1)!, side: sideOf(markets.length), quantity: '0.05' };
  const site = newSite(test);
  const key = await site.issueKey();
  const env = { ...environment, SLUICE_SHARDS: '2' };
  const run = site.start({ env });
  const client = site.client(await run.ready(), key);
  await addKey(site.dataDir, account, { exchange: twap.exchange });
  await run.line('the account is connected');

  const ids: number[] = [];
  // oxlint-disable-next-line no-await-in-loop
  for (const order of terms) ids.push(await accepted(client, { ...order, strategy: 'MARKET' }));
  await filled(client, ids);
  const last = await accepted(client, { ...twap, strategy: 'TWAP', params: PARAMS });
  await eventually(
    () => client.byId({ orderIds: [last] }),
    ([order]) => (order?.filled_quantity ?? 0) > 0,
  );
  await run.kill();

  const next = site.start({ env });
  const survivor = site.client(await next.ready(), key);
  await next.line('the account is connected');
  await endSoon(survivor, [last]);
  const orders = await filled(survivor, [...ids, last]);
  const quantities = [...terms, twap].map(({ quantity }) => Number(quantity));
  expect(orders.map(({ filled_quantity: quantity }) => quantity)).toEqual(quantities);
  return { survivor, orders, outputs: [run.output, next.output] };
}

function sideOf(index: number): 'BUY' | 'SELL' {
  return index % 2 === 0 ? 'BUY' : 'SELL';
}

/** The orders with their trades, in the order of the ids. */
async function filled(client: SluiceClient, ids: readonly number[]): Promise<readonly OrderDetails[]> {
  const found = await eventually(
    () => client.byId({ orderIds: ids, includeTrades: true }),
    (orders) => orders.length === ids.length && orders.every(({ status }) => status === 'FILLED'),
  );
  return ids.map((id) => found.find(({ order_id: orderId }) => orderId === id)!);
}

/** A fill in the ledger of the exchange, with the order id that its clients see. */
export interface RealFill extends Pick<LedgerFill, 'clientId' | 'quantity' | 'price' | 'fee' | 'feeAsset'> {
  readonly orderId: string;
}

/** Each order has the fills of the ledger. `mark` is between the order id and the child in a client id. */
export function expectFills(orders: readonly OrderDetails[], fills: readonly RealFill[], mark: '-' | 'x' = '-'): void {
  for (const { order_id: id, trades = [] } of orders) {
    const seen = trades.map((trade) => [
      trade.exchangeOrderId,
      trade.quantity,
      trade.price,
      trade.fee,
      trade.feeCurrency,
    ]);
    const real = fills
      .filter(({ clientId }) => clientId.startsWith(`${id}${mark}`))
      .map((fill) => [
        fill.orderId,
        ...[fill.quantity, fill.price, fill.fee].map((units) => Number(formatUnits(units))),
        fill.feeAsset,
      ]);
    expect(seen.sort(byText)).toEqual(real.sort(byText));
  }
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}
