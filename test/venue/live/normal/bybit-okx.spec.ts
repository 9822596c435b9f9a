import { describe, expect, test } from 'vitest';
import {
  readBybitAccountFrame,
  readBybitBalances,
  readBybitFills,
  readBybitNextPage,
  readBybitOrders,
  readBybitPlacement,
  readBybitPositions,
} from '../../../../src/venue/live/normal/bybit-account.js';
import {
  readBybitFrame,
  readBybitFundingRates,
  readBybitKlines,
  readBybitTime,
} from '../../../../src/venue/live/normal/bybit-market.js';
import {
  readOkxBalances,
  readOkxCandles,
  readOkxFills,
  readOkxFrame,
  readOkxOrders,
  readOkxPositions,
} from '../../../../src/venue/live/normal/okx.js';
import { reading } from './findings.js';

function bybitAnswer(list: readonly unknown[], more: object = {}): unknown {
  return { retCode: 0, result: { list, ...more } };
}

function accountFrame(topic: string, data: object): object {
  return { topic, creationTime: 1, data: [data] };
}

function productsOf(topic: string, data: object): readonly unknown[] {
  const { result } = reading((report) => readBybitAccountFrame(accountFrame(topic, data), report));
  return result.map(({ product }) => product);
}

function findingsOf(topic: string, data: object): readonly string[] {
  return reading((report) => readBybitAccountFrame(accountFrame(topic, data), report)).findings;
}

function okxFrame(channel: string, data: readonly unknown[], more: object = {}): unknown {
  return { arg: { channel, instId: 'BTC-USDT' }, data, ...more };
}

function okxAnswer(data: readonly unknown[]): unknown {
  return { code: '0', msg: '', data };
}

describe('Bybit', () => {
  const order = {
    symbol: 'BTCUSDT',
    orderId: 'a-1',
    orderLinkId: '3814123456789-17',
    side: 'Sell',
    orderStatus: 'PartiallyFilledCanceled',
    cancelType: 'CancelByUser',
    rejectReason: 'EC_NoError',
    qty: '1.500',
    price: '0',
    cumExecQty: '0.5',
    updatedTime: '1700000000001',
  };
  const execution = {
    symbol: 'BTCUSDT',
    orderId: 'a-1',
    orderLinkId: '3814123456789-17',
    side: 'Buy',
    execId: 'e-1',
    execType: 'Trade',
    execPrice: '64000.10',
    execQty: '0.010',
    execFee: '-0.05',
    feeCurrency: 'USDT',
    isMaker: true,
    execTime: '1700000000002',
  };
  const fill = {
    kind: 'Fill',
    symbol: 'BTCUSDT',
    clientId: '3814123456789-17',
    venueOrderId: 'a-1',
    tradeId: 'e-1',
    side: 'BUY',
    price: '64000.1',
    quantity: '0.01',
    fee: '-0.05',
    feeAsset: 'USDT',
    liquidity: 'MAKER',
    atMs: 1_700_000_000_002,
  };

  test('reads orders and executions of streams and answers', () => {
    const { result, findings } = reading((report) => [
      readBybitFrame({ topic: 'order', data: [order] }, report),
      readBybitFrame({ topic: 'execution', data: [execution] }, report),
      readBybitOrders(bybitAnswer([order]), report).records,
      readBybitFills(bybitAnswer([execution]), report).records,
    ]);
    const expected = {
      kind: 'Order',
      symbol: 'BTCUSDT',
      clientId: '3814123456789-17',
      venueOrderId: 'a-1',
      side: 'SELL',
      state: 'CANCELLED',
      quantity: '1.5',
      price: null,
      filled: '0.5',
      reason: 'CancelByUser',
      atMs: 1_700_000_000_001,
    };
    expect(findings).toEqual([]);
    expect(result).toEqual([[expected], [fill], [expected], [fill]]);
  });

  test('takes funding and settlements as no fills', () => {
    const others = ['Funding', 'Settle', 'Delivery'].map((execType) => ({ ...execution, execType }));
    expect(reading((report) => readBybitFrame({ topic: 'execution', data: others }, report))).toEqual({
      result: [],
      findings: [],
    });
    expect(reading((report) => readBybitFills(bybitAnswer([...others, execution]), report)).result).toEqual({
      records: [fill],
      isComplete: true,
    });
  });

  test('reports a fill with further fees, which do not count', () => {
    const none = ['', null, []];
    const some = ['[{"fee":"0.01"}]', [{ feeCoin: 'USDT', feeType: 'TAX', fee: '0.01' }], {}];
    for (const extraFees of [...none, ...some]) {
      const answer = bybitAnswer([{ ...execution, extraFees }]);
      const { result, findings } = reading((report) => readBybitFills(answer, report));
      expect(result).toEqual({ records: [fill], isComplete: true });
      const finding = 'UNKNOWN executions: the content of extraFees is not counted';
      expect(findings).toEqual(none.some((one) => one === extraFees) ? [] : [finding]);
    }
  });

  test('reads a fill of the fast stream without its fee', () => {
    const { execType, execFee, feeCurrency, ...fast } = execution;
    expect([execType, execFee, feeCurrency]).toHaveLength(3);
    const { result } = reading((report) => readBybitFrame({ topic: 'execution.fast', data: [fast] }, report));
    expect(result).toEqual([{ ...fill, fee: null, feeAsset: null }]);
  });

  test('reads balances and positions', () => {
    const account = { coin: [{ coin: 'USDT', walletBalance: '10.50', availableToWithdraw: '' }] };
    const short = {
      symbol: 'ETHUSDT',
      side: 'Sell',
      size: '0.01',
      entryPrice: '3641.0',
      positionIdx: 2,
      unrealisedPnl: '-0.1',
    };
    const none = { symbol: 'ETHUSDT', side: '', size: '0', avgPrice: '', positionIdx: 0, unrealisedPnl: '' };
    const { result, findings } = reading((report) => [
      readBybitFrame({ topic: 'wallet', creationTime: 5, data: [account] }, report),
      readBybitBalances(bybitAnswer([account]), report).records,
      readBybitFrame({ topic: 'position', creationTime: 6, data: [short] }, report),
      readBybitPositions(bybitAnswer([none]), report).records,
    ]);
    const balances = [{ asset: 'USDT', total: '10.5', free: null }];
    expect(findings).toEqual([]);
    expect(result).toEqual([
      [{ kind: 'Balances', isSnapshot: false, balances, atMs: 5 }],
      balances,
      [
        {
          kind: 'Positions',
          isSnapshot: false,
          positions: [
            { symbol: 'ETHUSDT', mode: 'SHORT', quantity: '-0.01', entryPrice: '3641', unrealizedPnl: '-0.1' },
          ],
          atMs: 6,
        },
      ],
      [{ symbol: 'ETHUSDT', mode: 'NET', quantity: '0', entryPrice: null, unrealizedPnl: null }],
    ]);
  });

  test('reads market data', () => {
    const frames = [
      {
        topic: 'orderbook.50.BTCUSDT',
        type: 'delta',
        ts: 5,
        cts: 4,
        data: { s: 'BTCUSDT', b: [['1', '0']], a: [], u: 7, seq: 8 },
      },
      {
        topic: 'publicTrade.BTCUSDT',
        data: [{ T: 4, s: 'BTCUSDT', S: 'Sell', v: '0.1', p: '2.50', i: 'x', BT: false }],
      },
      {
        topic: 'kline.5.BTCUSDT',
        data: [{ start: 60, open: '1', high: '3', low: '0.5', close: '2', volume: '4', turnover: '6', confirm: true }],
      },
      {
        topic: 'tickers.BTCUSDT',
        type: 'delta',
        ts: 9,
        data: { symbol: 'BTCUSDT', markPrice: '17.10', fundingRate: '-0.0002', openInterest: '68.5' },
      },
    ];
    const { result, findings } = reading((report) => frames.flatMap((frame) => readBybitFrame(frame, report)));
    expect(findings).toEqual([]);
    expect(result).toMatchObject([
      { kind: 'Depth', isSnapshot: false, bids: [{ price: '1', quantity: '0' }], lastUpdateId: '7', atMs: 4 },
      { kind: 'PublicTrade', takerSide: 'SELL', price: '2.5', quantity: '0.1', tradeId: 'x' },
      { kind: 'Candle', symbol: 'BTCUSDT', interval: '5', openMs: 60, isClosed: true, quoteVolume: '6' },
      { kind: 'MarkPrice', markPrice: '17.1', indexPrice: null, fundingRate: '-0.0002', atMs: 9 },
      { kind: 'OpenInterest', quantity: '68.5' },
    ]);
    const klines = bybitAnswer([['60', '1', '3', '0.5', '2', '4', '6']], { symbol: 'BTCUSDT' });
    expect(reading((report) => readBybitKlines(klines, '5', report)).result.records).toMatchObject([
      { symbol: 'BTCUSDT', openMs: 60, isClosed: null },
    ]);
  });

  test.each([
    [{ topic: 'liquidation.BTCUSDT', data: [] }, 'UNKNOWN liquidation: unknown topic liquidation.BTCUSDT'],
    [
      { topic: 'order', data: [{ ...order, orderStatus: 'Frozen' }] },
      'UNKNOWN order: unknown value orderStatus=Frozen',
    ],
    [
      { topic: 'execution', data: [{ ...execution, execType: 'Gift' }] },
      'UNKNOWN execution: unknown value execType=Gift',
    ],
    [{ topic: 'order', data: {} }, 'UNREADABLE order: the list is no array, or too long'],
    [{}, 'UNREADABLE frame: the frame has no topic'],
  ])('reports what is not known or not readable (%#)', (frame, finding) => {
    expect(reading((report) => readBybitFrame(frame, report)).findings).toEqual([finding]);
  });

  test('names the product of orders, fills and positions', () => {
    expect(productsOf('order', { ...order, category: 'spot' })).toEqual(['SPOT']);
    expect(productsOf('execution', { ...execution, category: 'linear' })).toEqual(['FUTURE']);
    expect(productsOf('order', { ...order, category: 'inverse' })).toEqual(['OTHER']);
    expect(productsOf('order', order)).toEqual([null]);
    expect(findingsOf('order', { ...order, category: 'dreams' })).toEqual([
      'UNKNOWN order: unknown value category=dreams',
    ]);
  });

  test('reports new members of orders, executions, positions and wallets', () => {
    expect(findingsOf('order', { ...order, mood: '' })).toEqual(['UNKNOWN order: unknown member mood']);
    expect(findingsOf('execution', { ...execution, mood: '' })).toEqual(['UNKNOWN execution: unknown member mood']);
    const coin = { coin: 'USDT', walletBalance: '9', locked: '2', totalOrderIM: '1.5', totalPositionIM: '', mood: '' };
    expect(findingsOf('wallet', { coin: [coin] })).toEqual(['UNKNOWN wallet: unknown member data.coin.mood']);
  });

  test('computes what is free in a unified account from what is in use', () => {
    const coin = { coin: 'USDT', walletBalance: '9', availableToWithdraw: '', locked: '2', totalOrderIM: '1.5' };
    const answer = bybitAnswer([{ coin: [coin, { coin: 'BTC', walletBalance: '1' }] }], {});
    expect(reading((report) => readBybitBalances(answer, report)).result.records).toEqual([
      { asset: 'USDT', total: '9', free: '5.5' },
      { asset: 'BTC', total: '1', free: null },
    ]);
  });

  test('reads what orders and lists answer', () => {
    const placed = { retCode: 0, retMsg: 'OK', result: { orderId: 'o-1', orderLinkId: '1-1' }, time: 7 };
    expect(reading((report) => readBybitPlacement(placed, report)).result).toEqual({
      clientId: '1-1',
      venueOrderId: 'o-1',
      atMs: 7,
    });
    expect(reading((report) => readBybitPlacement({ ...placed, retCode: 1 }, report)).findings).toEqual([
      'UNREADABLE placement: retCode is 1',
    ]);
    expect(readBybitNextPage(bybitAnswer([1], { nextPageCursor: 'a%3D1' }))).toBe('a%3D1');
    expect(readBybitNextPage(bybitAnswer([], { nextPageCursor: 'a%3D1' }))).toBeNull();
    expect(readBybitNextPage(bybitAnswer([1], { nextPageCursor: '' }))).toBeNull();
    const rate = { symbol: 'BTCUSDT', fundingRate: '-0.0001', fundingRateTimestamp: '28800000' };
    expect(reading((report) => readBybitFundingRates(bybitAnswer([rate], {}), report)).result.records).toEqual([
      { kind: 'FundingRate', symbol: 'BTCUSDT', atMs: 28_800_000, rate: '-0.0001', markPrice: null },
    ]);
    expect(readBybitTime({ result: { timeNano: '1700000000123456789' } })).toBeCloseTo(1_700_000_000_123.456, 2);
    expect(readBybitTime({ result: {} })).toBeNull();
  });

  test('takes an error as an incomplete list', () => {
    const { result, findings } = reading((report) =>
      readBybitOrders({ retCode: 10_006, result: { list: [] } }, report),
    );
    expect(result).toEqual({ records: [], isComplete: false });
    expect(findings[0]).toBe('UNREADABLE orders: retCode is 10006');
  });
});

describe('OKX', () => {
  const order = {
    instId: 'BTC-USDT-SWAP',
    ordId: '2497956918703121000',
    clOrdId: '3814123456789x17',
    side: 'buy',
    state: 'partially_filled',
    sz: '3.0',
    px: '',
    accFillSz: '2',
    fillSz: '1.50',
    fillPx: '41000.0',
    fillFee: '-0.3',
    fillFeeCcy: 'USDT',
    fee: '-0.5',
    feeCcy: 'USDT',
    execType: 'M',
    tradeId: '15',
    fillTime: '6',
    uTime: '7',
    cancelSource: '',
  };
  const fill = {
    kind: 'Fill',
    symbol: 'BTC-USDT-SWAP',
    clientId: '3814123456789x17',
    venueOrderId: '2497956918703121000',
    tradeId: '15',
    side: 'BUY',
    price: '41000',
    quantity: '1.5',
    fee: '0.3',
    feeAsset: 'USDT',
    liquidity: 'MAKER',
    atMs: 6,
  };

  test('reads a fill before its order, with the fee of the fill alone', () => {
    const { result, findings } = reading((report) => readOkxFrame(okxFrame('orders', [order]), report));
    expect(findings).toEqual([]);
    expect(result).toEqual([
      fill,
      {
        kind: 'Order',
        symbol: 'BTC-USDT-SWAP',
        clientId: '3814123456789x17',
        venueOrderId: '2497956918703121000',
        side: 'BUY',
        state: 'OPEN',
        quantity: '3',
        price: null,
        filled: '2',
        reason: null,
        atMs: 7,
      },
    ]);
    const { fillFee, ...withoutFee } = order;
    expect(fillFee).toBe('-0.3');
    expect(reading((report) => readOkxFrame(okxFrame('orders', [withoutFee]), report)).result[0]).toMatchObject({
      fee: null,
    });
  });

  test('reads answers', () => {
    const { instId, clOrdId, ordId, side, fillPx, fillSz, feeCcy, execType, tradeId, fillTime } = order;
    const trade = {
      instId,
      clOrdId,
      ordId,
      side,
      fillPx,
      fillSz,
      feeCcy,
      execType,
      tradeId,
      fillTime,
      fee: '-0.3',
      ts: '6',
    };
    const { result, findings } = reading((report) => [
      readOkxFills(okxAnswer([trade]), report).records,
      readOkxOrders(okxAnswer([{ ...order, state: 'canceled', cancelSource: '1' }]), report).records,
      readOkxBalances(okxAnswer([{ uTime: '5', details: [{ ccy: 'USDT', cashBal: '94.50', availBal: '' }] }]), report)
        .records,
      readOkxPositions(
        okxAnswer([{ instId: 'A', posSide: 'short', pos: '0.5', avgPx: '10', upl: '-1', uTime: '4' }]),
        report,
      ).records,
      readOkxPositions(
        okxAnswer([{ instId: 'A', posSide: 'net', pos: '-0.5', avgPx: '', upl: '', uTime: '4' }]),
        report,
      ).records,
      readOkxCandles(okxAnswer([['60', '1', '3', '0.5', '2', '4', '5', '6', '0']]), 'A', '1m', report).records,
    ]);
    expect(findings).toEqual([]);
    expect(result).toMatchObject([
      [fill],
      [{ state: 'CANCELLED', reason: '1' }],
      [{ isSnapshot: true, balances: [{ asset: 'USDT', total: '94.5', free: null }], atMs: 5 }],
      [{ mode: 'SHORT', quantity: '-0.5', entryPrice: '10', unrealizedPnl: '-1' }],
      [{ mode: 'NET', quantity: '-0.5', entryPrice: null, unrealizedPnl: null }],
      [{ symbol: 'A', interval: '1m', volume: '4', quoteVolume: '6', isClosed: false }],
    ]);
  });

  test('reads market data', () => {
    const frames = [
      okxFrame('books', [{ asks: [], bids: [['8', '0', '0', '0']], ts: '5', prevSeqId: 3, seqId: 4 }], {
        action: 'update',
      }),
      okxFrame('bbo-tbt', [{ asks: [['9', '1', '0', '1']], bids: [['8', '2', '0', '1']], ts: '5', seqId: 4 }]),
      okxFrame('trades', [{ instId: 'BTC-USDT', tradeId: '1', px: '2.0', sz: '3', side: 'sell', ts: '4' }]),
      okxFrame('candle1m', [['60', '1', '3', '0.5', '2', '4', '5', '6', '1']]),
      okxFrame('mark-price', [{ instId: 'BTC-USDT-SWAP', markPx: '42310.60', ts: '4' }]),
      okxFrame('funding-rate', [{ instId: 'BTC-USDT-SWAP', fundingRate: '0.0001', fundingTime: '9', ts: '4' }]),
    ];
    const { result, findings } = reading((report) => frames.flatMap((one) => readOkxFrame(one, report)));
    expect(findings).toEqual([]);
    expect(result).toMatchObject([
      { kind: 'Depth', isSnapshot: false, symbol: 'BTC-USDT', lastUpdateId: '4', previousUpdateId: '3' },
      { kind: 'Depth', isSnapshot: true, asks: [{ price: '9', quantity: '1' }], previousUpdateId: null },
      { kind: 'PublicTrade', takerSide: 'SELL', price: '2' },
      { kind: 'Candle', interval: '1m', isClosed: true },
      { kind: 'MarkPrice', markPrice: '42310.6', fundingRate: null },
      { kind: 'MarkPrice', markPrice: null, fundingRate: '0.0001', nextFundingMs: 9 },
    ]);
  });

  test.each([
    [okxFrame('liquidation-orders', []), 'UNKNOWN liquidation-orders: unknown channel liquidation-orders'],
    [okxFrame('orders', [{ ...order, state: 'paused' }]), 'UNKNOWN orders: unknown value state=paused'],
    [okxFrame('orders', [{ ...order, side: 'hold' }]), 'UNREADABLE orders: side hold is not a known value'],
    [
      okxFrame('orders', [{ ...order, ordId: 2 ** 60 }]),
      'UNREADABLE orders: ordId 1152921504606847000 is not an exact integer',
    ],
    [{ data: [] }, 'UNREADABLE frame: the frame has no channel'],
  ])('reports what is not known or not readable (%#)', (message, finding) => {
    expect(reading((report) => readOkxFrame(message, report)).findings).toEqual([finding]);
  });

  test('takes an error as an incomplete list', () => {
    const { result, findings } = reading((report) => readOkxOrders({ code: '50011', data: [] }, report));
    expect(result).toEqual({ records: [], isComplete: false });
    expect(findings[0]).toBe('UNREADABLE orders: code is 50011');
  });
});
