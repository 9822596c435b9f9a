import { expect, it, onTestFinished } from 'vitest';
import {
  type MultiLegOrderRequest,
  type OrderDetails,
  type OrderRequest,
  type SluiceClient,
  StreamClient,
} from '../../src/client/index.js';
import { formatUnits } from '../loopback/decimal.js';
import type { Exchange } from '../loopback/exchange.js';
import { eventually } from './eventually.js';
import { openRealExchanges, type RealExchange } from './live-exchanges.js';
import { accepted, addKey } from './live-site.js';
import { newSite } from './site.js';
import { isTerminal } from './watched-orders.js';

/*
 * One service trades by every strategy at the loopback exchanges of Binance, Bybit and OKX, on the data that they
 * publish.
 */

type Category = 'SPOT' | 'FUTURE';
const CATEGORIES: readonly Category[] = ['SPOT', 'FUTURE'];
const SYMBOLS: Readonly<Record<Category, string>> = { SPOT: 'BTC/USDT', FUTURE: 'BTC/USDT:USDT' };
const QUANTITY = '0.05';
/** Long enough for several slices, also on a loaded machine. */
const SHORT = { duration_seconds: '10' } as const;

/** Terms of each strategy and of each condition, for a buy of a market at a price of about 50,000. */
const TERMS: Readonly<Record<string, Partial<OrderRequest> & Pick<OrderRequest, 'strategy'>>> = {
  TWAP: { strategy: 'TWAP', params: { ...SHORT, trading_style: 'AGGRESSIVE' } },
  VWAP: { strategy: 'VWAP', params: { ...SHORT, trading_style: 'AGGRESSIVE' } },
  IS: { strategy: 'IS', params: { ...SHORT, urgency: 'HIGH', trading_style: 'AGGRESSIVE' } },
  POV: {
    strategy: 'POV',
    clip_size_type: 'PERCENTAGE',
    clip_size_val: '50',
    params: { ...SHORT, trading_style: 'AGGRESSIVE' },
  },
  ICEBERG: { strategy: 'ICEBERG', params: { ...SHORT, trading_style: 'AGGRESSIVE' } },
  SCALE: { strategy: 'SCALE', params: { start_ladder_price: '51500', end_ladder_price: '51000' } },
  LIMIT: { strategy: 'LIMIT', limit_price: '51000' },
  MARKET: { strategy: 'MARKET' },
  trigger: {
    strategy: 'LIMIT',
    limit_price: '51000',
    params: { trigger: { trigger_price: '1000', trigger_condition: 'ABOVE' } },
  },
  imbalance: {
    strategy: 'LIMIT',
    limit_price: '51000',
    params: { ob_imbalance_cancel: true, ob_imbalance_threshold: '0.9' },
  },
  depth: {
    strategy: 'TWAP',
    params: {
      ...SHORT,
      trading_style: 'PASSIVE',
      placement_infos: { placement_mode: 'CUSTOM', placement: '2', cancel: '5' },
    },
  },
};

function sectionOf({ spot, perpetuals }: RealExchange, category: Category): Exchange {
  return category === 'SPOT' ? spot : perpetuals;
}

/** What the ledger of an exchange has executed for an order, in base units. */
function executed(exchange: RealExchange, category: Category, orderId: number): number {
  const { account, separator } = exchange;
  const { ledger } = sectionOf(exchange, category);
  const fills = ledger.fillsOf(account.id).filter(({ clientId }) => clientId.startsWith(`${orderId}${separator}`));
  return Number(formatUnits(fills.reduce((sum, { quantity }) => sum + quantity, 0n)));
}

/** Why the children of an order were placed. A child at a level of the book needs the depth. */
async function reasonsOf(client: SluiceClient, orderId: number): Promise<readonly unknown[]> {
  const { events } = await client.timeline({ orderId });
  return events.map((event) => ('reason' in event ? event.reason : null));
}

it('trades by every strategy at three exchanges, in pairs over two of them, and streams what they publish', async () => {
  const { exchanges, environment, refused } = await openRealExchanges('strategies');
  const site = newSite();
  const key = await site.issueKey();
  const run = site.start({ env: { ...environment, SLUICE_SHARDS: '2' } });
  const port = await run.ready();
  const client = site.client(port, key);
  for (const { venue, account } of exchanges) await addKey(site.dataDir, account, { exchange: venue });
  const connected = (): number => run.lines.filter(({ msg }) => msg === 'the account is connected').length;
  await run.until(() => connected() >= exchanges.length, 'the account is connected at each exchange');

  const stream = new StreamClient({ url: `http://127.0.0.1:${port}`, listenKey: () => client.listenKey() });
  onTestFinished(() => stream.close());
  await stream.connect();
  const seen = new Set<string>();
  const wanted: string[] = [];
  for (const { venue: exchange } of exchanges) {
    for (const category of CATEGORIES) {
      const symbol = SYMBOLS[category];
      for (const topic of ['ticker', 'ohlcv', ...(category === 'FUTURE' ? ['open_interest'] : [])] as const) {
        const name = `${topic} ${exchange} ${symbol}`;
        wanted.push(name);
        await stream.subscribe({ topic, exchange, symbol } as never, () => seen.add(name));
      }
    }
  }

  // Every strategy at every exchange, and in markets of both categories: the exchanges bound the orders of an account.
  const placed = exchanges.flatMap((exchange, turn) =>
    Object.entries(TERMS).map(([name, terms], index) => {
      return { exchange, category: CATEGORIES[(index + turn) % 2]!, name, terms };
    }),
  );
  const ids = await Promise.all(
    placed.map(({ exchange, category, terms }) =>
      accepted(client, {
        exchange: exchange.venue,
        symbol: SYMBOLS[category],
        asset_category: category,
        side: 'BUY',
        quantity: QUANTITY,
        ...terms,
      }),
    ),
  );
  const pair: MultiLegOrderRequest = {
    algo: 'PAIR',
    legs: [
      {
        exchange: 'BINANCE',
        symbol: 'BTC/USDT',
        asset_category: 'SPOT',
        side: 'BUY',
        strategy: 'TWAP',
        ccy: 'BTC',
        target_value: QUANTITY,
        params: { ...SHORT, trading_style: 'AGGRESSIVE', is_leading: true },
      },
      {
        exchange: 'OKX',
        symbol: 'BTC/USDT',
        asset_category: 'FUTURE',
        side: 'SELL',
        strategy: 'MARKET',
        ccy: 'BTC',
        target_value: QUANTITY,
      },
    ],
  };
  const { order_id: pairId, message } = await client.createMultiLegs(pair);
  if (pairId === undefined) expect.fail(message ?? 'a pair has an id');
  const orders = await eventually(
    () => client.byId({ orderIds: [...ids, pairId] }),
    (found) => found.length === ids.length + 1 && found.every(isTerminal),
  );
  const orderOf = (id: number): OrderDetails => orders.find(({ order_id: one }) => one === id)!;
  for (const [index, { exchange, category, name }] of placed.entries()) {
    const { filled_quantity: filled, message: why } = orderOf(ids[index]!);
    const at = `${exchange.venue} ${category} ${name}: ${why}`;
    expect([at, filled]).toEqual([at, executed(exchange, category, ids[index]!)]);
    // A machine that starves the service may leave a rest at the end. A strategy without its data trades nothing.
    if (name !== 'depth') expect([at, filled > 0]).toEqual([at, true]);
    else expect([at, await reasonsOf(client, ids[index]!)]).toEqual([at, expect.arrayContaining(['JOIN_LEVEL'])]);
  }
  const [binance, , okx] = exchanges;
  const led = executed(binance!, 'SPOT', pairId);
  expect([led > 0, executed(okx!, 'FUTURE', pairId)]).toEqual([true, led]);

  await eventually(
    () => wanted.filter((name) => !seen.has(name)),
    (missing) => missing.length === 0,
  );
  for (const { venue } of exchanges) {
    const rates = await client.lastFundingRates({ exchange: venue });
    expect([venue, rates.map(({ symbol }) => symbol)]).toEqual([venue, expect.arrayContaining(['BTC/USDT:USDT'])]);
    const history = await client.fundingRateHistory(venue, 'BTC/USDT:USDT');
    expect([venue, history.length > 0]).toEqual([venue, true]);
    const positions = await client.positions(venue);
    expect(positions.map(({ symbol }) => symbol)).toEqual(['BTC/USDT:USDT']);
  }
  expect(refused()).toEqual([]);
});
