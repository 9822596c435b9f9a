import { describe, expect, test } from 'vitest';
import {
  readBinanceFills,
  readBinanceFuturesBalances,
  readBinanceOrder,
  readBinanceOrders,
  readBinancePositions,
  readBinanceSpotAccount,
} from '../../../../src/venue/live/normal/binance-account.js';
import { readBinanceFrame } from '../../../../src/venue/live/normal/binance-frame.js';
import {
  readBinanceBookTicker,
  readBinanceDepth,
  readBinanceKlines,
  readBinanceOpenInterest,
  readBinancePremiumIndex,
} from '../../../../src/venue/live/normal/binance-market.js';
import { reading } from './findings.js';

/** Messages by the exchange's documents, with values of our own. */
const REPORT = {
  e: 'executionReport',
  E: 1_700_000_000_005,
  s: 'BTCUSDT',
  c: '3814123456789-17',
  S: 'SELL',
  o: 'LIMIT',
  f: 'GTC',
  q: '0.50000000',
  p: '64000.10000000',
  P: '0.00000000',
  F: '0.00000000',
  g: -1,
  C: '',
  x: 'TRADE',
  X: 'PARTIALLY_FILLED',
  r: 'NONE',
  i: 4_293_153,
  l: '0.20000000',
  z: '0.30000000',
  L: '64000.20000000',
  n: '0.00010000',
  N: 'BNB',
  T: 1_700_000_000_001,
  t: 77,
  I: 8_641_984,
  w: false,
  m: true,
  M: false,
  O: 1_700_000_000_000,
  Z: '19200.06000000',
  Y: '12800.04000000',
  Q: '0.00000000',
  W: 1_700_000_000_000,
  V: 'EXPIRE_TAKER',
};
const ORDER_UPDATE = {
  e: 'ORDER_TRADE_UPDATE',
  E: 1_700_000_000_005,
  T: 1_700_000_000_002,
  o: {
    s: 'BTCUSDT',
    c: '3814123456789-18',
    S: 'BUY',
    o: 'LIMIT',
    f: 'GTC',
    q: '0.010',
    p: '64000.1',
    ap: '0',
    sp: '0',
    x: 'EXPIRED',
    X: 'EXPIRED_IN_MATCH',
    i: '8389765591234567890',
    l: '0',
    z: '0.004',
    L: '0',
    T: 1_700_000_000_001,
    t: 0,
    b: '0',
    a: '0',
    m: false,
    R: false,
    wt: 'CONTRACT_PRICE',
    ot: 'LIMIT',
    ps: 'BOTH',
    cp: false,
    rp: '0',
    pP: false,
    si: 0,
    ss: 0,
    V: 'EXPIRE_TAKER',
    pm: 'NONE',
    gtd: 0,
    er: '8',
  },
};

describe('frames of Binance', () => {
  test('reads a fill before the order that it changes', () => {
    const { result, findings } = reading((report) => readBinanceFrame(REPORT, report));
    expect(findings).toEqual([]);
    expect(result).toEqual([
      {
        kind: 'Fill',
        symbol: 'BTCUSDT',
        clientId: '3814123456789-17',
        venueOrderId: '4293153',
        tradeId: '77',
        side: 'SELL',
        price: '64000.2',
        quantity: '0.2',
        fee: '0.0001',
        feeAsset: 'BNB',
        liquidity: 'MAKER',
        atMs: 1_700_000_000_001,
      },
      {
        kind: 'Order',
        symbol: 'BTCUSDT',
        clientId: '3814123456789-17',
        venueOrderId: '4293153',
        side: 'SELL',
        state: 'OPEN',
        quantity: '0.5',
        price: '64000.1',
        filled: '0.3',
        reason: null,
        atMs: 1_700_000_000_001,
      },
    ]);
  });

  test('names a cancelled spot order by the client id of its placement', () => {
    const cancelled = { ...REPORT, x: 'CANCELED', X: 'CANCELED', c: 'web_cancel_1', C: '3814123456789-17', l: '0.0' };
    const { result } = reading((report) => readBinanceFrame({ subscriptionId: 0, event: cancelled }, report));
    expect(result).toMatchObject([{ kind: 'Order', clientId: '3814123456789-17', state: 'CANCELLED' }]);
  });

  test('reads the end of a futures order with its reason', () => {
    const { result, findings } = reading((report) => readBinanceFrame({ stream: 'key', data: ORDER_UPDATE }, report));
    expect(findings).toEqual([]);
    expect(result).toMatchObject([
      {
        state: 'CANCELLED',
        filled: '0.004',
        // The state says more than the number.
        reason: 'EXPIRED_IN_MATCH',
        venueOrderId: '8389765591234567890',
        atMs: 1_700_000_000_001,
      },
    ]);
  });

  test('reads a rejection with its reason', () => {
    const rejected = { ...REPORT, x: 'REJECTED', X: 'REJECTED', r: 'INSUFFICIENT_BALANCES', l: '0' };
    const { result } = reading((report) => readBinanceFrame(rejected, report));
    expect(result).toMatchObject([{ state: 'REJECTED', reason: 'INSUFFICIENT_BALANCES' }]);
  });

  test.each([
    [{ ...REPORT, X: 'PAUSED' }, 'UNKNOWN executionReport: unknown value X=PAUSED'],
    [{ ...REPORT, x: 'SPLIT' }, 'UNKNOWN executionReport: unknown value x=SPLIT'],
    [{ ...REPORT, zz: 1 }, 'UNKNOWN executionReport: unknown member zz'],
    [{ e: 'newEvent', s: 'BTCUSDT' }, 'UNKNOWN newEvent: unknown frame newEvent'],
    [{ ...REPORT, S: 'SHORT' }, 'UNREADABLE executionReport: S SHORT is not a known value'],
    [{ ...REPORT, i: 2 ** 60 }, 'UNREADABLE executionReport: i 1152921504606847000 is not an exact integer'],
    [{ ...REPORT, z: 'lots' }, 'UNREADABLE executionReport: z lots is no decimal from 0'],
    [{ ...REPORT, l: undefined }, 'UNREADABLE executionReport: l is missing'],
    [{ ...ORDER_UPDATE, o: null }, 'UNREADABLE ORDER_TRADE_UPDATE: o.x undefined is no text'],
    [null, 'UNREADABLE frame: the frame has no type'],
    [{ bids: [] }, 'UNREADABLE frame: the frame has no type'],
  ])('reports what is not known or not readable (%#)', (frame, finding) => {
    expect(reading((report) => readBinanceFrame(frame, report)).findings).toEqual([finding]);
  });

  test('keeps an order with an unknown state, so that it is looked up', () => {
    const { result } = reading((report) => readBinanceFrame({ ...REPORT, X: 'PAUSED', l: '0' }, report));
    expect(result).toMatchObject([{ kind: 'Order', state: 'UNKNOWN', filled: '0.3' }]);
  });

  test('reads balances and positions', () => {
    const spot = { e: 'outboundAccountPosition', E: 1, u: 2, B: [{ a: 'BTC', f: '0.10000000', l: '0.02000000' }] };
    const futures = {
      e: 'ACCOUNT_UPDATE',
      E: 4,
      T: 3,
      a: {
        m: 'ORDER',
        B: [{ a: 'USDT', wb: '122.50', cw: '100', bc: '-3' }],
        P: [
          {
            s: 'BTCUSDT',
            pa: '-0.010',
            ep: '64000.0',
            bep: '64010',
            cr: '200',
            up: '-1.50',
            mt: 'cross',
            iw: '0',
            ps: 'BOTH',
          },
        ],
      },
    };
    const { result, findings } = reading((report) => [
      ...readBinanceFrame(spot, report),
      ...readBinanceFrame(futures, report),
    ]);
    expect(findings).toEqual([]);
    expect(result).toEqual([
      { kind: 'Balances', isSnapshot: false, balances: [{ asset: 'BTC', total: '0.12', free: '0.1' }], atMs: 2 },
      { kind: 'Balances', isSnapshot: false, balances: [{ asset: 'USDT', total: '122.5', free: null }], atMs: 3 },
      {
        kind: 'Positions',
        isSnapshot: false,
        positions: [
          {
            symbol: 'BTCUSDT',
            mode: 'NET',
            quantity: '-0.01',
            entryPrice: '64000',
            unrealizedPnl: '-1.5',
            margin: {
              mode: 'CROSS',
              leverage: null,
              markPrice: null,
              liquidationPrice: null,
              initialMargin: null,
              maintenanceMargin: null,
              isolatedBalance: '0',
            },
          },
        ],
        atMs: 3,
      },
    ]);
  });

  test('reads market data', () => {
    const frames = [
      { u: 400_900_217, s: 'BNBUSDT', b: '25.35190000', B: '31.21000000', a: '25.36520000', A: '40.66000000' },
      { e: 'bookTicker', u: 9, E: 8, T: 7, s: 'BNBUSDT', b: '25.3', B: '31', a: '25.4', A: '40' },
      {
        e: 'depthUpdate',
        E: 8,
        T: 7,
        s: 'BTCUSDT',
        U: 157,
        u: 160,
        pu: 149,
        b: [['0.0024', '10']],
        a: [['0.0026', '0']],
      },
      { stream: 'btcusdt@depth5', data: { lastUpdateId: 160, bids: [['1.0', '2.0']], asks: [] } },
      { e: 'trade', E: 8, s: 'BNBBTC', t: 12_345, p: '0.001', q: '100', T: 7, m: true, M: true },
      { e: 'aggTrade', E: 8, s: 'BNBBTC', a: 5, p: '0.001', q: '100', f: 1, l: 2, T: 7, m: false },
      {
        e: 'kline',
        E: 8,
        s: 'BTCUSDT',
        k: {
          t: 60,
          T: 119,
          s: 'BTCUSDT',
          i: '1m',
          f: 1,
          L: 2,
          o: '1',
          c: '2',
          h: '3',
          l: '0.5',
          v: '10',
          n: 5,
          x: true,
          q: '15',
        },
      },
      { e: 'markPriceUpdate', E: 8, s: 'BTCUSDT', p: '100.5', i: '100.4', P: '100', r: '-0.00010000', T: 9 },
    ];
    const { result, findings } = reading((report) => frames.flatMap((frame) => readBinanceFrame(frame, report)));
    expect(findings).toEqual([]);
    expect(result).toEqual([
      {
        kind: 'TopOfBook',
        symbol: 'BNBUSDT',
        bid: { price: '25.3519', quantity: '31.21' },
        ask: { price: '25.3652', quantity: '40.66' },
        updateId: '400900217',
        atMs: null,
      },
      {
        kind: 'TopOfBook',
        symbol: 'BNBUSDT',
        bid: { price: '25.3', quantity: '31' },
        ask: { price: '25.4', quantity: '40' },
        updateId: '9',
        atMs: 7,
      },
      {
        kind: 'Depth',
        symbol: 'BTCUSDT',
        isSnapshot: false,
        bids: [{ price: '0.0024', quantity: '10' }],
        asks: [{ price: '0.0026', quantity: '0' }],
        firstUpdateId: '157',
        lastUpdateId: '160',
        previousUpdateId: '149',
        atMs: 7,
      },
      {
        kind: 'Depth',
        symbol: 'BTCUSDT',
        isSnapshot: true,
        bids: [{ price: '1', quantity: '2' }],
        asks: [],
        firstUpdateId: null,
        lastUpdateId: '160',
        previousUpdateId: null,
        atMs: null,
      },
      {
        kind: 'PublicTrade',
        symbol: 'BNBBTC',
        tradeId: '12345',
        price: '0.001',
        quantity: '100',
        takerSide: 'SELL',
        atMs: 7,
      },
      {
        kind: 'PublicTrade',
        symbol: 'BNBBTC',
        tradeId: '5',
        price: '0.001',
        quantity: '100',
        takerSide: 'BUY',
        atMs: 7,
      },
      {
        kind: 'Candle',
        symbol: 'BTCUSDT',
        interval: '1m',
        openMs: 60,
        open: '1',
        high: '3',
        low: '0.5',
        close: '2',
        volume: '10',
        quoteVolume: '15',
        isClosed: true,
      },
      {
        kind: 'MarkPrice',
        symbol: 'BTCUSDT',
        markPrice: '100.5',
        indexPrice: '100.4',
        fundingRate: '-0.0001',
        nextFundingMs: 9,
        atMs: 8,
      },
    ]);
  });

  test('gives no record for answers and for frames that another one repeats', () => {
    const frames = [
      { id: 1, result: null },
      { e: 'TRADE_LITE', s: 'BTCUSDT' },
      { e: 'balanceUpdate', a: 'BTC' },
    ];
    expect(reading((report) => frames.flatMap((frame) => readBinanceFrame(frame, report)))).toEqual({
      result: [],
      findings: [],
    });
  });

  test('reads the end of the stream', () => {
    const { result } = reading((report) => readBinanceFrame({ e: 'listenKeyExpired', E: 1, listenKey: 'x' }, report));
    expect(result).toEqual([{ kind: 'StreamEnded', reason: 'listenKeyExpired' }]);
  });
});

describe('answers of Binance', () => {
  const order = {
    symbol: 'BTCUSDT',
    orderId: 5,
    clientOrderId: '3814123456789-1',
    price: '0.00000000',
    origQty: '1.50',
    executedQty: '1.00',
    status: 'EXPIRED',
    type: 'MARKET',
    side: 'BUY',
    updateTime: 6,
  };

  test('reads an order, and a cancel under the id of the cancelled order', () => {
    const cancel = {
      ...order,
      origClientOrderId: '3814123456789-1',
      clientOrderId: 'other',
      updateTime: undefined,
      transactTime: 7,
    };
    const { result, findings } = reading((report) => [
      readBinanceOrder(order, report),
      readBinanceOrder(cancel, report),
    ]);
    expect(findings).toEqual([]);
    const expected = {
      kind: 'Order',
      symbol: 'BTCUSDT',
      clientId: '3814123456789-1',
      venueOrderId: '5',
      side: 'BUY',
      state: 'CANCELLED',
      quantity: '1.5',
      price: null,
      filled: '1',
      reason: null,
    };
    expect(result).toEqual([
      { ...expected, atMs: 6 },
      { ...expected, atMs: 7 },
    ]);
  });

  test('says that a list with an unreadable order is not complete', () => {
    const { result, findings } = reading((report) => readBinanceOrders([order, { ...order, side: 'UP' }], report));
    expect(result.records).toHaveLength(1);
    expect(result.isComplete).toBe(false);
    expect(findings).toEqual(['UNREADABLE orders: side UP is not a known value']);
    expect(reading((report) => readBinanceOrders({ code: -1 }, report)).result.isComplete).toBe(false);
    expect(reading((report) => readBinanceOrders([], report)).result).toEqual({ records: [], isComplete: true });
  });

  test('reads trades of spot and futures', () => {
    const spot = {
      symbol: 'BNBBTC',
      id: 1,
      orderId: 2,
      price: '4',
      qty: '12',
      commission: '0.1',
      commissionAsset: 'BNB',
      time: 3,
      isBuyer: true,
      isMaker: false,
    };
    const futures = {
      symbol: 'BTCUSDT',
      id: 1,
      orderId: 2,
      side: 'SELL',
      price: '4',
      qty: '12',
      commission: '-0.1',
      commissionAsset: 'USDT',
      time: 3,
      buyer: false,
      maker: true,
    };
    const { result, findings } = reading((report) => readBinanceFills([spot, futures], report));
    expect(findings).toEqual([]);
    expect(result.records).toMatchObject([
      { tradeId: '1', venueOrderId: '2', side: 'BUY', liquidity: 'TAKER', fee: '0.1' },
      { side: 'SELL', liquidity: 'MAKER', fee: '-0.1', feeAsset: 'USDT' },
    ]);
  });

  test('reads balances and positions', () => {
    const { result, findings } = reading((report) => [
      readBinanceSpotAccount({ updateTime: 9, balances: [{ asset: 'BTC', free: '1.0', locked: '0.5' }] }, report),
      readBinanceFuturesBalances([{ asset: 'USDT', balance: '-1.5', availableBalance: '0.0' }], report),
      readBinancePositions(
        [
          {
            symbol: 'BTCUSDT',
            positionAmt: '0.001',
            entryPrice: '50000.0',
            unRealizedProfit: '1.0',
            positionSide: 'BOTH',
          },
        ],
        report,
      ),
    ]);
    expect(findings).toEqual([]);
    expect(result).toEqual([
      { kind: 'Balances', isSnapshot: true, balances: [{ asset: 'BTC', total: '1.5', free: '1' }], atMs: 9 },
      { records: [{ asset: 'USDT', total: '-1.5', free: '0' }], isComplete: true },
      {
        records: [{ symbol: 'BTCUSDT', mode: 'NET', quantity: '0.001', entryPrice: '50000', unrealizedPnl: '1' }],
        isComplete: true,
      },
    ]);
  });

  test('reads market data', () => {
    const { result, findings } = reading((report) => [
      readBinanceBookTicker({ symbol: 'A', bidPrice: '1.0', bidQty: '2', askPrice: '3', askQty: '4' }, report),
      readBinanceDepth({ lastUpdateId: 5, bids: [['1', '2']], asks: [['3', '4']] }, 'A', report),
      readBinanceKlines([[60, '1', '3', '0.5', '2', '10', 119, '15', 5, '0', '0', '0']], 'A', '1m', report),
      readBinanceOpenInterest({ openInterest: '10659.509', symbol: 'A', time: 4 }, report),
      readBinancePremiumIndex(
        { symbol: 'A', markPrice: '9', indexPrice: '8', lastFundingRate: '0.1', nextFundingTime: 7, time: 4 },
        report,
      ),
    ]);
    expect(findings).toEqual([]);
    expect(result).toMatchObject([
      { kind: 'TopOfBook', bid: { price: '1', quantity: '2' }, ask: { price: '3', quantity: '4' } },
      { kind: 'Depth', isSnapshot: true, lastUpdateId: '5' },
      { records: [{ openMs: 60, open: '1', high: '3', low: '0.5', close: '2', volume: '10', quoteVolume: '15' }] },
      { quantity: '10659.509', atMs: 4 },
      { markPrice: '9', indexPrice: '8', fundingRate: '0.1', nextFundingMs: 7, atMs: 4 },
    ]);
  });
});
