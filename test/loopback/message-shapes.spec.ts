import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BinanceLoopback } from './binance/binance-loopback.js';
import { Declarations } from './declared-members.js';
import { RECORDED_MEMBERS } from './recorded-members.js';
import { TestClient, type TestSocket } from './test-client.js';

const PACKAGES = join(import.meta.dirname, '../../node_modules/@binance');
const LIMIT = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '0.01', price: '49000' };
const TAKER = { ...LIMIT, price: '50100', timeInForce: 'IOC' };
const SYMBOL = { symbol: 'BTCUSDT' };

let loopback: BinanceLoopback;
let client: TestClient;
let spotEvents: TestSocket;
let futuresEvents: TestSocket;
const spot = new Declarations(join(PACKAGES, 'spot/dist/index.d.ts'));
const futures = new Declarations(join(PACKAGES, 'derivatives-trading-usds-futures/dist/index.d.ts'));

beforeAll(async () => {
  loopback = await BinanceLoopback.start();
  client = new TestClient(loopback, loopback.openAccount().keys[0]);
  spotEvents = await client.socket('ws-api.binance.com', '/ws-api/v3');
  await spotEvents.request('userDataStream.subscribe.signature');
  const { listenKey } = await client.ok<{ listenKey: string }>('POST', '/fapi/v1/listenKey');
  futuresEvents = await client.socket('fstream.binance.com', `/private/ws/${listenKey}`);
  for (const path of ['/api/v3/order', '/fapi/v1/order']) {
    await client.ok('POST', path, { ...LIMIT, newClientOrderId: 'resting' });
    await client.ok('POST', path, { ...TAKER, newClientOrderId: 'taking' });
    await client
      .ok('POST', path, { ...LIMIT, timeInForce: 'IOC', newClientOrderId: 'expiring' })
      .catch(() => undefined);
  }
  loopback.spot.transfer(1, 'BTC', 100_000n);
});

afterAll(async () => {
  await loopback.close();
});

/** The first entry of a list, or the answer itself. */
const first = (body: unknown): unknown => (Array.isArray(body) ? body[0] : body);
const read = async (path: string, parameters: Record<string, string | number> = {}): Promise<unknown> => {
  const isPublic = !/order|account|Trades|balance|position|commission|leverage|Config/i.test(path);
  return first(await (isPublic ? new TestClient(loopback) : client).ok('GET', path, parameters));
};

/** Members of orders of kinds that this exchange does not have: trailing, pegged, routed, prevented. */
const CONDITIONAL_SPOT = [
  'preventedMatchId',
  'preventedQuantity',
  'strategyId',
  'strategyType',
  'trailingDelta',
  'trailingTime',
  'usedSor',
  'workingFloor',
  'pegPriceType',
  'pegOffsetType',
  'pegOffsetValue',
  'peggedPrice',
  'expiryReason',
];
const CONDITIONAL_FUTURES = ['activatePrice', 'priceRate'];

/** The differences without the lack of a conditional member. */
function unexplained(differences: readonly string[], conditional: readonly string[]): readonly string[] {
  return differences.filter((difference) => !conditional.some((member) => difference.endsWith(`: lacks ${member}`)));
}

const NAMED = { ...SYMBOL, origClientOrderId: 'resting' };

describe('answers have the members that the connectors of Binance declare', () => {
  it.each<[string, string, Record<string, string | number>, readonly string[]]>([
    ['/api/v3/account', 'GetAccountResponse', {}, []],
    ['/api/v3/order', 'GetOrderResponse', NAMED, CONDITIONAL_SPOT],
    ['/api/v3/openOrders', 'GetOpenOrdersResponseInner', SYMBOL, CONDITIONAL_SPOT],
    ['/api/v3/myTrades', 'MyTradesResponseInner', SYMBOL, []],
    ['/api/v3/ticker/24hr', 'Ticker24hrResponse1$1', SYMBOL, []],
    ['/api/v3/ticker/bookTicker', 'TickerBookTickerResponse1', SYMBOL, []],
    ['/api/v3/account/commission', 'AccountCommissionResponse$1', SYMBOL, []],
  ])('spot %s as %s', async (path, name, parameters, conditional) => {
    expect(unexplained(spot.differences(await read(path, parameters), name), conditional)).toEqual([]);
  });

  it.each<[string, string, Record<string, string | number>, readonly string[]]>([
    ['/fapi/v2/account', 'AccountInformationV2Response$1', {}, []],
    ['/fapi/v3/account', 'AccountInformationV3Response', {}, []],
    ['/fapi/v3/balance', 'FuturesAccountBalanceV2ResponseInner', {}, []],
    ['/fapi/v3/positionRisk', 'PositionInformationV3ResponseInner', SYMBOL, []],
    ['/fapi/v1/commissionRate', 'UserCommissionRateResponse', SYMBOL, []],
    ['/fapi/v1/leverageBracket', 'NotionalAndLeverageBracketsResponse1Inner', {}, []],
    ['/fapi/v1/premiumIndex', 'MarkPriceResponse2Inner', SYMBOL, []],
    ['/fapi/v1/ticker/24hr', 'Ticker24hrPriceChangeStatisticsResponse1', SYMBOL, []],
    ['/fapi/v1/aggTrades', 'CompressedAggregateTradesListResponseInner', SYMBOL, []],
    ['/fapi/v1/accountConfig', 'FuturesAccountConfigurationResponse', {}, []],
    ['/fapi/v1/positionSide/dual', 'GetCurrentPositionModeResponse', {}, []],
    ['/fapi/v1/openOrders', 'CurrentAllOpenOrdersResponseInner', SYMBOL, CONDITIONAL_FUTURES],
    ['/fapi/v1/order', 'QueryOrderResponse$1', NAMED, CONDITIONAL_FUTURES],
  ])('futures %s as %s', async (path, name, parameters, conditional) => {
    expect(unexplained(futures.differences(await read(path, parameters), name), conditional)).toEqual([]);
  });
});

async function streams(host: string, path: string): Promise<TestSocket> {
  const socket = await client.socket(host, path);
  loopback.spot.background.trade('BTCUSDT', 'BUY', 1_000_000n);
  loopback.futures.background.trade('BTCUSDT', 'BUY', 1_000_000n);
  return socket;
}

describe('events have the members that the connectors declare', () => {
  it.each([
    ['btcusdt@bookTicker', 'BookTickerResponse'],
    ['btcusdt@trade', 'TradeResponse'],
    ['btcusdt@aggTrade', 'AggTradeResponse'],
    ['btcusdt@kline_1m', 'KlineResponse'],
    ['btcusdt@depth@100ms', 'DiffBookDepthResponse'],
    ['btcusdt@depth5@100ms', 'PartialBookDepthResponse'],
  ])('spot %s as %s', async (name, declared) => {
    const socket = await streams('stream.binance.com', `/ws/${name}`);
    expect(spot.differences(await socket.frame(() => true), declared)).toEqual([]);
    socket.close();
  });

  it.each([
    ['public', 'btcusdt@bookTicker', 'IndividualSymbolBookTickerStreamsResponse'],
    ['market', 'btcusdt@aggTrade', 'AggregateTradeStreamsResponse'],
    ['market', 'btcusdt@kline_1m', 'KlineCandlestickStreamsResponse'],
    ['market', 'btcusdt@markPrice@1s', 'MarkPriceStreamResponse'],
    ['public', 'btcusdt@depth@100ms', 'DiffBookDepthStreamsResponse'],
    ['public', 'btcusdt@depth5@100ms', 'PartialBookDepthStreamsResponse'],
  ])('futures %s %s as %s', async (route, name, declared) => {
    const socket = await streams('fstream.binance.com', `/${route}/stream?streams=${name}`);
    const { data } = await socket.frame(({ stream }) => stream === name);
    expect(futures.differences(data, declared)).toEqual([]);
    socket.close();
  });
});

/** `name: type` of all members, those of inner objects with their path. */
function membersOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? [] : membersOf(value[0], `${path}[]`);
  if (typeof value !== 'object' || value === null) return [`${path}: ${value === null ? 'null' : typeof value}`];
  return Object.entries(value).flatMap(([name, part]) => membersOf(part, path === '' ? name : `${path}.${name}`));
}

async function event(fits: (event: Record<string, unknown>) => boolean): Promise<unknown> {
  const frame = await spotEvents.frame((frame) => fits((frame['event'] ?? {}) as Record<string, unknown>));
  return frame['event'];
}

async function update(execution: string): Promise<unknown> {
  return futuresEvents.frame(({ o }) => (o as { x?: string } | undefined)?.x === execution);
}

describe('messages have all members of the recorded ones', () => {
  const messages: Readonly<Record<string, () => Promise<unknown>>> = {
    'spot executionReport NEW': () => event(({ x }) => x === 'NEW'),
    'spot executionReport TRADE': () => event(({ x }) => x === 'TRADE'),
    'spot executionReport EXPIRED': () => event(({ x }) => x === 'EXPIRED'),
    'spot outboundAccountPosition': () => event(({ e }) => e === 'outboundAccountPosition'),
    'spot balanceUpdate': () => event(({ e }) => e === 'balanceUpdate'),
    'spot order': () => read('/api/v3/order', NAMED),
    'spot cancel': () => client.ok('DELETE', '/api/v3/order', NAMED),
    'spot myTrades': () => read('/api/v3/myTrades', SYMBOL),
    'spot trades': () => read('/api/v3/trades', SYMBOL),
    'spot depth': () => read('/api/v3/depth', SYMBOL),
    'spot ticker': () => read('/api/v3/ticker/24hr', SYMBOL),
    'futures ORDER_TRADE_UPDATE NEW': () => update('NEW'),
    'futures ORDER_TRADE_UPDATE TRADE': () => update('TRADE'),
    'futures TRADE_LITE': () => futuresEvents.frame(({ e }) => e === 'TRADE_LITE'),
    'futures ACCOUNT_UPDATE': () => futuresEvents.frame(({ e }) => e === 'ACCOUNT_UPDATE'),
    'futures positionRisk': () => read('/fapi/v2/positionRisk', SYMBOL),
    'futures balance': () => read('/fapi/v2/balance'),
    'futures account': () => read('/fapi/v2/account'),
  };

  it.each(Object.keys(RECORDED_MEMBERS))('%s', async (name) => {
    const members = membersOf(await messages[name]!());
    expect(RECORDED_MEMBERS[name]!.filter((member) => !members.includes(member))).toEqual([]);
  });
});
