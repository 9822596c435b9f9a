import { requestsIn, type VenueListing } from '../exchange-listing.js';
import { crossing } from '../price-band.js';
import { tradingRules } from '../trading-rule.js';

/** A dealer that quotes over the counter: no public rules or fees, its price holds the margin; all figures plausible. */
export const B2C2: VenueListing = {
  weight: 0.15,
  priceOffsetBps: -0.6,
  requestRate: requestsIn(1, 10),
  selfTradePreventions: ['EXPIRE_TAKER'],
  capabilities: { isAmendOffered: false, isHedgeModeOffered: false, leverageMax: 20 },
  latency: {
    feed: { medianUs: 106_000, sigma: 0.15 },
    entry: { medianUs: 115_000, sigma: 0.2 },
    response: { medianUs: 106_000, sigma: 0.15 },
  },
  spot: {
    fees: { makerPpm: 500, takerPpm: 500 },
    bands: crossing(0.02),
    isPostOnlyOffered: false,
    rules: tradingRules(`
      symbol     tick      lot     quantity        market    cost          price
      BTC/USDT   0.01      0.0001  0.002..100      100       100..5000000  0.01..20000000
      ETH/USDT   0.01      0.001   0.05..2000      2000      100..5000000  0.01..1000000
      SOL/USDT   0.001     0.01    0.5..20000      20000     100..5000000  0.001..100000
      XRP/USDT   0.00001   1       200..10000000   10000000  100..5000000  0.00001..200
      DOGE/USDT  0.000001  1       1000..50000000  50000000  100..5000000  0.000001..50
      ETH/BTC    0.000001  0.001   0.05..2000      2000      0.0001..100   0.000001..20
      BNB/USDT   0.01      0.01    0.2..10000      10000     100..5000000  0.01..200000
      ADA/USDT   0.00001   1       200..10000000   10000000  100..5000000  0.00001..200
      LTC/USDT   0.01      0.01    2..100000       100000    100..5000000  0.01..20000
      LINK/USDT  0.001     0.1     10..500000      500000    100..5000000  0.001..5000
      AVAX/USDT  0.001     0.1     5..200000       200000    100..5000000  0.001..10000
      BTC/USDC   0.01      0.0001  0.002..100      100       100..5000000  0.01..20000000
    `),
  },
  perpetual: {
    fees: { makerPpm: 500, takerPpm: 500 },
    bands: crossing(0.02),
    isPostOnlyOffered: false,
    rules: tradingRules(`
      symbol          tick      lot    quantity        market    cost   price
      BTC/USDT:USDT   0.1       0.001  0.002..100      100       100..  500..2000000
      ETH/USDT:USDT   0.01      0.01   0.05..2000      2000      100..  20..100000
      SOL/USDT:USDT   0.001     0.1    0.5..20000      20000     100..  2..10000
      XRP/USDT:USDT   0.00001   1      200..10000000   10000000  100..  0.005..20
      DOGE/USDT:USDT  0.000001  1      1000..50000000  50000000  100..  0.001..5
      BNB/USDT:USDT   0.01      0.01   0.2..10000      10000     100..  5..20000
      ADA/USDT:USDT   0.00001   1      200..10000000   10000000  100..  0.005..20
      LTC/USDT:USDT   0.01      0.1    2..100000       100000    100..  0.5..2000
      LINK/USDT:USDT  0.001     0.1    10..500000      500000    100..  0.1..500
      AVAX/USDT:USDT  0.001     0.1    5..200000       200000    100..  0.2..1000
    `),
  },
};
