import type { Side } from '../../../domain/order.js';
import { asObject, type JsonFields, type JsonObject, memberOf, namesIn, shown } from '../json/json-fields.js';
import { type ListRead, named, negated, priceOrNull, readList, readObject, type ReportFinding } from './message.js';
import { type Source, unknown, unreadable } from './message.js';
import type { BalanceRecord, CandleRecord, FillRecord, MarketRecord, OrderRecord, OrderState } from './records.js';
import type { PositionRecord, PublicTrade, VenueRecord } from './records.js';

const SIDES: ReadonlyMap<string, Side> = new Map([
  ['Buy', 'BUY'],
  ['Sell', 'SELL'],
]);
const STATES: ReadonlyMap<string, OrderState> = new Map([
  ...['New', 'PartiallyFilled', 'Untriggered', 'Triggered', 'Created'].map((name) => [name, 'OPEN'] as const),
  ['Filled', 'FILLED'],
  ...['Cancelled', 'PartiallyFilledCanceled', 'Deactivated'].map((name) => [name, 'CANCELLED'] as const),
  ['Rejected', 'REJECTED'],
]);
/** Executions that change the traded quantity of an order. Funding and settlements do not. */
const TRADES = namesIn('Trade AdlTrade BustTrade BlockTrade FutureSpread MovePosition');
const EXECUTION_TYPES = new Set([...TRADES, ...namesIn('Funding Settle Delivery SessionSettlePnL')]);
const MODES: readonly PositionRecord['mode'][] = ['NET', 'LONG', 'SHORT'];

/** Reads one frame of a v5 stream. Answers to operations (`op`) give no record. */
export function readBybitFrame(frame: unknown, report: ReportFinding): readonly VenueRecord[] {
  const message = asObject(frame);
  const topic = memberOf(message, 'topic');
  if (typeof topic !== 'string') {
    const source = sourceOf('frame', report);
    if (memberOf(message, 'op') === undefined) unreadable(source, 'the frame has no topic');
    return [];
  }
  // `kline.5.BTCUSDT`, `orderbook.50.BTCUSDT`, `execution.fast`, `order.linear`
  const [channel = '', middle = '', last = ''] = topic.split('.');
  const source = sourceOf(channel, report);
  const data = memberOf(message, 'data');
  switch (channel) {
    case 'order':
      return readList(source, data, orderOf).records;
    case 'execution':
      return readList(source, data, fillsOf).records.flat();
    case 'position':
      return (
        readObject(source, message, (fields) => [
          {
            kind: 'Positions' as const,
            isSnapshot: false,
            positions: fields.elements('data', ELEMENTS_MAX).map((value) => positionOf(fields.open(value, 'data'))),
            atMs: fields.optionalTime('creationTime'),
          },
        ]) ?? []
      );
    case 'wallet':
      return (
        readObject(source, message, (fields) => [
          {
            kind: 'Balances' as const,
            isSnapshot: false,
            balances: fields.elements('data', ELEMENTS_MAX).flatMap((value) => coinsOf(fields.open(value, 'data'))),
            atMs: fields.optionalTime('creationTime'),
          },
        ]) ?? []
      );
    case 'kline':
      return readList(source, data, (fields) => candleOf(fields, last, middle)).records;
    case 'publicTrade':
      return readList(source, data, streamTrade).records;
    case 'orderbook':
      return readObject(source, message, depthOf) ?? [];
    case 'tickers':
      return readObject(source, message, tickerOf) ?? [];
    default:
      unknown(source, `unknown topic ${shown(topic)}`);
      return [];
  }
}

const ELEMENTS_MAX = 10_000;

/** The answer of order/realtime or order/history. */
export function readBybitOrders(answer: unknown, report: ReportFinding): ListRead<OrderRecord> {
  return readAnswer('orders', answer, report, orderOf);
}

/** The answer of execution/list. Funding and settlements give no record. */
export function readBybitFills(answer: unknown, report: ReportFinding): ListRead<FillRecord> {
  const { records, isComplete } = readAnswer('executions', answer, report, fillsOf);
  return { records: records.flat(), isComplete };
}

/** The answer of position/list: also positions of size 0. */
export function readBybitPositions(answer: unknown, report: ReportFinding): ListRead<PositionRecord> {
  return readAnswer('positions', answer, report, positionOf);
}

/** The answer of account/wallet-balance. */
export function readBybitBalances(answer: unknown, report: ReportFinding): ListRead<BalanceRecord> {
  const { records, isComplete } = readAnswer('wallet', answer, report, coinsOf);
  return { records: records.flat(), isComplete };
}

/** The answer of market/recent-trade. */
export function readBybitTrades(answer: unknown, report: ReportFinding): ListRead<PublicTrade> {
  return readAnswer('trades', answer, report, (fields) => ({
    kind: 'PublicTrade',
    symbol: fields.text('symbol'),
    tradeId: fields.id('execId'),
    price: fields.amount('price'),
    quantity: fields.amount('size'),
    takerSide: fields.keyed<Side>('side', SIDES, 'BUY'),
    atMs: fields.time('time'),
  }));
}

const KLINE = ['start', 'open', 'high', 'low', 'close', 'volume', 'turnover'];

/** The answer of market/kline, as the exchange sorts it: the newest first. */
export function readBybitKlines(answer: unknown, interval: string, report: ReportFinding): ListRead<CandleRecord> {
  const source = sourceOf('klines', report);
  const result = resultOf(source, answer);
  const symbol = memberOf(result, 'symbol');
  const list = memberOf(result, 'list');
  const rows = Array.isArray(list) ? (list as readonly unknown[]).map((row) => named(row, KLINE)) : list;
  return readList(source, rows, (fields) => candleOf(fields, typeof symbol === 'string' ? symbol : '', interval));
}

function readAnswer<Result>(
  type: string,
  answer: unknown,
  report: ReportFinding,
  build: (fields: JsonFields) => Result,
): ListRead<Result> {
  const source = sourceOf(type, report);
  return readList(source, memberOf(resultOf(source, answer), 'list'), build);
}

/** The result of an answer; null and a finding for an error of the exchange. */
function resultOf(source: Source, answer: unknown): JsonObject | null {
  const code = memberOf(asObject(answer), 'retCode');
  if (code === 0) return asObject(memberOf(asObject(answer), 'result'));
  unreadable(source, `retCode is ${shown(code)}`);
  return null;
}

function orderOf(fields: JsonFields): OrderRecord {
  const state = fields.mapped<OrderState>('orderStatus', STATES, 'UNKNOWN');
  const rejection = fields.optionalText('rejectReason');
  const cancel = fields.optionalText('cancelType');
  const cancelReason = state === 'CANCELLED' && cancel !== 'UNKNOWN' ? cancel : null;
  return {
    kind: 'Order',
    symbol: fields.text('symbol'),
    clientId: fields.optionalText('orderLinkId'),
    venueOrderId: fields.id('orderId'),
    side: fields.keyed<Side>('side', SIDES, 'BUY'),
    state,
    quantity: fields.amount('qty'),
    price: priceOrNull(fields.optionalAmount('price')),
    filled: fields.amount('cumExecQty'),
    reason: rejection === null || rejection === 'EC_NoError' ? cancelReason : rejection,
    atMs: fields.time('updatedTime'),
  };
}

/** The fill of an execution; none when it is no trade. The fast stream has neither type nor fee. */
function fillsOf(fields: JsonFields): readonly FillRecord[] {
  const isTrade = fields.value('execType') === undefined || TRADES.has(fields.choice('execType', EXECUTION_TYPES));
  if (!isTrade) return [];
  const fill: FillRecord = {
    kind: 'Fill',
    symbol: fields.text('symbol'),
    clientId: fields.optionalText('orderLinkId'),
    venueOrderId: fields.id('orderId'),
    tradeId: fields.id('execId'),
    side: fields.keyed<Side>('side', SIDES, 'BUY'),
    price: fields.amount('execPrice'),
    quantity: fields.amount('execQty'),
    fee: fields.optionalSigned('execFee'),
    feeAsset: fields.optionalText('feeCurrency'),
    liquidity: fields.flag('isMaker') ? 'MAKER' : 'TAKER',
    atMs: fields.time('execTime'),
  };
  return [fill];
}

/** The size is without a sign; the side is empty when it is 0. */
function positionOf(fields: JsonFields): PositionRecord {
  const index = fields.value('positionIdx');
  const mode = typeof index === 'number' ? MODES[index] : undefined;
  if (mode === undefined) fields.fail('positionIdx is no position side');
  const size = fields.amount('size');
  const isShort = size !== '0' && fields.keyed<Side>('side', SIDES, 'BUY') === 'SELL';
  const entry = fields.optionalAmount('entryPrice') ?? fields.optionalAmount('avgPrice');
  return {
    symbol: fields.text('symbol'),
    mode: mode ?? 'NET',
    quantity: isShort ? negated(size) : size,
    entryPrice: priceOrNull(entry),
    unrealizedPnl: fields.optionalSigned('unrealisedPnl'),
  };
}

function coinsOf(account: JsonFields): readonly BalanceRecord[] {
  return account.elements('coin', ELEMENTS_MAX).map((value) => {
    const coin = account.open(value, 'coin');
    return {
      asset: coin.text('coin'),
      total: coin.signed('walletBalance'),
      free: coin.optionalSigned('availableToWithdraw'),
    };
  });
}

function candleOf(fields: JsonFields, symbol: string, interval: string): CandleRecord {
  if (symbol === '') fields.fail('the symbol of the candle is missing');
  return {
    kind: 'Candle',
    symbol,
    interval,
    openMs: fields.time('start'),
    open: fields.amount('open'),
    high: fields.amount('high'),
    low: fields.amount('low'),
    close: fields.amount('close'),
    volume: fields.amount('volume'),
    quoteVolume: fields.amount('turnover'),
    isClosed: fields.optionalFlag('confirm'),
  };
}

function streamTrade(fields: JsonFields): PublicTrade {
  return {
    kind: 'PublicTrade',
    symbol: fields.text('s'),
    tradeId: fields.id('i'),
    price: fields.amount('p'),
    quantity: fields.amount('v'),
    takerSide: fields.keyed<Side>('S', SIDES, 'BUY'),
    atMs: fields.time('T'),
  };
}

function depthOf(message: JsonFields): readonly MarketRecord[] {
  const data = message.inside('data');
  return [
    {
      kind: 'Depth',
      symbol: data.text('s'),
      isSnapshot: message.text('type') === 'snapshot',
      bids: data.levels('b'),
      asks: data.levels('a'),
      firstUpdateId: null,
      lastUpdateId: data.id('u'),
      previousUpdateId: null,
      // cts: the time of the matching engine.
      atMs: message.optionalTime('cts') ?? message.time('ts'),
    },
  ];
}

/** A change names only the members that have changed. */
function tickerOf(message: JsonFields): readonly MarketRecord[] {
  const data = message.inside('data');
  const symbol = data.text('symbol');
  const atMs = message.time('ts');
  const [markPrice, indexPrice] = [data.optionalAmount('markPrice'), data.optionalAmount('indexPrice')];
  const [fundingRate, nextFundingMs] = [data.optionalSigned('fundingRate'), data.optionalTime('nextFundingTime')];
  const quantity = data.optionalAmount('openInterest');
  const records: MarketRecord[] = [];
  if ([markPrice, indexPrice, fundingRate, nextFundingMs].some((value) => value !== null)) {
    records.push({ kind: 'MarkPrice', symbol, markPrice, indexPrice, fundingRate, nextFundingMs, atMs });
  }
  if (quantity !== null) records.push({ kind: 'OpenInterest', symbol, quantity, atMs });
  return records;
}

function sourceOf(type: string, report: ReportFinding): Source {
  return { venue: 'BYBIT', type, report };
}
