/** Frames of the WebSocket API, as they stand on the wire. Ids are text, times epoch milliseconds of service time. */

/** Every frame of an account topic: `seq` counts the frames of one (account, topic, exchange) from 1 without a gap. */
interface AccountFrame {
  readonly seq: number;
  readonly exchange_id: number;
  readonly exchange_name: string;
}

export interface OrderStatusPart {
  readonly order_id: string;
  readonly client_order_id?: string;
  readonly status: string;
  readonly created_at: number;
  readonly filled_quantity: number;
  readonly leaves_quantity: number;
  readonly side: string;
  readonly average_price: number;
  readonly message?: string;
  readonly error_code?: string;
}

export interface OrderFrame extends AccountFrame {
  readonly topic: 'order';
  readonly order_status: OrderStatusPart;
  readonly order: {
    readonly order_id: string;
    readonly symbol: string;
    readonly side: string;
    readonly quantity: number;
    readonly strategy: string;
    readonly start_time?: number;
    readonly end_time?: number;
  };
  /** Filled share, 0 to 1. */
  readonly order_progress: number;
}

export interface ChildOrderFrame extends AccountFrame {
  readonly topic: 'child_order';
  readonly order_status: OrderStatusPart;
  readonly order: {
    /** `<parent id>-<n>` or the service's name of the child. */
    readonly client_order_id?: string;
    readonly parent_order_id: string;
    readonly side: string;
    readonly quantity: number;
    readonly limit_price?: number;
    readonly order_type: string;
    readonly tif: string;
    /** Why the strategy placed it. */
    readonly reason?: string;
  };
}

export interface TradeFrame extends AccountFrame {
  readonly topic: 'trade';
  readonly trade_id: string;
  readonly order_id: string;
  readonly parent_order_id: string;
  readonly symbol: string;
  readonly side: string;
  readonly taker_or_maker: string;
  readonly price: number;
  readonly amount: number;
  readonly cost: number;
  readonly fee_currency: string;
  readonly fee_cost: number;
  readonly timestamp: number;
}

export interface BalanceFrame extends AccountFrame {
  readonly topic: 'balance';
  readonly snapshot?: boolean;
  readonly symbol: string;
  readonly balance: number;
  readonly free: number;
  readonly timestamp: number;
}

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

interface MarketFrame {
  readonly symbol: string;
  /** Integer id of the exchange. */
  readonly exchange: number;
  /** 1 SPOT, 2 FUTURE. */
  readonly asset_class: number;
}

export interface TickerFrame extends MarketFrame {
  readonly topic: 'ticker';
  /** Absent while that side of the book is empty. */
  readonly bid?: number;
  readonly ask?: number;
  readonly bid_qty: number;
  readonly ask_qty: number;
  readonly timestamp: number;
}

export type CandleInterval =
  'ONE_MINUTE' | 'FIVE_MINUTE' | 'FIFTEEN_MINUTE' | 'THIRTY_MINUTE' | 'ONE_HOUR' | 'SIX_HOUR' | 'ONE_DAY';

/** What was traded from open_time on and before close_time. */
export interface OhlcvFrame extends MarketFrame {
  readonly topic: 'ohlcv';
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** Base units. */
  readonly volume: number;
  readonly last: number;
  readonly open_time: number;
  readonly close_time: number;
  readonly interval: CandleInterval;
  /** True once for each candle, when its time is over. */
  readonly closed: boolean;
}

/** Futures only. */
export interface OpenInterestFrame extends MarketFrame {
  readonly topic: 'open_interest';
  /** Base units. */
  readonly open_interest: number;
  /** Quote units, at the mark price. */
  readonly open_interest_value: number;
  readonly timestamp: number;
}

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
