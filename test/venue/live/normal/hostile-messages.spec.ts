import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as binanceAccount from '../../../../src/venue/live/normal/binance-account.js';
import { readBinanceFrame } from '../../../../src/venue/live/normal/binance-frame.js';
import * as binanceMarket from '../../../../src/venue/live/normal/binance-market.js';
import * as bybitAccount from '../../../../src/venue/live/normal/bybit-account.js';
import * as bybitMarket from '../../../../src/venue/live/normal/bybit-market.js';
import type { ReportFinding } from '../../../../src/venue/live/normal/message.js';
import * as okx from '../../../../src/venue/live/normal/okx.js';
import { runs } from '../../../runs.js';

type Reader = (message: unknown, report: ReportFinding) => unknown;

const READERS: readonly Reader[] = [
  readBinanceFrame,
  binanceAccount.readBinanceOrder,
  binanceAccount.readBinanceOrders,
  binanceAccount.readBinanceFills,
  binanceAccount.readBinanceSpotAccount,
  binanceAccount.readBinanceFuturesBalances,
  binanceAccount.readBinancePositions,
  binanceMarket.readBinanceBookTicker,
  (message, report) => binanceMarket.readBinanceDepth(message, 'A', report),
  (message, report) => binanceMarket.readBinanceKlines(message, 'A', '1m', report),
  binanceMarket.readBinanceOpenInterest,
  binanceMarket.readBinancePremiumIndex,
  bybitMarket.readBybitFrame,
  bybitAccount.readBybitAccountFrame,
  bybitAccount.readBybitPlacement,
  bybitAccount.readBybitNextPage,
  bybitMarket.readBybitFundingRates,
  bybitMarket.readBybitNextFunding,
  bybitMarket.readBybitTime,
  bybitAccount.readBybitOrders,
  bybitAccount.readBybitFills,
  bybitAccount.readBybitPositions,
  bybitAccount.readBybitBalances,
  (message, report) => bybitMarket.readBybitKlines(message, '1', report),
  okx.readOkxFrame,
  okx.readOkxOrders,
  okx.readOkxFills,
  okx.readOkxBalances,
  okx.readOkxPositions,
  (message, report) => okx.readOkxCandles(message, 'A', '1m', report),
];

/** Names and values that the readers look for, so that random messages reach all of their code. */
const NAMES =
  `e s S o x X i l z L n N T t m c C a B P u U pu b k p q d E u W ap R bids asks lastUpdateId symbol orderId side status
  origQty executedQty updateTime topic data type ts cts arg channel action instId ordId clOrdId state sz px accFillSz fillSz
  fillPx tradeId execType fillTime uTime details ccy cashBal posSide pos coin walletBalance size positionIdx retCode result
  list code stream event category nextPageCursor orderLinkId fundingRate fundingRateTimestamp timeNano __proto__ constructor prototype toString`
    .trim()
    .split(/\s+/);
const VALUES =
  `executionReport ORDER_TRADE_UPDATE ACCOUNT_UPDATE outboundAccountPosition bookTicker depthUpdate trade aggTrade kline
  markPriceUpdate order execution position wallet kline.1.A orderbook.1.A tickers.A publicTrade.A orders account positions
  books trades candle1m mark-price open-interest BUY SELL Buy Sell buy sell NEW FILLED live filled New Filled Trade TRADE 0 1
  0.1 -1 1e5 1e99 NaN M T net long`
    .trim()
    .split(/\s+/);

const LEAF: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...VALUES, '', null, 0, 1, -1, 0.5, 2 ** 53, 1e300, 5e-324, true, false, '9'.repeat(400)),
  fc.string(),
  fc.double(),
);
const MESSAGE = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, LEAF, tie('object'), fc.array(tie('value'), { maxLength: 4 })),
  object: fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string()), tie('value'), { maxKeys: 12 }),
})).value;

/** Objects of JSON have own members only; a `__proto__` is one of them. */
function fromJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null') as unknown;
}

describe('messages that no exchange sends', () => {
  test.each([
    ['any JSON', fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>, runs(200, 2_000)],
    ['names and values of exchanges in any order', MESSAGE, runs(800, 6_000)],
  ])('never throw: %s', (_name, messages, numRuns) => {
    fc.assert(
      fc.property(messages, (given) => {
        const message = fromJson(given);
        const wrapped = [
          message,
          [message],
          { retCode: 0, result: { list: [message] } },
          { code: '0', data: [message] },
        ];
        for (const reader of READERS) for (const one of wrapped) reader(one, () => {});
      }),
      { numRuns },
    );
  });

  test('read no member of a prototype and change none', () => {
    const text =
      '{"e":"executionReport","__proto__":{"s":"EVIL","S":"BUY","polluted":true},"constructor":{"prototype":{}}}';
    const findings: string[] = [];
    const records = readBinanceFrame(JSON.parse(text), ({ message }) => findings.push(message));
    expect(records).toEqual([]);
    expect(findings).toContain('unknown member __proto__');
    expect(findings).toContain('x undefined is no text');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('refuse lists that are longer than any exchange sends', () => {
    const rows = Array.from({ length: 50_001 }, () => ({}));
    let count = 0;
    expect(binanceAccount.readBinanceOrders(rows, () => (count += 1))).toEqual({ records: [], isComplete: false });
    expect(count).toBe(1);
  });
});
