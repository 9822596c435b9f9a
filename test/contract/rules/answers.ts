/* Types of the contract's answers, written from its tables. */

export interface Refusal {
  readonly error_code: string;
  readonly message: string;
  readonly request_id: string;
}

export interface Summary {
  readonly order_id?: number;
  readonly client_order_id?: string;
  readonly status: string;
  readonly created_at: string;
  readonly message?: string;
  readonly error_code?: string;
}

export interface Trade {
  readonly trade_id: number;
  readonly symbol: string;
  readonly exchangeOrderId: string;
  readonly clientOrderId?: string;
  readonly quantity: number;
  readonly price: number;
  readonly direction: string;
  readonly makerOrTaker: string;
  readonly execTime: number;
  readonly fee: number;
  readonly feeCurrency: string;
}

export interface Details {
  readonly order_id: number;
  readonly client_order_id?: string;
  readonly symbol: string;
  readonly status: string;
  readonly asset_class: string;
  readonly exchange: string;
  readonly strategy: string;
  readonly start_time: number;
  readonly end_time?: number;
  readonly filled_quantity: number;
  readonly leaves_quantity: number;
  readonly side: string;
  readonly last_quantity: number;
  readonly last_price: number;
  readonly average_price: number;
  readonly message?: string;
  readonly error_code?: string;
  readonly trades?: readonly Trade[];
  readonly fees_infos?: Readonly<Record<string, number>>;
}

export interface DetailsList {
  readonly orders: readonly Details[];
}

export interface SummaryList {
  readonly orders: readonly Summary[];
}
