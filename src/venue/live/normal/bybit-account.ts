import type { AssetCategory } from '../../../domain/exchange.js';
import type { Side } from '../../../domain/order.js';
import type { EpochMs } from '../../../domain/time.js';
import { type Decimal, parseDecimal, plus } from '../json/decimal.js';
import { asObject, decimalText, type JsonFields, memberOf, namesIn, shown } from '../json/json-fields.js';
import { BYBIT_SIDES, readAnswer, sourceOf, topicOf } from './bybit-answer.js';
import { COIN_MEMBERS, EXECUTION_MEMBERS, ORDER_MEMBERS, POSITION_MEMBERS, WALLET_MEMBERS } from './bybit-members.js';
import { type ListRead, negated, priceOrNull, readList, readObject, type ReportFinding, unknown } from './message.js';
import type { AccountRecord, BalanceRecord, FillRecord, OrderRecord, OrderState } from './records.js';
import type { PositionMargin, PositionRecord } from './records.js';

/* Frames of the private stream of Bybit, and its answers about one account. */

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

/** A product of the exchange. OTHER: the service does not trade it. */
export type BybitProduct = AssetCategory | 'OTHER';

const PRODUCTS: ReadonlyMap<string, BybitProduct> = new Map<string, BybitProduct>([
  ['spot', 'SPOT'],
  ['linear', 'FUTURE'],
  ['inverse', 'OTHER'],
  ['option', 'OTHER'],
]);

/** A record with its product: spot and perpetuals share symbols. null: the message does not say. */
export interface BybitRecord {
  readonly product: BybitProduct | null;
  readonly record: AccountRecord;
}

/** Reads one frame of the private stream. A fill of the fast stream has no fee. */
export function readBybitAccountFrame(frame: unknown, report: ReportFinding): readonly BybitRecord[] {
  const message = asObject(frame);
  const topic = topicOf(message, report);
  if (topic === null) return [];
  const [channel = ''] = topic.split('.');
  const source = sourceOf(channel, report);
  const data = memberOf(message, 'data');
  switch (channel) {
    case 'order':
      return readList(source, data, (fields) => ({ product: productOf(fields), record: orderOf(fields) })).records;
    case 'execution':
      return readList(source, data, (fields) => {
        const product = productOf(fields);
        return fillsOf(fields).map((record) => ({ product, record }));
      }).records.flat();
    case 'position':
      return readObject(source, message, positionsOf) ?? [];
    case 'wallet':
      return readObject(source, message, walletOf) ?? [];
    default:
      unknown(source, `unknown topic ${shown(topic)}`);
      return [];
  }
}

function productOf(fields: JsonFields): BybitProduct | null {
  return fields.value('category') === undefined ? null : fields.mapped('category', PRODUCTS, 'OTHER');
}

/** Only the positions of linear products: those of others are not traded here. */
function positionsOf(message: JsonFields): readonly BybitRecord[] {
  const positions = message.elements('data', ELEMENTS_MAX).flatMap((value) => {
    const fields = message.open(value, 'data');
    return productOf(fields) === 'OTHER' ? [] : [positionOf(fields)];
  });
  const atMs = message.optionalTime('creationTime');
  return [{ product: 'FUTURE', record: { kind: 'Positions', isSnapshot: false, positions, atMs } }];
}

function walletOf(message: JsonFields): readonly BybitRecord[] {
  const balances = message.elements('data', ELEMENTS_MAX).flatMap((value) => coinsOf(message.open(value, 'data')));
  const atMs = message.optionalTime('creationTime');
  return [{ product: null, record: { kind: 'Balances', isSnapshot: false, balances, atMs } }];
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

/** The cursor of the next page of a list; null: the page was the last one. It is used as it is: percent-encoded. */
export function readBybitNextPage(answer: unknown): string | null {
  const result = asObject(memberOf(asObject(answer), 'result'));
  const [cursor, list] = [memberOf(result, 'nextPageCursor'), memberOf(result, 'list')];
  const isLast = typeof cursor !== 'string' || cursor === '' || !Array.isArray(list) || list.length === 0;
  return isLast ? null : cursor;
}

/** An order that the exchange has accepted for its matching engine. */
export interface AcceptedOrder {
  readonly clientId: string;
  readonly venueOrderId: string;
  readonly atMs: EpochMs;
}

/** The answer of order/create: the exchange will place the order, or end it at once. */
export function readBybitPlacement(answer: unknown, report: ReportFinding): AcceptedOrder | null {
  return readObject(sourceOf('placement', report), answer, (fields) => {
    const result = fields.inside('result');
    if (fields.value('retCode') !== 0) fields.fail(`retCode is ${shown(fields.value('retCode'))}`);
    return { clientId: result.text('orderLinkId'), venueOrderId: result.id('orderId'), atMs: fields.time('time') };
  });
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

function orderOf(fields: JsonFields): OrderRecord {
  fields.expect(ORDER_MEMBERS);
  const state = fields.mapped<OrderState>('orderStatus', STATES, 'UNKNOWN');
  const rejection = fields.optionalText('rejectReason');
  const cancel = fields.optionalText('cancelType');
  const cancelReason = state === 'CANCELLED' && cancel !== 'UNKNOWN' ? cancel : null;
  return {
    kind: 'Order',
    symbol: fields.text('symbol'),
    clientId: fields.optionalText('orderLinkId'),
    venueOrderId: fields.id('orderId'),
    side: fields.keyed<Side>('side', BYBIT_SIDES, 'BUY'),
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
  fields.expect(EXECUTION_MEMBERS);
  const isTrade = fields.value('execType') === undefined || TRADES.has(fields.choice('execType', EXECUTION_TYPES));
  if (!isTrade) return [];
  // Taxes of some countries. No document says whether execFee includes them.
  fields.expectEmpty('extraFees');
  const fill: FillRecord = {
    kind: 'Fill',
    symbol: fields.text('symbol'),
    clientId: fields.optionalText('orderLinkId'),
    venueOrderId: fields.id('orderId'),
    tradeId: fields.id('execId'),
    side: fields.keyed<Side>('side', BYBIT_SIDES, 'BUY'),
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
  fields.expect(POSITION_MEMBERS);
  const index = fields.value('positionIdx');
  const mode = typeof index === 'number' ? MODES[index] : undefined;
  if (mode === undefined) fields.fail('positionIdx is no position side');
  const size = fields.amount('size');
  const isShort = size !== '0' && fields.keyed<Side>('side', BYBIT_SIDES, 'BUY') === 'SELL';
  const entry = fields.optionalAmount('entryPrice') ?? fields.optionalAmount('avgPrice');
  const margin = marginOf(fields);
  return {
    symbol: fields.text('symbol'),
    mode: mode ?? 'NET',
    quantity: isShort ? negated(size) : size,
    entryPrice: priceOrNull(entry),
    unrealizedPnl: fields.optionalSigned('unrealisedPnl'),
    ...(margin !== null && { margin }),
  };
}

const MARGIN_MODES: readonly PositionMargin['mode'][] = ['CROSS', 'ISOLATED'];

/** null: the message says nothing about it. */
function marginOf(fields: JsonFields): PositionMargin | null {
  const [mode, leverage] = [fields.value('tradeMode'), fields.bound('leverage')];
  const margin: PositionMargin = {
    mode: typeof mode === 'number' ? (MARGIN_MODES[mode] ?? null) : null,
    leverage: leverage === null ? null : Number(decimalText(leverage)),
    markPrice: priceOrNull(fields.optionalAmount('markPrice')),
    liquidationPrice: priceOrNull(fields.optionalAmount('liqPrice')),
    initialMargin: fields.optionalAmount('positionIM'),
    maintenanceMargin: fields.optionalAmount('positionMM'),
    isolatedBalance: fields.optionalAmount('positionBalance'),
  };
  return Object.values(margin).every((member) => member === null) ? null : margin;
}

function coinsOf(account: JsonFields): readonly BalanceRecord[] {
  account.expect(WALLET_MEMBERS);
  return account.elements('coin', ELEMENTS_MAX).map((value) => {
    const coin = account.open(value, 'coin', COIN_MEMBERS);
    return {
      asset: coin.text('coin'),
      total: coin.signed('walletBalance'),
      free: coin.optionalSigned('availableToWithdraw') ?? freeOf(coin),
    };
  });
}

/** What is in use: by spot orders, by the margin of orders and by that of positions. */
const USES = ['locked', 'totalOrderIM', 'totalPositionIM'];

/** Unified accounts no longer state what is free. null: a coin without the members that say what is in use. */
function freeOf(coin: JsonFields): string | null {
  const total = parseDecimal(coin.value('walletBalance'));
  const used = USES.map((name) => coin.bound(name));
  if (total === null || used.every((part) => part === null)) return null;
  const free = used.reduce<Decimal>(
    (rest, part) => (part === null ? rest : plus(rest, { units: -part.units, precision: part.precision })),
    total,
  );
  return decimalText(free);
}
