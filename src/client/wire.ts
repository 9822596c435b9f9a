/** Requests and answers of the REST API, as they stand on the wire. */

export type OrderSide = 'BUY' | 'SELL';

export interface OrderRequest {
  readonly client_order_id?: string | undefined;
  readonly exchange: string;
  readonly subaccount?: string | undefined;
  readonly symbol: string;
  readonly asset_category: 'SPOT' | 'FUTURE';
  readonly side: OrderSide;
  /** Decimal text. */
  readonly quantity: string;
  readonly strategy: string;
  /** Decimal text. */
  readonly limit_price?: string | undefined;
  /** ISO 8601, UTC. */
  readonly start_time?: string | undefined;
  readonly end_time?: string | undefined;
  readonly clip_size_type?: string | undefined;
  readonly clip_size_val?: string | undefined;
  readonly params?: OrderParams | undefined;
}

/** The most used execution parameters; the service's document lists them all. */
export interface OrderParams {
  readonly duration_seconds?: string | undefined;
  readonly trading_style?: string | undefined;
  readonly urgency?: string | undefined;
  readonly randomize_amount?: boolean | undefined;
  readonly reduce_only?: boolean | undefined;
  readonly post_only?: boolean | undefined;
  readonly [parameter: string]: unknown;
}

/** Names an order by the service's id, the client's own, or both. */
export interface OrderRef {
  readonly order_id?: number | undefined;
  readonly client_order_id?: string | undefined;
}

export interface OrderSummary {
  readonly order_id?: number;
  readonly client_order_id?: string;
  readonly status?: string;
  readonly created_at: string;
  readonly message?: string;
  readonly error_code?: string;
}

export interface OrderDetails {
  readonly order_id: number;
  readonly client_order_id?: string;
  readonly symbol: string;
  readonly status: string;
  readonly asset_class: string;
  readonly exchange: string;
  readonly strategy: string;
  /** Epoch milliseconds, service time. */
  readonly start_time?: number;
  readonly end_time?: number;
  readonly filled_quantity: number;
  readonly leaves_quantity: number;
  readonly side: OrderSide;
  readonly last_quantity: number;
  readonly last_price: number;
  readonly average_price: number;
  readonly trades?: readonly TradeDetails[];
  readonly fees_infos?: Readonly<Record<string, number>>;
  readonly message?: string;
  readonly error_code?: string;
}

export interface TradeDetails {
  readonly trade_id?: number;
  readonly symbol: string;
  readonly exchangeOrderId?: string;
  readonly clientOrderId?: string;
  readonly quantity: number;
  readonly price: number;
  readonly direction?: string;
  readonly makerOrTaker?: string;
  readonly execTime?: number;
  readonly fee?: number;
  readonly feeCurrency?: string;
}

export interface Balance {
  readonly symbol: string;
  readonly balance: number;
  readonly free: number;
}

/** A position that is open. Amounts are in quote currency. */
export interface Position {
  /** Canonical: `BTC/USDT:USDT`. */
  readonly symbol: string;
  readonly side: 'LONG' | 'SHORT' | 'BOTH';
  readonly marginMode: 'CROSS' | 'ISOLATED';
  readonly leverage: number;
  /** Base units, never negative. */
  readonly contracts: number;
  readonly entryPrice: number;
  readonly markPrice: number;
  /** 0: no price would liquidate it. */
  readonly liquidationPrice: number;
  /** Value at the mark price. */
  readonly notional: number;
  readonly unrealizedPnl: number;
  /** What stands behind it at the mark price. */
  readonly collateral: number;
  /** Epoch milliseconds, service time. */
  readonly timestamp: number;
}

export interface Instrument {
  readonly exchange: string;
  readonly symbol: string;
  readonly assetClass: string;
  readonly enabled: boolean;
  readonly quantityPrecision?: number;
  readonly pricePrecision?: number;
}

export interface FundingRate {
  readonly exchange: string;
  readonly symbol: string;
  /** ISO 8601, UTC, service time. */
  readonly time: string;
  readonly nextTime: string;
  /** Part of the notional that longs pay shorts; below 0: shorts pay. */
  readonly rate: number;
  readonly nextRate?: number;
  readonly markPrice?: number;
}

export interface ServerTime {
  readonly status: string;
  /** Real time, epoch milliseconds. */
  readonly timestamp: number;
  /** Service time, epoch milliseconds: runs faster than real time when the simulation does. */
  readonly service_time?: number;
}

export const TERMINAL_STATUSES: readonly string[] = ['REJECTED', 'FILLED', 'CANCELLED', 'EXPIRED'];
