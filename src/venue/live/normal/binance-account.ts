import type { Side } from '../../../domain/order.js';
import { plus } from '../json/decimal.js';
import { asObject, decimalText, type JsonFields, memberOf, namesIn } from '../json/json-fields.js';
import { priceOrNull, type ListRead, readList, readObject, type ReportFinding, type Source } from './message.js';
import type { AccountRecord, BalanceRecord, Balances, FillRecord, OrderRecord, OrderState } from './records.js';
import type { PositionMargin, PositionRecord } from './records.js';

const SIDES: ReadonlyMap<string, Side> = new Map([
  ['BUY', 'BUY'],
  ['SELL', 'SELL'],
]);

/** NEW_INSURANCE and NEW_ADL belong to liquidations, which go on. */
const STATES: ReadonlyMap<string, OrderState> = new Map([
  ...['NEW', 'PARTIALLY_FILLED', 'PENDING_CANCEL', 'PENDING_NEW', 'NEW_INSURANCE', 'NEW_ADL'].map(
    (name) => [name, 'OPEN'] as const,
  ),
  ['FILLED', 'FILLED'],
  ['CANCELED', 'CANCELLED'],
  ['EXPIRED', 'CANCELLED'],
  ['EXPIRED_IN_MATCH', 'CANCELLED'],
  ['REJECTED', 'REJECTED'],
]);

const EXECUTION_TYPES = namesIn(
  'NEW CANCELED REPLACED REJECTED TRADE EXPIRED TRADE_PREVENTION CALCULATED AMENDMENT LIQUIDATION',
);
const REPORT_MEMBERS = namesIn(`
  e E s c S o f q p P F g C x X r i l z L n N T t v I w m M O Z Y Q W V d D j J A B u U Cs pl pL pY b a k uS eR gP gOT
  gOV gp`);
const ORDER_UPDATE_MEMBERS = namesIn(`
  s c S o f q p ap sp x X i l z L n N T t b a m R wt ot ps cp AP cr pP si ss rp V pm gtd er st`);

/** The order after an execution report of the spot stream, and the fill that it reports. */
export function readExecutionReport(fields: JsonFields): readonly AccountRecord[] {
  fields.expect(REPORT_MEMBERS);
  // A cancel has a client id of its own in c. The order's id is then in C.
  const original = fields.optionalText('C');
  const reason = endReasonOf(fields, 'eR', STREAM_NAMES) ?? meant(fields.optionalText('r'));
  return orderAndFill(fields, original ?? fields.optionalText('c'), reason);
}

/** The order after ORDER_TRADE_UPDATE of the futures stream, and the fill that it reports. */
export function readOrderTradeUpdate(message: JsonFields): readonly AccountRecord[] {
  const fields = message.inside('o', ORDER_UPDATE_MEMBERS);
  return orderAndFill(fields, fields.optionalText('c'), endReasonOf(fields, 'er', STREAM_NAMES));
}

/** The names of an order's status, time in force and type. */
type EndNames = readonly [status: string, timeInForce: string, type: string];

const STREAM_NAMES: EndNames = ['X', 'f', 'o'];
const ANSWER_NAMES: EndNames = ['status', 'timeInForce', 'type'];

/**
 * Why the exchange ended an order. Its state says it where it prevented a self-trade, with or without a reason. An
 * order that may rest expires for a reason, also when the message has none.
 */
function endReasonOf(fields: JsonFields, reasonName: string, [status, timeInForce, type]: EndNames): string | null {
  const state = fields.optionalText(status);
  if (state === 'EXPIRED_IN_MATCH') return state;
  const reason = meant(fields.optionalText(reasonName));
  if (reason !== null || state !== 'EXPIRED') return reason;
  // USD-M states no reason where a post-only order (GTX) would have traded.
  const term = fields.optionalText(type) === 'MARKET' ? null : fields.optionalText(timeInForce);
  if (term === 'GTX') return term;
  return term === 'GTC' ? state : null;
}

/** Placeholders say nothing. */
function meant(reason: string | null): string | null {
  return reason === 'NONE' || reason === '0' ? null : reason;
}

function orderAndFill(fields: JsonFields, clientId: string | null, reason: string | null): readonly AccountRecord[] {
  fields.choice('x', EXECUTION_TYPES);
  const order: OrderRecord = {
    kind: 'Order',
    symbol: fields.text('s'),
    clientId,
    venueOrderId: fields.id('i'),
    side: fields.keyed<Side>('S', SIDES, 'BUY'),
    state: fields.mapped<OrderState>('X', STATES, 'UNKNOWN'),
    quantity: fields.amount('q'),
    price: priceOrNull(fields.optionalAmount('p')),
    filled: fields.amount('z'),
    reason,
    atMs: fields.time('T'),
  };
  const last = fields.amount('l');
  if (last === '0') return [order];
  const { symbol, venueOrderId, side, atMs } = order;
  const fill: FillRecord = {
    kind: 'Fill',
    symbol,
    clientId,
    venueOrderId,
    tradeId: fields.id('t'),
    side,
    price: fields.amount('L'),
    quantity: last,
    fee: fields.optionalSigned('n'),
    feeAsset: fields.optionalText('N'),
    liquidity: fields.flag('m') ? 'MAKER' : 'TAKER',
    atMs,
  };
  return [fill, order];
}

/** An answer that states an order: a placement (with its result), a look-up, a cancel or an element of a list. */
export function readBinanceOrder(answer: unknown, report: ReportFinding): OrderRecord | null {
  return readObject(sourceOf('order', report), answer, orderOf);
}

/** The answer of openOrders or allOrders. */
export function readBinanceOrders(answer: unknown, report: ReportFinding): ListRead<OrderRecord> {
  return readList(sourceOf('orders', report), answer, orderOf);
}

function orderOf(fields: JsonFields): OrderRecord {
  return {
    kind: 'Order',
    symbol: fields.text('symbol'),
    // The answer of a cancel has a client id of its own.
    clientId: fields.optionalText('origClientOrderId') ?? fields.optionalText('clientOrderId'),
    venueOrderId: fields.id('orderId'),
    side: fields.keyed<Side>('side', SIDES, 'BUY'),
    state: fields.mapped<OrderState>('status', STATES, 'UNKNOWN'),
    quantity: fields.amount('origQty'),
    price: priceOrNull(fields.optionalAmount('price')),
    filled: fields.amount('executedQty'),
    reason: endReasonOf(fields, 'expiryReason', ANSWER_NAMES),
    atMs: fields.optionalTime('updateTime') ?? fields.time('transactTime'),
  };
}

/** The answer of myTrades (spot) or userTrades (futures). It has no client ids. */
export function readBinanceFills(answer: unknown, report: ReportFinding): ListRead<FillRecord> {
  return readList(sourceOf('trades', report), answer, (fields) => ({
    kind: 'Fill',
    symbol: fields.text('symbol'),
    clientId: null,
    venueOrderId: fields.id('orderId'),
    tradeId: fields.id('id'),
    side: (fields.optionalFlag('isBuyer') ?? fields.flag('buyer')) ? 'BUY' : 'SELL',
    price: fields.amount('price'),
    quantity: fields.amount('qty'),
    fee: fields.signed('commission'),
    feeAsset: fields.optionalText('commissionAsset'),
    liquidity: (fields.optionalFlag('isMaker') ?? fields.flag('maker')) ? 'MAKER' : 'TAKER',
    atMs: fields.time('time'),
  }));
}

/**
 * The fills in the answer of a placement with its result in full: all of them take liquidity, at the time of the order.
 * None when the answer has none, or when one is not readable: the order then has more than its fills, and is looked up.
 */
export function readPlacedFills(answer: unknown, placed: OrderRecord, report: ReportFinding): readonly FillRecord[] {
  const fills = memberOf(asObject(answer), 'fills');
  if (fills === undefined) return [];
  const { symbol, clientId, venueOrderId, side, atMs } = placed;
  return readList(sourceOf('order', report), fills, (fields) => ({
    kind: 'Fill' as const,
    symbol,
    clientId,
    venueOrderId,
    tradeId: fields.id('tradeId'),
    side,
    price: fields.amount('price'),
    quantity: fields.amount('qty'),
    fee: fields.signed('commission'),
    feeAsset: fields.optionalText('commissionAsset'),
    liquidity: 'TAKER' as const,
    atMs,
  })).records;
}

/** outboundAccountPosition: the balances that may have changed. */
export function readAccountPosition(fields: JsonFields): readonly AccountRecord[] {
  return [
    {
      kind: 'Balances',
      isSnapshot: false,
      balances: spotBalances(fields, PUSHED_BALANCES),
      atMs: fields.time('u'),
    },
  ];
}

/** The answer of GET /api/v3/account. */
export function readBinanceSpotAccount(answer: unknown, report: ReportFinding): Balances | null {
  return readObject(sourceOf('account', report), answer, (fields) => ({
    kind: 'Balances',
    isSnapshot: true,
    balances: spotBalances(fields, ANSWERED_BALANCES),
    atMs: fields.optionalTime('updateTime'),
  }));
}

/** Names of the list of balances and of its members. */
interface BalanceNames {
  readonly list: string;
  readonly asset: string;
  readonly free: string;
  readonly locked: string;
}

const PUSHED_BALANCES: BalanceNames = { list: 'B', asset: 'a', free: 'f', locked: 'l' };
const ANSWERED_BALANCES: BalanceNames = { list: 'balances', asset: 'asset', free: 'free', locked: 'locked' };

function spotBalances(fields: JsonFields, { list, asset, free, locked }: BalanceNames): BalanceRecord[] {
  return fields.elements(list, BALANCES_MAX).map((value) => {
    const balance = fields.open(value, list);
    const total = plus(balance.decimal(free), balance.decimal(locked));
    return { asset: balance.text(asset), total: decimalText(total), free: balance.amount(free) };
  });
}

const BALANCES_MAX = 10_000;
const UPDATE_MEMBERS = namesIn('m B P');
const UPDATE_BALANCE_MEMBERS = namesIn('a wb cw bc');
const UPDATE_POSITION_MEMBERS = namesIn('s pa ep bep cr up mt iw ps ma');

/** ACCOUNT_UPDATE of futures: changed wallet balances and positions. */
export function readAccountUpdate(message: JsonFields): readonly AccountRecord[] {
  const update = message.inside('a', UPDATE_MEMBERS);
  const atMs = message.time('T');
  const balances = update.elements('B', BALANCES_MAX).map((value): BalanceRecord => {
    const balance = update.open(value, 'B', UPDATE_BALANCE_MEMBERS);
    return { asset: balance.text('a'), total: balance.signed('wb'), free: null };
  });
  const positions = update.elements('P', BALANCES_MAX).map((value): PositionRecord => {
    const position = update.open(value, 'P', UPDATE_POSITION_MEMBERS);
    return {
      symbol: position.text('s'),
      mode: position.keyed<PositionRecord['mode']>('ps', MODES, 'NET'),
      quantity: position.signed('pa'),
      entryPrice: priceOrNull(position.optionalAmount('ep')),
      unrealizedPnl: position.optionalSigned('up'),
      margin: {
        ...NO_MARGIN,
        mode: position.mapped<PositionMargin['mode']>('mt', MARGIN_MODES, null),
        isolatedBalance: position.optionalAmount('iw'),
      },
    };
  });
  return [
    { kind: 'Balances', isSnapshot: false, balances, atMs },
    { kind: 'Positions', isSnapshot: false, positions, atMs },
  ];
}

/** The answer of the futures balance look-up: wallet balances of all assets. */
export function readBinanceFuturesBalances(answer: unknown, report: ReportFinding): ListRead<BalanceRecord> {
  return readList(sourceOf('balance', report), answer, (fields) => ({
    asset: fields.text('asset'),
    total: fields.signed('balance'),
    free: fields.signed('availableBalance'),
  }));
}

/** The answer of positionRisk. */
export function readBinancePositions(answer: unknown, report: ReportFinding): ListRead<PositionRecord> {
  return readList(sourceOf('positionRisk', report), answer, (fields) => positionOf(fields, 'unRealizedProfit'));
}

const NO_MARGIN: PositionMargin = {
  mode: null,
  leverage: null,
  markPrice: null,
  liquidationPrice: null,
  initialMargin: null,
  maintenanceMargin: null,
  isolatedBalance: null,
};

/** Names in streams and in settings. */
const MARGIN_MODES: ReadonlyMap<string, PositionMargin['mode']> = new Map([
  ['cross', 'CROSS'],
  ['isolated', 'ISOLATED'],
  ['CROSSED', 'CROSS'],
  ['ISOLATED', 'ISOLATED'],
]);

/** Adds leverage and margin mode of each symbol, from the answer of symbolConfig. */
export function withSymbolSettings(
  positions: readonly PositionRecord[],
  answer: unknown,
  report: ReportFinding,
): readonly PositionRecord[] {
  const { records } = readList(sourceOf('symbolConfig', report), answer, (fields) => ({
    symbol: fields.text('symbol'),
    mode: fields.mapped<PositionMargin['mode']>('marginType', MARGIN_MODES, null),
    leverage: fields.count('leverage'),
  }));
  const bySymbol = new Map(records.map((settings) => [settings.symbol, settings]));
  return positions.map((position) => {
    const settings = bySymbol.get(position.symbol);
    if (settings === undefined) return position;
    const { mode, leverage } = settings;
    return { ...position, margin: { ...(position.margin ?? NO_MARGIN), mode, leverage } };
  });
}

function positionOf(fields: JsonFields, unrealized: string): PositionRecord {
  const margin: PositionMargin = {
    ...NO_MARGIN,
    markPrice: priceOrNull(fields.optionalAmount('markPrice')),
    // 0 when no price liquidates the position.
    liquidationPrice: priceOrNull(fields.optionalAmount('liquidationPrice')),
    initialMargin: fields.optionalAmount('initialMargin'),
    maintenanceMargin: fields.optionalAmount('maintMargin'),
    isolatedBalance: fields.optionalSigned('isolatedWallet'),
  };
  return {
    symbol: fields.text('symbol'),
    mode: fields.keyed<PositionRecord['mode']>('positionSide', MODES, 'NET'),
    quantity: fields.signed('positionAmt'),
    entryPrice: priceOrNull(fields.optionalAmount('entryPrice')),
    unrealizedPnl: fields.optionalSigned(unrealized),
    ...(Object.values(margin).some((value) => value !== null) && { margin }),
  };
}

const MODES: ReadonlyMap<string, PositionRecord['mode']> = new Map([
  ['BOTH', 'NET'],
  ['LONG', 'LONG'],
  ['SHORT', 'SHORT'],
]);

function sourceOf(type: string, report: ReportFinding): Source {
  return { venue: 'BINANCE', type, report };
}
