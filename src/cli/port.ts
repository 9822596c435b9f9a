import type { OrRejection } from '../domain/rejection.js';

/** A parent order and the recorded market to execute it on. */
export interface BacktestRequest {
  /** Folder with the recordings. */
  readonly dataDir: string;
  /** Part of the name of the recording. null when exactly one recording fits the order. */
  readonly symbol: string | null;
  /** File with the body of a create request. */
  readonly orderFile: string;
  readonly queueModel: 'risk-averse' | 'probabilistic';
  readonly latencyMs: number;
  /** Request rates of the exchange, in the format of SLUICE_VENUE_RATES. */
  readonly venueRates: string;
}

/**
 * Execution cost. Quantities in base units, prices in quote units, times in epoch milliseconds; positive bps are cost.
 */
export interface BacktestReport {
  readonly recording: string;
  readonly exchange: string;
  readonly symbol: string;
  readonly side: string;
  readonly strategy: string;
  /** Status of the order at its end or at the end of the recording. */
  readonly status: string;
  /** Reason of that status; null without one. */
  readonly message: string | null;
  readonly quantity: number;
  readonly filled_quantity: number;
  readonly start_time: number;
  readonly end_time: number;
  readonly children: number;
  readonly fills: number;
  readonly arrival_price: number;
  readonly average_price: number | null;
  readonly arrival_slippage_bps: number | null;
  readonly fees: number;
  readonly fee_currency: string;
  readonly fees_bps: number | null;
  readonly all_in_slippage_bps: number | null;
  readonly implementation_shortfall_bps: number;
  readonly market_vwap: number | null;
  readonly vwap_slippage_bps: number | null;
  readonly market_vwap_with_own: number | null;
  readonly vwap_with_own_slippage_bps: number | null;
  readonly twap_price: number | null;
  readonly twap_slippage_bps: number | null;
  readonly maker_share: number | null;
  readonly participation: number | null;
  /** Largest and root-mean-square distance from the schedule, as parts of the quantity; null without a schedule. */
  readonly schedule_deviation: { readonly largest: number; readonly rms: number } | null;
  /** Positive bps: the mid moved in favour of the order. coverage: part of the fills with a recorded horizon. */
  readonly markouts: readonly {
    readonly horizon_ms: number;
    readonly bps: number | null;
    readonly coverage: number;
  }[];
}

/** Runs backtests. Implemented by code of the service, which the command line does not import. */
export interface Backtests {
  /**
   * Resolves with a rejection when there is no report: INVALID_REQUEST when a file cannot be used, another code when
   * the order is refused. The message names the file, the line and the column, or the field.
   */
  run(request: BacktestRequest): Promise<OrRejection<BacktestReport>>;
}

/** Runs loopback exchanges. They are part of the tests, so the command line does not import them. */
export interface Loopbacks {
  /** Runs the exchange until it is stopped. Resolves with its exit status. Rejects when it is not installed. */
  run(parameters: readonly string[]): Promise<number>;
}

/** Terminal for drawing. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}
