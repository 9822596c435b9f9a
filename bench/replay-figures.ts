/** Figures that a recording is known by: prices in quote units, counts of what went wrong. */
export interface ReplayFigures {
  /** Of all trades of the order book. */
  readonly vwap: number;
  readonly arrival_mid: number;
  readonly last_mid: number;
  readonly updates: number;
  readonly gaps: number;
  readonly crossings: number;
}

/** Computed from the same files by other programs. */
export const KNOWN_FIGURES: ReadonlyMap<string, ReplayFigures> = new Map([
  [
    'binance_spot_BTCUSDT_20240808-09',
    { vwap: 61671.5516, arrival_mid: 61837.635, last_mid: 61602.015, updates: 6493, gaps: 0, crossings: 0 },
  ],
  [
    'binance_usdm_BTCUSDT_20240808',
    { vwap: 61680.9822, arrival_mid: 61800.25, last_mid: 61659.75, updates: 6547, gaps: 0, crossings: 0 },
  ],
  [
    'binance_usdm_BTCUSDT_20230404-05',
    { vwap: 28146.0054, arrival_mid: 28145.15, last_mid: 28140.15, updates: 16110, gaps: 0, crossings: 0 },
  ],
]);
