import type { ExchangeCode } from '../../domain/exchange.js';
import { tradingRules, type TradingRule } from './exchange-listing.js';

/** Trading rules of perpetuals by exchange. `exchanges` names the sources. */
export const PERPETUAL_RULES = {
  BINANCE: tradingRules(`
    symbol          tick     lot    quantity       market   cost   price
    BTC/USDT:USDT   0.1      0.001  0.001..1000    120      100..  556.8..4529764
    ETH/USDT:USDT   0.01     0.001  0.001..10000   2000     20..   39.86..306177
    SOL/USDT:USDT   0.001    0.01   0.01..1000000  20000    5..    0.413..100000
    XRP/USDT:USDT   0.0001   0.1    0.1..10000000  2000000  5..    0.0143..100000
    DOGE/USDT:USDT  0.00001  1      1..10000000    5000000  5..    0.00244..100
    BNB/USDT:USDT   0.01     0.01   0.01..100000   2000     5..    6.6..100000
    ADA/USDT:USDT   0.0001   1      1..6000000     1300000  5..    0.0174..20000
    LTC/USDT:USDT   0.01     0.001  0.001..10000   5000     20..   3.61..100000
    LINK/USDT:USDT  0.001    0.01   0.01..200000   20000    20..   0.464..100000
    AVAX/USDT:USDT  0.001    1      1..10000000    25000    5..    0.348..1000
  `),
  HUOBI: tradingRules(`
    symbol          tick     lot    quantity      market    cost  price
    BTC/USDT:USDT   0.1      0.001  0.001..200    20        5..   500..2000000
    ETH/USDT:USDT   0.01     0.01   0.01..5000    500       5..   20..100000
    SOL/USDT:USDT   0.001    0.1    0.1..50000    5000      5..   2..10000
    XRP/USDT:USDT   0.0001   1      1..20000000   2000000   5..   0.005..20
    DOGE/USDT:USDT  0.00001  1      1..100000000  10000000  5..   0.001..5
    BNB/USDT:USDT   0.01     0.01   0.01..20000   2000      5..   5..20000
    ADA/USDT:USDT   0.0001   1      1..20000000   2000000   5..   0.005..20
    LTC/USDT:USDT   0.01     0.01   0.01..200000  20000     5..   0.5..2000
    LINK/USDT:USDT  0.001    0.1    0.1..1000000  100000    5..   0.1..500
    AVAX/USDT:USDT  0.001    0.1    0.1..500000   50000     5..   0.2..1000
  `),
  BYBIT: tradingRules(`
    symbol          tick     lot    quantity      market    cost  price
    BTC/USDT:USDT   0.1      0.001  0.001..1000   100       5..   500..2000000
    ETH/USDT:USDT   0.01     0.01   0.01..20000   2000      5..   20..100000
    SOL/USDT:USDT   0.001    0.1    0.1..200000   20000     5..   2..10000
    XRP/USDT:USDT   0.0001   1      1..100000000  10000000  5..   0.005..20
    DOGE/USDT:USDT  0.00001  1      1..500000000  50000000  5..   0.001..5
    BNB/USDT:USDT   0.01     0.01   0.01..100000  10000     5..   5..20000
    ADA/USDT:USDT   0.0001   1      1..100000000  10000000  5..   0.005..20
    LTC/USDT:USDT   0.01     0.1    0.1..1000000  100000    5..   0.5..2000
    LINK/USDT:USDT  0.001    0.1    0.1..5000000  500000    5..   0.1..500
    AVAX/USDT:USDT  0.001    0.1    0.1..2000000  200000    5..   0.2..1000
  `),
  KUCOIN: tradingRules(`
    symbol          tick     lot    quantity      market    cost  price
    BTC/USDT:USDT   0.1      0.001  0.001..200    20        5..   500..2000000
    ETH/USDT:USDT   0.01     0.01   0.01..5000    500       5..   20..100000
    SOL/USDT:USDT   0.001    0.1    0.1..100000   10000     5..   2..10000
    XRP/USDT:USDT   0.0001   1      1..20000000   2000000   5..   0.005..20
    DOGE/USDT:USDT  0.00001  1      1..200000000  20000000  5..   0.001..5
    BNB/USDT:USDT   0.01     0.01   0.01..20000   2000      5..   5..20000
    ADA/USDT:USDT   0.0001   1      1..50000000   5000000   5..   0.005..20
    LTC/USDT:USDT   0.01     0.1    0.1..200000   20000     5..   0.5..2000
    LINK/USDT:USDT  0.001    0.1    0.1..2000000  200000    5..   0.1..500
    AVAX/USDT:USDT  0.001    0.1    0.1..500000   50000     5..   0.2..1000
  `),
  OKX: tradingRules(`
    symbol          tick     lot     quantity       market    cost  price
    BTC/USDT:USDT   0.1      0.0001  0.0001..1000   100       5..   500..2000000
    ETH/USDT:USDT   0.01     0.001   0.001..20000   2000      5..   20..100000
    SOL/USDT:USDT   0.01     0.01    0.01..200000   20000     5..   2..10000
    XRP/USDT:USDT   0.0001   1       1..100000000   10000000  5..   0.005..20
    DOGE/USDT:USDT  0.00001  1       1..500000000   50000000  5..   0.001..5
    BNB/USDT:USDT   0.1      0.01    0.01..100000   10000     5..   5..20000
    ADA/USDT:USDT   0.0001   1       1..100000000   10000000  5..   0.005..20
    LTC/USDT:USDT   0.01     0.01    0.01..1000000  100000    5..   0.5..2000
    LINK/USDT:USDT  0.001    0.1     0.1..5000000   500000    5..   0.1..500
    AVAX/USDT:USDT  0.001    0.1     0.1..2000000   200000    5..   0.2..1000
  `),
  GATEIO: tradingRules(`
    symbol          tick     lot     quantity      market    cost  price
    BTC/USDT:USDT   0.1      0.0001  0.0001..200   20        5..   500..2000000
    ETH/USDT:USDT   0.01     0.01    0.01..5000    500       5..   20..100000
    SOL/USDT:USDT   0.01     0.1     0.1..100000   10000     5..   2..10000
    XRP/USDT:USDT   0.0001   1       1..20000000   2000000   5..   0.005..20
    DOGE/USDT:USDT  0.00001  1       1..200000000  20000000  5..   0.001..5
    BNB/USDT:USDT   0.01     0.001   0.001..20000  2000      5..   5..20000
    ADA/USDT:USDT   0.0001   1       1..50000000   5000000   5..   0.005..20
    LTC/USDT:USDT   0.01     0.1     0.1..200000   20000     5..   0.5..2000
    LINK/USDT:USDT  0.001    0.1     0.1..2000000  200000    5..   0.1..500
    AVAX/USDT:USDT  0.001    0.1     0.1..500000   50000     5..   0.2..1000
  `),
  KRAKEN: tradingRules(`
    symbol          tick     lot     quantity      market    cost  price
    BTC/USDT:USDT   1        0.0001  0.0001..200   20        5..   500..2000000
    ETH/USDT:USDT   0.1      0.001   0.001..5000   500       5..   20..100000
    SOL/USDT:USDT   0.01     0.01    0.01..50000   5000      5..   2..10000
    XRP/USDT:USDT   0.0001   1       1..20000000   2000000   5..   0.005..20
    DOGE/USDT:USDT  0.00001  1       1..100000000  10000000  5..   0.001..5
    BNB/USDT:USDT   0.01     0.01    0.01..20000   2000      5..   5..20000
    ADA/USDT:USDT   0.0001   1       1..20000000   2000000   5..   0.005..20
    LTC/USDT:USDT   0.01     0.01    0.01..200000  20000     5..   0.5..2000
    LINK/USDT:USDT  0.001    0.1     0.1..1000000  100000    5..   0.1..500
    AVAX/USDT:USDT  0.001    0.1     0.1..500000   50000     5..   0.2..1000
  `),
  BITGET: tradingRules(`
    symbol          tick     lot     quantity      market    cost  price
    BTC/USDT:USDT   0.1      0.0001  0.0001..200   20        5..   500..2000000
    ETH/USDT:USDT   0.01     0.01    0.01..5000    500       5..   20..100000
    SOL/USDT:USDT   0.001    0.1     0.1..100000   10000     5..   2..10000
    XRP/USDT:USDT   0.0001   1       1..20000000   2000000   5..   0.005..20
    DOGE/USDT:USDT  0.00001  1       1..200000000  20000000  5..   0.001..5
    BNB/USDT:USDT   0.01     0.01    0.01..20000   2000      5..   5..20000
    ADA/USDT:USDT   0.0001   1       1..50000000   5000000   5..   0.005..20
    LTC/USDT:USDT   0.01     0.1     0.1..200000   20000     5..   0.5..2000
    LINK/USDT:USDT  0.001    0.1     0.1..2000000  200000    5..   0.1..500
    AVAX/USDT:USDT  0.001    0.1     0.1..500000   50000     5..   0.2..1000
  `),
  WOO: tradingRules(`
    symbol          tick     lot     quantity      market    cost  price
    BTC/USDT:USDT   0.1      0.0001  0.0001..100   20        10..  500..2000000
    ETH/USDT:USDT   0.01     0.001   0.001..2000   500       10..  20..100000
    SOL/USDT:USDT   0.001    0.01    0.01..20000   5000      10..  2..10000
    XRP/USDT:USDT   0.0001   1       1..10000000   2000000   10..  0.005..20
    DOGE/USDT:USDT  0.00001  1       1..50000000   10000000  10..  0.001..5
    BNB/USDT:USDT   0.01     0.01    0.01..10000   2000      10..  5..20000
    ADA/USDT:USDT   0.0001   1       1..10000000   2000000   10..  0.005..20
    LTC/USDT:USDT   0.01     0.01    0.01..100000  20000     10..  0.5..2000
    LINK/USDT:USDT  0.001    0.1     0.1..500000   100000    10..  0.1..500
    AVAX/USDT:USDT  0.001    0.1     0.1..200000   50000     10..  0.2..1000
  `),
  MEXC: tradingRules(`
    symbol          tick     lot     quantity      market    cost  price
    BTC/USDT:USDT   0.1      0.0001  0.0001..200   20        5..   500..2000000
    ETH/USDT:USDT   0.01     0.01    0.01..5000    500       5..   20..100000
    SOL/USDT:USDT   0.01     0.1     0.1..50000    5000      5..   2..10000
    XRP/USDT:USDT   0.0001   1       1..20000000   2000000   5..   0.005..20
    DOGE/USDT:USDT  0.00001  1       1..100000000  10000000  5..   0.001..5
    BNB/USDT:USDT   0.1      0.01    0.01..20000   2000      5..   5..20000
    ADA/USDT:USDT   0.0001   1       1..20000000   2000000   5..   0.005..20
    LTC/USDT:USDT   0.01     0.1     0.1..200000   20000     5..   0.5..2000
    LINK/USDT:USDT  0.001    0.1     0.1..1000000  100000    5..   0.1..500
    AVAX/USDT:USDT  0.001    0.1     0.1..500000   50000     5..   0.2..1000
  `),
  BULLISH: tradingRules(`
    symbol          tick     lot      quantity       market    cost  price
    BTC/USDT:USDT   0.1      0.00001  0.00001..200   20        1..   500..2000000
    ETH/USDT:USDT   0.01     0.0001   0.0001..5000   500       1..   20..100000
    SOL/USDT:USDT   0.001    0.01     0.01..50000    5000      1..   2..10000
    XRP/USDT:USDT   0.0001   0.1      0.1..20000000  2000000   1..   0.005..20
    DOGE/USDT:USDT  0.00001  1        1..100000000   10000000  1..   0.001..5
    BNB/USDT:USDT   0.01     0.01     0.01..20000    2000      1..   5..20000
    ADA/USDT:USDT   0.0001   1        1..20000000    2000000   1..   0.005..20
    LTC/USDT:USDT   0.01     0.01     0.01..200000   20000     1..   0.5..2000
    LINK/USDT:USDT  0.001    0.1      0.1..1000000   100000    1..   0.1..500
    AVAX/USDT:USDT  0.001    0.1      0.1..500000    50000     1..   0.2..1000
  `),
  B2C2: tradingRules(`
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
  HYPERLIQUID: tradingRules(`
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
  COINBASE_PRIME: tradingRules(`
    symbol          tick     lot    quantity      market    cost  price
    BTC/USDT:USDT   0.1      0.001  0.001..200    20        10..  500..2000000
    ETH/USDT:USDT   0.01     0.01   0.01..5000    500       10..  20..100000
    SOL/USDT:USDT   0.01     0.1    0.1..50000    5000      10..  2..10000
    XRP/USDT:USDT   0.0001   1      1..20000000   2000000   10..  0.005..20
    DOGE/USDT:USDT  0.00001  1      1..100000000  10000000  10..  0.001..5
    BNB/USDT:USDT   0.01     0.01   0.01..20000   2000      10..  5..20000
    ADA/USDT:USDT   0.0001   1      1..20000000   2000000   10..  0.005..20
    LTC/USDT:USDT   0.01     0.1    0.1..200000   20000     10..  0.5..2000
    LINK/USDT:USDT  0.001    0.1    0.1..1000000  100000    10..  0.1..500
    AVAX/USDT:USDT  0.001    0.1    0.1..500000   50000     10..  0.2..1000
  `),
  COINBASE_INTL: tradingRules(`
    symbol          tick     lot     quantity       market    cost  price
    BTC/USDT:USDT   0.1      0.0001  0.0001..200    20        10..  500..2000000
    ETH/USDT:USDT   0.01     0.0001  0.0001..5000   500       10..  20..100000
    SOL/USDT:USDT   0.001    0.001   0.001..100000  10000     10..  2..10000
    XRP/USDT:USDT   0.0001   0.1     0.1..20000000  2000000   10..  0.005..20
    DOGE/USDT:USDT  0.00001  1       1..200000000   20000000  10..  0.001..5
    BNB/USDT:USDT   0.01     0.001   0.001..20000   2000      10..  5..20000
    ADA/USDT:USDT   0.0001   1       1..50000000    5000000   10..  0.005..20
    LTC/USDT:USDT   0.01     0.01    0.01..200000   20000     10..  0.5..2000
    LINK/USDT:USDT  0.001    0.1     0.1..2000000   200000    10..  0.1..500
    AVAX/USDT:USDT  0.001    0.1     0.1..500000    50000     10..  0.2..1000
  `),
  EXTENDED: tradingRules(`
    symbol        tick     lot      quantity      market    cost  price
    BTC/USD:USD   1        0.00001  0.00001..200  20        5..   500..2000000
    ETH/USD:USD   0.1      0.001    0.001..5000   500       5..   20..100000
    SOL/USD:USD   0.01     0.01     0.01..50000   10000     5..   2..10000
    XRP/USD:USD   0.0001   1        1..20000000   2000000   5..   0.005..20
    DOGE/USD:USD  0.00001  1        1..100000000  20000000  5..   0.001..5
    BNB/USD:USD   0.01     0.01     0.01..20000   2000      5..   5..20000
    ADA/USD:USD   0.0001   1        1..20000000   5000000   5..   0.005..20
    LTC/USD:USD   0.01     0.01     0.01..200000  20000     5..   0.5..2000
    LINK/USD:USD  0.001    0.1      0.1..1000000  200000    5..   0.1..500
    AVAX/USD:USD  0.001    0.1      0.1..500000   50000     5..   0.2..1000
  `),
  LIGHTER: tradingRules(`
    symbol          tick      lot      quantity      market    cost  price
    BTC/USDC:USDC   0.1       0.00001  0.00001..200  20        10..  500..2000000
    ETH/USDC:USDC   0.01      0.0001   0.0001..5000  500       10..  20..100000
    SOL/USDC:USDC   0.001     0.001    0.001..50000  10000     10..  2..10000
    XRP/USDC:USDC   0.00001   1        1..20000000   2000000   10..  0.005..20
    DOGE/USDC:USDC  0.000001  1        1..100000000  20000000  10..  0.001..5
    BNB/USDC:USDC   0.01      0.01     0.01..20000   2000      10..  5..20000
    ADA/USDC:USDC   0.00001   1        1..20000000   5000000   10..  0.005..20
    LTC/USDC:USDC   0.01      0.01     0.01..200000  20000     10..  0.5..2000
    LINK/USDC:USDC  0.001     0.1      0.1..1000000  200000    10..  0.1..500
    AVAX/USDC:USDC  0.001     0.1      0.1..500000   50000     10..  0.2..1000
  `),
} satisfies { readonly [Code in ExchangeCode]?: readonly TradingRule[] };
