/** A pair that every simulated venue lists, and its market figures. Quantities in base units, prices in quote units. */
export interface PairListing {
  readonly base: string;
  readonly quote: string;
  /** True when a linear perpetual is listed too. */
  readonly hasPerpetual: boolean;
  readonly referencePrice: number;
  /** Standard deviation of the daily return, as a fraction. */
  readonly dailyVolatility: number;
  /** Daily background volume at a venue of weight 1. */
  readonly dailyTurnover: number;
}

export const PAIR_LISTINGS: readonly PairListing[] = [
  {
    base: 'BTC',
    quote: 'USDT',
    hasPerpetual: true,
    referencePrice: 64_000,
    dailyVolatility: 0.041,
    dailyTurnover: 65_000,
  },
  {
    base: 'ETH',
    quote: 'USDT',
    hasPerpetual: true,
    referencePrice: 2_680,
    dailyVolatility: 0.038,
    dailyTurnover: 350_000,
  },
  {
    base: 'SOL',
    quote: 'USDT',
    hasPerpetual: true,
    referencePrice: 155,
    dailyVolatility: 0.045,
    dailyTurnover: 2_500_000,
  },
  {
    base: 'XRP',
    quote: 'USDT',
    hasPerpetual: true,
    referencePrice: 0.6,
    dailyVolatility: 0.04,
    dailyTurnover: 300_000_000,
  },
  {
    base: 'DOGE',
    quote: 'USDT',
    hasPerpetual: true,
    referencePrice: 0.105,
    dailyVolatility: 0.05,
    dailyTurnover: 1_000_000_000,
  },
  {
    base: 'ETH',
    quote: 'BTC',
    hasPerpetual: false,
    referencePrice: 0.0419,
    dailyVolatility: 0.02,
    dailyTurnover: 12_000,
  },
  {
    base: 'BNB',
    quote: 'USDT',
    hasPerpetual: true,
    referencePrice: 590,
    dailyVolatility: 0.03,
    dailyTurnover: 400_000,
  },
  {
    base: 'ADA',
    quote: 'USDT',
    hasPerpetual: true,
    referencePrice: 0.36,
    dailyVolatility: 0.042,
    dailyTurnover: 120_000_000,
  },
  {
    base: 'LTC',
    quote: 'USDT',
    hasPerpetual: true,
    referencePrice: 66,
    dailyVolatility: 0.038,
    dailyTurnover: 900_000,
  },
  {
    base: 'LINK',
    quote: 'USDT',
    hasPerpetual: true,
    referencePrice: 11.5,
    dailyVolatility: 0.042,
    dailyTurnover: 4_000_000,
  },
  {
    base: 'AVAX',
    quote: 'USDT',
    hasPerpetual: true,
    referencePrice: 27,
    dailyVolatility: 0.045,
    dailyTurnover: 3_000_000,
  },
  {
    base: 'BTC',
    quote: 'USDC',
    hasPerpetual: false,
    referencePrice: 64_000,
    dailyVolatility: 0.038,
    dailyTurnover: 5_000,
  },
];
