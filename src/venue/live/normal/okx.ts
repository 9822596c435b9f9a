import type { Side } from '../../../domain/order.js';
import type { EpochMs } from '../../../domain/time.js';
import { asObject, type JsonFields, memberOf, namesIn, shown } from '../json/json-fields.js';
import { type ListRead, named, negated, priceOrNull, readList, type ReportFinding } from './message.js';
import { type Source, unknown, unreadable } from './message.js';
import type { Balances, CandleRecord, FillRecord, MarketRecord, OrderRecord, OrderState } from './records.js';
import type { FundingRecord, PositionMargin, PositionRecord, VenueRecord } from './records.js';

const SIDES: ReadonlyMap<string, Side> = new Map([
  ['buy', 'BUY'],
  ['sell', 'SELL'],
]);
const STATES: ReadonlyMap<string, OrderState> = new Map([
  ['live', 'OPEN'],
  ['partially_filled', 'OPEN'],
  ['filled', 'FILLED'],
  ['canceled', 'CANCELLED'],
  ['mmp_canceled', 'CANCELLED'],
]);
const MODES: ReadonlyMap<string, PositionRecord['mode']> = new Map([
  ['net', 'NET'],
  ['long', 'LONG'],
  ['short', 'SHORT'],
]);
const LIQUIDITIES: ReadonlyMap<string, FillRecord['liquidity']> = new Map([
  ['M', 'MAKER'],
  ['T', 'TAKER'],
]);
const CANDLE = ['ts', 'open', 'high', 'low', 'close', 'vol', 'volCcy', 'volCcyQuote', 'confirm'];
const BOOKS = namesIn('books books5 books-l2-tbt books50-l2-tbt bbo-tbt');
const ELEMENTS_MAX = 10_000;
const ORDER_MEMBERS = namesIn(`
  accFillSz algoClOrdId algoId amendResult amendSource attachAlgoClOrdId attachAlgoOrds avgPx cTime cancelSource
  cancelSourceReason category ccy clOrdId code execType fee feeCcy fillFee fillFeeCcy fillFwdPx fillIdxPx fillMarkPx
  fillMarkVol fillNotionalUsd fillPnl fillPx fillPxUsd fillPxVol fillSz fillTime fillVol instId instIdCode instType
  isTpLimit isElpTakerAccess lastPx lever linkedAlgoOrd msg notionalUsd ordId ordType outcome pnl posSide pTime px pxType
  pxUsd pxVol quickMgnType rebate rebateCcy reduceOnly reqId side slOrdPx slTriggerPx slTriggerPxType source state stpId
  stpMode subCode sz tag tdMode tgtCcy tpOrdPx tpTriggerPx tpTriggerPxType tradeId tradeQuoteCcy tradeScope uTime uid
  userId`);
const FILL_MEMBERS = namesIn(`
  billId clOrdId execType fee feeCcy feeRate fillFwdPx fillIdxPx fillMarkPx fillMarkVol fillPnl fillPx fillPxUsd fillPxVol
  fillSz fillTime instId instIdCode instType isElpTakerAccess ordId posSide side source subType tag tradeId tradeQuoteCcy
  tradeScope ts`);
const TYPES = namesIn(
  'limit market post_only fok ioc optimal_limit_ioc mmp mmp_and_post_only op_fok elp trigger conditional oco',
);
const MARGIN_MODES: ReadonlyMap<string, PositionMargin['mode']> = new Map([
  ['cross', 'CROSS'],
  ['isolated', 'ISOLATED'],
]);

/** Reads one frame of a v5 stream. Events (login, subscribe, error) give no record. A fill comes before its order. */
export function readOkxFrame(frame: unknown, report: ReportFinding): readonly VenueRecord[] {
  const message = asObject(frame);
  const arg = asObject(memberOf(message, 'arg'));
  const channel = memberOf(arg, 'channel');
  const data = memberOf(message, 'data');
  if (typeof channel !== 'string' || memberOf(message, 'event') !== undefined) {
    const isOther = ['event', 'op', 'id'].some((name) => memberOf(message, name) !== undefined);
    if (!isOther) unreadable(sourceOf('frame', report), 'the frame has no channel');
    return [];
  }
  const source = sourceOf(channel, report);
  const instId = memberOf(arg, 'instId');
  const symbol = typeof instId === 'string' ? instId : '';
  if (channel.startsWith('candle')) return candlesIn(source, data, symbol, channel.slice('candle'.length)).records;
  if (BOOKS.has(channel)) {
    const isUpdate = memberOf(message, 'action') === 'update';
    return readList(source, data, (fields) => bookOf(fields, symbol, !isUpdate)).records;
  }
  switch (channel) {
    case 'trades':
    case 'trades-all':
      return readList(source, data, tradeOf).records;
    case 'mark-price':
    case 'funding-rate':
      return readList(source, data, markPriceOf).records;
    case 'open-interest':
      return readList(source, data, openInterestOf).records;
    case 'orders':
      return readList(source, data, orderAndFill).records.flat();
    case 'account':
      return readList(source, data, (fields) => balancesOf(fields, false)).records;
    case 'positions': {
      const { records } = readList(source, data, positionOf);
      return [{ kind: 'Positions', isSnapshot: false, positions: records, atMs: null }];
    }
    default:
      unknown(source, `unknown channel ${shown(channel)}`);
      return [];
  }
}

/** The answer of trade/order, orders-pending or orders-history. */
export function readOkxOrders(answer: unknown, report: ReportFinding): ListRead<OrderRecord> {
  return readAnswer('orders', answer, report, orderOf);
}

/**
 * The order that an answer of trade/order or trade/cancel-order has accepted; null: it says nothing about the order.
 */
export function readOkxAcceptance(
  answer: unknown,
  report: ReportFinding,
): { readonly venueOrderId: string; readonly atMs: EpochMs } | null {
  const { records, isComplete } = readAnswer('acceptance', answer, report, (fields) => {
    if (fields.text('sCode') !== '0') fields.fail('sCode is not 0');
    return { venueOrderId: fields.id('ordId'), atMs: fields.time('ts') };
  });
  return isComplete ? (records[0] ?? null) : null;
}

/** A fill in a list. Pages of the list begin after a bill; an empty text: the answer names none. */
export interface OkxFill extends FillRecord {
  readonly billId: string;
}

/** The answer of fills or fills-history. */
export function readOkxFills(answer: unknown, report: ReportFinding): ListRead<OkxFill> {
  return readAnswer('fills', answer, report, (fields) => {
    fields.expect(FILL_MEMBERS);
    const fee = fields.optionalSigned('fee');
    return {
      kind: 'Fill',
      billId: fields.optionalId('billId') ?? '',
      symbol: fields.text('instId'),
      clientId: fields.optionalText('clOrdId'),
      venueOrderId: fields.id('ordId'),
      tradeId: fields.id('tradeId'),
      side: fields.keyed<Side>('side', SIDES, 'BUY'),
      price: fields.amount('fillPx'),
      quantity: fields.amount('fillSz'),
      // The exchange writes what the balance gains.
      fee: fee === null ? null : negated(fee),
      feeAsset: fields.optionalText('feeCcy'),
      liquidity: fields.keyed<FillRecord['liquidity']>('execType', LIQUIDITIES, 'TAKER'),
      atMs: fields.time('ts'),
    };
  });
}

/** The answer of account/balance. */
export function readOkxBalances(answer: unknown, report: ReportFinding): ListRead<Balances> {
  return readAnswer('balance', answer, report, (fields) => balancesOf(fields, true));
}

/** The answer of account/positions. */
export function readOkxPositions(answer: unknown, report: ReportFinding): ListRead<PositionRecord> {
  return readAnswer('positions', answer, report, positionOf);
}

/** The answer of public/funding-rate-history, the newest first, or of public/funding-rate. */
export function readOkxFundingRates(answer: unknown, report: ReportFinding): ListRead<FundingRecord> {
  return readAnswer('funding-rate', answer, report, (fields) => ({
    kind: 'FundingRate',
    symbol: fields.text('instId'),
    atMs: fields.time('fundingTime'),
    rate: fields.optionalSigned('realizedRate') ?? fields.signed('fundingRate'),
    markPrice: null,
  }));
}

/** The answer of market/candles, as the exchange sorts it: the newest first. */
export function readOkxCandles(
  answer: unknown,
  symbol: string,
  interval: string,
  report: ReportFinding,
): ListRead<CandleRecord> {
  const source = sourceOf('candles', report);
  return candlesIn(source, dataOf(source, answer), symbol, interval);
}

function readAnswer<Result>(
  type: string,
  answer: unknown,
  report: ReportFinding,
  build: (fields: JsonFields) => Result,
): ListRead<Result> {
  const source = sourceOf(type, report);
  return readList(source, dataOf(source, answer), build);
}

/** The list of an answer; undefined and a finding for an error of the exchange. */
function dataOf(source: Source, answer: unknown): unknown {
  const code = memberOf(asObject(answer), 'code');
  if (code === '0') return memberOf(asObject(answer), 'data');
  unreadable(source, `code is ${shown(code)}`);
  return undefined;
}

function orderOf(fields: JsonFields): OrderRecord {
  fields.expect(ORDER_MEMBERS);
  if (fields.value('ordType') !== undefined) fields.choice('ordType', TYPES);
  return {
    kind: 'Order',
    symbol: fields.text('instId'),
    clientId: fields.optionalText('clOrdId'),
    venueOrderId: fields.id('ordId'),
    side: fields.keyed<Side>('side', SIDES, 'BUY'),
    state: fields.mapped<OrderState>('state', STATES, 'UNKNOWN'),
    quantity: fields.amount('sz'),
    price: priceOrNull(fields.optionalAmount('px')),
    filled: fields.optionalAmount('accFillSz') ?? '0',
    reason: reasonOf(fields.optionalText('cancelSource'), fields.optionalText('cancelSourceReason')),
    atMs: fields.time('uTime'),
  };
}

/** The number of the source and its text, where the message has them: `31: …`. */
function reasonOf(source: string | null, text: string | null): string | null {
  return source === null || text === null ? (source ?? text) : `${source}: ${text}`;
}

/** An update with a trade has its quantity in fillSz. `fee` is the sum over the order, so it is no fee of the fill. */
function orderAndFill(fields: JsonFields): readonly (OrderRecord | FillRecord)[] {
  const order = orderOf(fields);
  const quantity = fields.optionalAmount('fillSz') ?? '0';
  if (quantity === '0' || fields.optionalId('tradeId') === null) return [order];
  const { symbol, clientId, venueOrderId, side } = order;
  const fee = fields.optionalSigned('fillFee');
  const fill: FillRecord = {
    kind: 'Fill',
    symbol,
    clientId,
    venueOrderId,
    tradeId: fields.id('tradeId'),
    side,
    price: fields.amount('fillPx'),
    quantity,
    fee: fee === null ? null : negated(fee),
    feeAsset: fields.optionalText('fillFeeCcy') ?? fields.optionalText('feeCcy'),
    liquidity: fields.keyed<FillRecord['liquidity']>('execType', LIQUIDITIES, 'TAKER'),
    atMs: fields.time('fillTime'),
  };
  return [fill, order];
}

function balancesOf(fields: JsonFields, isSnapshot: boolean): Balances {
  const balances = fields.elements('details', ELEMENTS_MAX).map((value) => {
    const detail = fields.open(value, 'details');
    return {
      asset: detail.text('ccy'),
      total: detail.signed('cashBal'),
      free: detail.optionalSigned('availBal'),
    };
  });
  return { kind: 'Balances', isSnapshot, balances, atMs: fields.optionalTime('uTime') };
}

/** The size of a short position has no sign unless the account has one position in a symbol. */
function positionOf(fields: JsonFields): PositionRecord {
  const mode = fields.keyed<PositionRecord['mode']>('posSide', MODES, 'NET');
  const size = fields.signed('pos');
  return {
    symbol: fields.text('instId'),
    mode,
    quantity: mode === 'SHORT' && !size.startsWith('-') ? negated(size) : size,
    entryPrice: priceOrNull(fields.optionalAmount('avgPx')),
    unrealizedPnl: fields.optionalSigned('upl'),
    margin: {
      mode: fields.value('mgnMode') === undefined ? null : fields.mapped('mgnMode', MARGIN_MODES, null),
      leverage: leverageOf(fields.optionalAmount('lever')),
      markPrice: priceOrNull(fields.optionalAmount('markPx')),
      liquidationPrice: priceOrNull(fields.optionalAmount('liqPx')),
      initialMargin: fields.optionalAmount('imr'),
      maintenanceMargin: fields.optionalAmount('mmr'),
      isolatedBalance: fields.optionalSigned('margin'),
    },
  };
}

function leverageOf(text: string | null): number | null {
  const leverage = Number(text ?? Number.NaN);
  return Number.isFinite(leverage) && leverage > 0 ? leverage : null;
}

function candlesIn(source: Source, data: unknown, symbol: string, interval: string): ListRead<CandleRecord> {
  const rows = Array.isArray(data) ? (data as readonly unknown[]).map((row) => named(row, CANDLE)) : data;
  return readList(source, rows, (fields): CandleRecord => {
    if (symbol === '') fields.fail('the symbol of the candle is missing');
    return {
      kind: 'Candle',
      symbol,
      interval,
      openMs: fields.time('ts'),
      open: fields.amount('open'),
      high: fields.amount('high'),
      low: fields.amount('low'),
      close: fields.amount('close'),
      volume: fields.amount('vol'),
      quoteVolume: fields.amount('volCcyQuote'),
      isClosed: fields.text('confirm') === '1',
    };
  });
}

function bookOf(fields: JsonFields, symbol: string, isSnapshot: boolean): MarketRecord {
  if (symbol === '') fields.fail('the symbol of the book is missing');
  return {
    kind: 'Depth',
    symbol,
    isSnapshot,
    bids: fields.levels('bids'),
    asks: fields.levels('asks'),
    firstUpdateId: null,
    // The answer of a look-up has no sequence, and its time stands for it.
    lastUpdateId: fields.optionalId('seqId') ?? fields.id('ts'),
    previousUpdateId: fields.optionalId('prevSeqId'),
    atMs: fields.time('ts'),
  };
}

function tradeOf(fields: JsonFields): MarketRecord {
  return {
    kind: 'PublicTrade',
    symbol: fields.text('instId'),
    tradeId: fields.id('tradeId'),
    price: fields.amount('px'),
    quantity: fields.amount('sz'),
    takerSide: fields.keyed<Side>('side', SIDES, 'BUY'),
    atMs: fields.time('ts'),
  };
}

/** A mark price, or the funding rate that is paid at fundingTime. */
function markPriceOf(fields: JsonFields): MarketRecord {
  return {
    kind: 'MarkPrice',
    symbol: fields.text('instId'),
    markPrice: fields.optionalAmount('markPx'),
    indexPrice: null,
    fundingRate: fields.optionalSigned('fundingRate'),
    nextFundingMs: fields.optionalTime('fundingTime'),
    atMs: fields.time('ts'),
  };
}

function openInterestOf(fields: JsonFields): MarketRecord {
  return {
    kind: 'OpenInterest',
    symbol: fields.text('instId'),
    quantity: fields.amount('oi'),
    atMs: fields.time('ts'),
  };
}

function sourceOf(type: string, report: ReportFinding): Source {
  return { venue: 'OKX', type, report };
}
