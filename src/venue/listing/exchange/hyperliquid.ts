import { requestsIn, type VenueListing } from '../exchange-listing.js';
import { within } from '../price-band.js';
import { tradingRules } from '../trading-rule.js';

/**
 * Prices have five significant figures, as its documentation asks; a limit lies within 95 % of the reference price.
 * Fees: the base tier of the public schedule.
 */
export const HYPERLIQUID: VenueListing = {
  weight: 0.35,
  priceOffsetBps: -0.2,
  requestRate: requestsIn(60, 1200),
  selfTradePreventions: ['EXPIRE_MAKER'],
  capabilities: { isAmendOffered: true, isHedgeModeOffered: false, leverageMax: 40 },
  latency: {
    feed: { medianUs: 90_000, sigma: 0.3 },
    entry: { medianUs: 250_000, sigma: 0.35 },
    response: { medianUs: 120_000, sigma: 0.3 },
  },
  spot: {
    fees: { makerPpm: 400, takerPpm: 700 },
    bands: within(0.05, 1.95),
    isPostOnlyOffered: false,
    rules: tradingRules(`
      symbol     tick      lot      quantity      market    cost         price
      BTC/USDT   1         0.00001  0.00001..100  20        10..2000000  1..20000000
      ETH/USDT   0.1       0.0001   0.0001..2000  500       10..2000000  0.1..1000000
      SOL/USDT   0.01      0.001    0.001..20000  10000     10..2000000  0.01..100000
      XRP/USDT   0.00001   1        1..10000000   2000000   10..2000000  0.00001..200
      DOGE/USDT  0.000001  1        1..50000000   20000000  10..2000000  0.000001..50
      ETH/BTC    0.000001  0.0001   0.0001..2000  500       0.0001..20   0.000001..20
      BNB/USDT   0.01      0.001    0.001..10000  2000      10..2000000  0.01..200000
      ADA/USDT   0.00001   1        1..10000000   5000000   10..2000000  0.00001..200
      LTC/USDT   0.01      0.01     0.01..100000  20000     10..2000000  0.01..20000
      LINK/USDT  0.001     0.1      0.1..500000   200000    10..2000000  0.001..5000
      AVAX/USDT  0.001     0.01     0.01..200000  50000     10..2000000  0.001..10000
      BTC/USDC   1         0.00001  0.00001..100  20        10..2000000  1..20000000
    `),
  },
  perpetual: {
    fees: { makerPpm: 150, takerPpm: 450 },
    bands: within(0.05, 1.95),
    isPostOnlyOffered: false,
    rules: tradingRules(`
      symbol          tick      lot      quantity       market    cost  price
      BTC/USDT:USDT   1         0.00001  0.00001..500   100       10..  500..2000000
      ETH/USDT:USDT   0.1       0.0001   0.0001..10000  2000      10..  20..100000
      SOL/USDT:USDT   0.01      0.01     0.01..200000   20000     10..  2..10000
      XRP/USDT:USDT   0.0001    1        1..50000000    10000000  10..  0.005..20
      DOGE/USDT:USDT  0.000001  1        1..200000000   50000000  10..  0.001..5
      BNB/USDT:USDT   0.01      0.001    0.001..50000   10000     10..  5..20000
      ADA/USDT:USDT   0.00001   1        1..100000000   10000000  10..  0.005..20
      LTC/USDT:USDT   0.01      0.01     0.01..500000   100000    10..  0.5..2000
      LINK/USDT:USDT  0.001     0.1      0.1..2000000   500000    10..  0.1..500
      AVAX/USDT:USDT  0.001     0.01     0.01..1000000  200000    10..  0.2..1000
    `),
  },
};
