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
/** One position: those that are open on subscribing, then each after something other than its price changed it. */
export interface PositionFrame extends AccountFrame, PositionPart {
  readonly topic: 'position';
  readonly snapshot?: boolean;
  readonly collateral: number;
}

/** How far a position is from liquidation; again as its mark price moves, at most once a second, as a snapshot. */
export interface PositionRiskFrame extends AccountFrame {
  readonly topic: 'position_risk';
  readonly snapshot?: boolean;
  readonly position_risk: PositionPart & {
    readonly initial_margin: number;
    readonly maintenance_margin: number;
    /** maintenance_margin ÷ what stands behind the position. */
    readonly margin_ratio: number;
  };
}

interface AccountFrame {
  readonly seq: number;
  readonly exchange_id: number;
  readonly exchange_name: string;
}

interface PositionPart {
  readonly symbol: string;
  readonly side: 'LONG' | 'SHORT' | 'BOTH';
  readonly margin_mode: 'CROSS' | 'ISOLATED';
  readonly leverage: number;
  /** Base units, never negative; 0: it has been closed. */
  readonly contracts: number;
  readonly entry_price: number;
  readonly mark_price: number;
  /** 0: no price would liquidate it. */
  readonly liquidation_price: number;
  readonly notional: number;
  readonly unrealized_pnl: number;
  readonly timestamp: number;
}

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

/** The exchanges' integer ids in frames. */
export const EXCHANGE_BY_ID: readonly (string | undefined)[] = [
  undefined,
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
  'COINBASE_ADV',
  'EXTENDED',
  'LIGHTER',
];
