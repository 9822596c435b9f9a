import { Big } from 'big.js';
import * as okx from '../../../../src/venue/live/normal/okx.js';
import { at, isSame, list, many, type Members, type Row } from './recorded-rows.js';

function okxOrders(raw: unknown): Members[] {
  return list(at(raw, 'data')).flatMap((order): Members[] => {
    const ids = {
      symbol: at(order, 'instId'),
      clientId: at(order, 'clOrdId'),
      venueOrderId: at(order, 'ordId'),
      side: String(at(order, 'side')).toUpperCase(),
    };
    const rest = {
      kind: 'Order',
      ...ids,
      state: at(order, 'state') === 'filled' ? 'FILLED' : at(order, 'state') === 'canceled' ? 'CANCELLED' : 'OPEN',
      quantity: at(order, 'sz'),
      price: at(order, 'px'),
      filled: at(order, 'accFillSz'),
      atMs: at(order, 'uTime'),
    };
    const hasTrade = at(order, 'tradeId') !== '' && !isSame(at(order, 'fillSz') || '0', '0');
    if (!hasTrade) return [rest];
    return [
      {
        kind: 'Fill',
        ...ids,
        tradeId: at(order, 'tradeId'),
        price: at(order, 'fillPx'),
        quantity: at(order, 'fillSz'),
        liquidity: at(order, 'execType') === 'M' ? 'MAKER' : 'TAKER',
        atMs: at(order, 'fillTime'),
      },
      rest,
    ];
  });
}

function okxDetails(raw: unknown): Members {
  const members = list(at(raw, 'details')).flatMap((detail, index): [string, unknown][] => [
    [`balances.${index}.asset`, at(detail, 'ccy')],
    [`balances.${index}.total`, at(detail, 'cashBal')],
    [`balances.${index}.free`, at(detail, 'availBal')],
  ]);
  return Object.fromEntries(members);
}

const okxBook = (raw: unknown): readonly Members[] =>
  list(at(raw, 'data')).map((book) => ({
    kind: 'Depth',
    symbol: at(raw, 'arg', 'instId'),
    isSnapshot: at(raw, 'action') !== 'update',
    lastUpdateId: at(book, 'seqId'),
    previousUpdateId: at(book, 'prevSeqId'),
    'bids.0.price': at(book, 'bids', 0, 0),
    'bids.0.quantity': at(book, 'bids', 0, 1),
    'asks.0.price': at(book, 'asks', 0, 0),
    'asks.0.quantity': at(book, 'asks', 0, 1),
    atMs: at(book, 'ts'),
  }));

/** Recorded messages of OKX with what they say. */
export const OKX_ROWS: readonly Row[] = [
  ...['ws_orders_adl', 'ws_orders_option', 'ws_orders_trigger'].map((name): Row => ({
    file: `okx/${name}.json`,
    reader: okx.readOkxFrame,
    expected: okxOrders,
  })),
  {
    file: 'okx/http_get_orders_pending_with_attached_tp_sl.json',
    reader: many(okx.readOkxOrders),
    expected: okxOrders,
  },
  ...['http_transaction_detail', 'http_transaction_detail_empty_fee'].map((name): Row => ({
    file: `okx/${name}.json`,
    reader: (raw, report) => okx.readOkxFills({ code: '0', data: [raw] }, report).records,
    expected: (raw) => [
      {
        kind: 'Fill',
        symbol: at(raw, 'instId'),
        clientId: at(raw, 'clOrdId'),
        venueOrderId: at(raw, 'ordId'),
        tradeId: at(raw, 'tradeId'),
        side: String(at(raw, 'side')).toUpperCase(),
        price: at(raw, 'fillPx'),
        quantity: at(raw, 'fillSz'),
        fee: at(raw, 'fee') === '' ? null : new Big(String(at(raw, 'fee'))).times(-1).toFixed(),
        liquidity: 'TAKER',
        atMs: at(raw, 'ts'),
      },
    ],
  })),
  ...['ws_account', 'ws_account_empty'].map((name): Row => ({
    file: `okx/${name}.json`,
    reader: okx.readOkxFrame,
    expected: (raw) => list(at(raw, 'data')).map(okxDetails),
  })),
  {
    file: 'okx/http_get_account_balance.json',
    reader: many(okx.readOkxBalances),
    expected: (raw) => list(at(raw, 'data')).map(okxDetails),
  },
  {
    file: 'okx/http_get_positions.json',
    reader: many(okx.readOkxPositions),
    expected: (raw) =>
      list(at(raw, 'data')).map((row) => ({
        symbol: at(row, 'instId'),
        mode: String(at(row, 'posSide')).toUpperCase(),
        quantity: at(row, 'pos'),
        entryPrice: at(row, 'avgPx'),
        unrealizedPnl: at(row, 'upl'),
      })),
  },
  ...['ws_bbo_tbt', 'ws_books_snapshot', 'ws_books_update'].map((name): Row => ({
    file: `okx/${name}.json`,
    reader: okx.readOkxFrame,
    expected: okxBook,
  })),
  {
    file: 'okx/ws_trades.json',
    reader: okx.readOkxFrame,
    expected: (raw) =>
      list(at(raw, 'data')).map((row) => ({
        symbol: at(row, 'instId'),
        tradeId: at(row, 'tradeId'),
        price: at(row, 'px'),
        quantity: at(row, 'sz'),
        takerSide: String(at(row, 'side')).toUpperCase(),
        atMs: at(row, 'ts'),
      })),
  },
  ...(
    [
      ['ws_candle', okx.readOkxFrame],
      ['http_get_candlesticks', many((raw, report) => okx.readOkxCandles(raw, 'A', '1m', report))],
      ['http_get_candlesticks_full', many((raw, report) => okx.readOkxCandles(raw, 'A', '1m', report))],
    ] as const
  ).map(([name, reader]): Row => ({
    file: `okx/${name}.json`,
    reader,
    expected: (raw) =>
      list(at(raw, 'data')).map((row) => ({
        openMs: at(row, 0),
        open: at(row, 1),
        high: at(row, 2),
        low: at(row, 3),
        close: at(row, 4),
        volume: at(row, 5),
        quoteVolume: at(row, 7),
        isClosed: at(row, 8) === '1',
      })),
  })),
  {
    file: 'okx/ws_funding_rate.json',
    reader: okx.readOkxFrame,
    expected: (raw) =>
      list(at(raw, 'data')).map((row) => ({
        fundingRate: at(row, 'fundingRate'),
        nextFundingMs: at(row, 'fundingTime'),
      })),
  },
];
