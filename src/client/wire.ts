import type { Static, TSchema } from '@sinclair/typebox';
import type { BalanceList, PositionList } from '../api/account/account-answer.js';
import type { ApiErrorCode as ErrorCodeSchema, ApiErrorReason as ErrorReasonSchema } from '../api/field/error-code.js';
import type { ReasonCode as ReasonCodeSchema } from '../api/order/reason.js';
import type { CancelUpstreamOrderRequest, CreateParentOrderRequest } from '../api/order/order-schema.js';
import type { AmendOrderRequest, CancelAllAfterAnswer } from '../api/order/order-control.js';
import type { OrderCost as OrderCostSchema, WindowCost as WindowCostSchema } from '../api/order/execution-cost.js';
import type { FundingRateList } from '../api/market/funding.js';
import type { ENGAGE_KILL_SWITCH, RiskLimitsAnswer } from '../api/account/risk-limits.js';
import type { ExchangeList, InstrumentList } from '../api/market/instruments.js';
import type { CreateMultiLegsParentOrderRequest } from '../api/pair/pair-schema.js';
import type {
  OrderDetails as OrderDetailsSchema,
  OrderSummary as OrderSummarySchema,
  TradeDetails as TradeDetailsSchema,
} from '../api/order/order-answer.js';
import type * as positions from '../api/account/account-frame.js';
import type { OrderPreview as OrderPreviewSchema } from '../api/order/order-preview.js';
import type { Health as HealthSchema, Ping as PingSchema } from '../api/document/service.js';
import type * as schemas from '../api/stream/frame-schema.js';
import type { OrderTimeline as OrderTimelineSchema } from '../api/order/timeline.js';
import type * as vocabulary from '../api/field/vocabulary.js';

/*
 * Messages of the public API in their JSON form: requests and answers of REST, frames of the WebSocket streams. The
 * types derive from the schemas that the service publishes in /openapi.json and /asyncapi.json. The published
 * declarations carry the descriptions of these documents. In frames, ids are text and times are epoch milliseconds of
 * service time.
 */

/** A received message. All members are read-only. */
export type Received<Schema extends TSchema> = Frozen<Static<Schema>>;

/** A message to send. The JSON omits members that are undefined. */
export type Sent<Schema extends TSchema> = Loose<Static<Schema>>;

type Frozen<Value> = Value extends object ? { readonly [Name in keyof Value]: Frozen<Value[Name]> } : Value;

type Loose<Value> = Value extends object
  ? { readonly [Name in keyof Value]: Loose<Value[Name]> | OptionalOf<Value, Name> }
  : Value;

/** undefined for an optional member, otherwise never. */
type OptionalOf<Value, Name extends keyof Value> = object extends Pick<Value, Name> ? undefined : never;

/*
 * Enumerations. In the published declarations, fields have these names as their types.
 */

export type ApiErrorCode = Received<typeof ErrorCodeSchema>;
export type ApiErrorReason = Received<typeof ErrorReasonSchema>;
export type ReasonCode = Received<typeof ReasonCodeSchema>;
export type OrderStatus = Received<typeof vocabulary.OrderStatus>;
export type OrderSide = Received<typeof vocabulary.Side>;
export type AssetCategory = Received<typeof vocabulary.AssetCategory>;
export type ExecutionStrategy = Received<typeof vocabulary.ExecutionStrategy>;
export type TradingExchange = Received<typeof vocabulary.TradingExchange>;
export type ClipSizeType = Received<typeof vocabulary.ClipSizeType>;
export type CandleInterval = Received<typeof vocabulary.CandleInterval>;

export type OrderRequest = Sent<typeof CreateParentOrderRequest>;
export type OrderParams = NonNullable<OrderRequest['params']>;
/** Identifies an order by order_id, client_order_id, or both. */
export type OrderRef = Sent<typeof CancelUpstreamOrderRequest>;

export type OrderAmendment = Sent<typeof AmendOrderRequest>;
export type MultiLegOrderRequest = Sent<typeof CreateMultiLegsParentOrderRequest>;

export type OrderSummary = Received<typeof OrderSummarySchema>;
export type OrderDetails = Received<typeof OrderDetailsSchema>;
export type CancelAllAfter = Received<typeof CancelAllAfterAnswer>;
export type RiskLimitsInForce = Received<typeof RiskLimitsAnswer>;
export type KillSwitch = Received<typeof ENGAGE_KILL_SWITCH.success.schema>;
export type OrderTimeline = Received<typeof OrderTimelineSchema>;
export type TimelineEntry = OrderTimeline['events'][number];
export type OrderCost = Received<typeof OrderCostSchema>;
export type OrderCostLeg = OrderCost['legs'][number];
export type WindowCost = Received<typeof WindowCostSchema>;
export type CostGroup = WindowCost['groups'][number];
export type OrderPreview = Received<typeof OrderPreviewSchema>;
export type TradeDetails = Received<typeof TradeDetailsSchema>;
export type Balance = Received<typeof BalanceList>[number];
export type Position = Received<typeof PositionList>[number];
export type Exchange = Received<typeof ExchangeList>[number];
export type Instrument = Received<typeof InstrumentList>[number];
export type FundingRate = Received<typeof FundingRateList>[number];
export type ServerTime = Received<typeof PingSchema>;
export type ServiceHealth = Received<typeof HealthSchema>;

export const TERMINAL_STATUSES: readonly string[] = ['REJECTED', 'FILLED', 'CANCELLED', 'EXPIRED'];

export type OrderFrame = Received<typeof schemas.OrderFrame>;
export type ChildOrderFrame = Received<typeof schemas.ChildOrderFrame>;
export type TradeFrame = Received<typeof schemas.TradeFrame>;
export type BalanceFrame = Received<typeof schemas.BalanceFrame>;
export type PositionFrame = Received<typeof positions.PositionFrame>;
export type PositionRiskFrame = Received<typeof positions.PositionRiskFrame>;
export type TickerFrame = Received<typeof schemas.TickerFrame>;
export type OhlcvFrame = Received<typeof schemas.OhlcvFrame>;
export type OpenInterestFrame = Received<typeof schemas.OpenInterestFrame>;
export type OrderStatusPart = OrderFrame['order_status'];

interface FramesByTopic {
  readonly order: OrderFrame;
  readonly child_order: ChildOrderFrame;
  readonly trade: TradeFrame;
  readonly balance: BalanceFrame;
  readonly position: PositionFrame;
  readonly position_risk: PositionRiskFrame;
  readonly ticker: TickerFrame;
  readonly ohlcv: OhlcvFrame;
  readonly open_interest: OpenInterestFrame;
}

export type Topic = keyof FramesByTopic;
export type FrameOf<Name extends Topic> = FramesByTopic[Name];
export type Frame = FramesByTopic[Topic];

/** Exchanges that accept orders, sorted by their integer id. The first id is 1. */
export const TRADING_EXCHANGES: readonly string[] = [
  'BINANCE',
  'HUOBI',
  'BYBIT',
  'KUCOIN',
  'OKX',
  'GATEIO',
  'KRAKEN',
  'BITGET',
  'WOO',
  'MEXC',
  'BULLISH',
  'B2C2',
  'HYPERLIQUID',
  'COINBASE_PRIME',
  'COINBASE_INTL',
];

/** Exchange names by the integer id that frames carry. */
export const EXCHANGE_BY_ID: readonly (string | undefined)[] = [
  undefined,
  ...TRADING_EXCHANGES,
  'COINBASE_ADV',
  'EXTENDED',
  'LIGHTER',
];

export type QueryValue = string | number | boolean | readonly (string | number)[] | undefined;

/** Formats a query string with sorted keys, as the client signs and sends it. Returns '' without values. */
export function queryString(values: Readonly<Record<string, QueryValue>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${encoded(value)}`)
    .join('&');
}

/** Joins list members with plain commas. Members contain no commas. */
function encoded(value: QueryValue): string {
  const members: readonly unknown[] = Array.isArray(value) ? value : [value];
  return members.map((member) => encodeURIComponent(String(member))).join(',');
}
