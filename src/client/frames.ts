import type * as positions from '../contract/position-frame.js';
import type * as schemas from '../contract/stream-frame.js';
import type { CandleInterval as CandleIntervalSchema } from '../contract/vocabulary.js';
import type { Received } from './wire.js';

/*
 * Frames of the WebSocket API, as they stand on the wire: the types of the schemas that the service publishes in
 * /asyncapi.json, where each field is described. Ids are text, times epoch milliseconds of service time.
 */

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
export type CandleInterval = Received<typeof CandleIntervalSchema>;

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

/** The exchanges that take orders, in the order of their integer ids, which begin with 1. */
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

/** The exchanges' integer ids in frames. */
export const EXCHANGE_BY_ID: readonly (string | undefined)[] = [
  undefined,
  ...TRADING_EXCHANGES,
  'COINBASE_ADV',
  'EXTENDED',
  'LIGHTER',
];
