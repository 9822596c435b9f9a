import { Big } from 'big.js';
import {
  readBinanceFills,
  readBinanceFuturesBalances,
  readBinanceOrder,
  readBinancePositions,
} from '../../../../src/venue/live/normal/binance-account.js';
import { readBinanceFrame } from '../../../../src/venue/live/normal/binance-frame.js';
import {
  readBinanceBookTicker,
  readBinanceDepth,
  readBinanceKlines,
} from '../../../../src/venue/live/normal/binance-market.js';
import type { ReportFinding } from '../../../../src/venue/live/normal/message.js';
import { at, isSame, list, many, type Members, one, type Row } from './recorded-rows.js';

const BINANCE_STATES: Readonly<Record<string, string>> = {
  NEW: 'OPEN',
  PARTIALLY_FILLED: 'OPEN',
  FILLED: 'FILLED',
  CANCELED: 'CANCELLED',
  EXPIRED: 'CANCELLED',
  NEW_ADL: 'OPEN',
  NEW_INSURANCE: 'OPEN',
};

/** The order, and the fill before it, of an execution report. */
function binanceReport(event: unknown, clientId: unknown, reason: unknown): Members[] {
  const order = {
    kind: 'Order',
    symbol: at(event, 's'),
    clientId,
    venueOrderId: at(event, 'i'),
    side: at(event, 'S'),
    state: BINANCE_STATES[String(at(event, 'X'))],
    quantity: at(event, 'q'),
    price: isSame(at(event, 'p'), '0') ? null : at(event, 'p'),
    filled: at(event, 'z'),
    reason,
    atMs: at(event, 'T'),
  };
  if (isSame(at(event, 'l'), '0')) return [order];
  const fill = {
    kind: 'Fill',
    symbol: at(event, 's'),
    clientId,
    tradeId: at(event, 't'),
    venueOrderId: at(event, 'i'),
    side: at(event, 'S'),
    price: at(event, 'L'),
    quantity: at(event, 'l'),
    fee: at(event, 'n'),
    feeAsset: at(event, 'N'),
    liquidity: at(event, 'm') === true ? 'MAKER' : 'TAKER',
    atMs: at(event, 'T'),
  };
  return [fill, order];
}

function spotReport(name: string, path: readonly string[] = []): Row {
  return {
    file: `binance/spot/user_data_json/${name}.json`,
    reader: readBinanceFrame,
    expected: (raw) => {
      const event = at(raw, ...path);
      const original = at(event, 'C');
      return binanceReport(event, original === '' ? at(event, 'c') : original, at(event, 'eR') ?? null);
    },
  };
}

function futuresReport(name: string): Row {
  return {
    file: `binance/futures/user_data_json/order_update_${name}.json`,
    reader: readBinanceFrame,
    expected: (raw) => binanceReport(at(raw, 'o'), at(raw, 'o', 'c'), null),
  };
}

/** Recorded messages of Binance with what they say. */
export const BINANCE_ROWS: readonly Row[] = [
  spotReport('execution_report_new'),
  spotReport('execution_report_trade'),
  spotReport('execution_report_expired'),
  spotReport('execution_report_wrapped', ['event']),
  ...['new', 'trade_partial', 'adl', 'calculated', 'calculated_pending', 'delivery', 'insurance', 'settlement'].map(
    futuresReport,
  ),
  {
    file: 'binance/spot/user_data_json/account_position_wrapped.json',
    reader: readBinanceFrame,
    expected: (raw) => [
      {
        kind: 'Balances',
        'balances.0.asset': at(raw, 'event', 'B', 0, 'a'),
        'balances.0.free': at(raw, 'event', 'B', 0, 'f'),
        'balances.0.total': new Big(String(at(raw, 'event', 'B', 0, 'f')))
          .plus(String(at(raw, 'event', 'B', 0, 'l')))
          .toFixed(),
        atMs: at(raw, 'event', 'u'),
      },
    ],
  },
  ...['balance_update', 'balance_update_wrapped'].map((name) => ({
    file: `binance/spot/user_data_json/${name}.json`,
    reader: readBinanceFrame,
    expected: () => [],
  })),
  { file: 'binance/futures/user_data_json/trade_lite.json', reader: readBinanceFrame, expected: () => [] },
  { file: 'binance/futures/market_data_json/liquidation_stream.json', reader: readBinanceFrame, expected: () => [] },
  {
    file: 'binance/futures/user_data_json/account_update_bnfcr.json',
    reader: readBinanceFrame,
    expected: (raw) => [
      {
        kind: 'Balances',
        'balances.0.asset': at(raw, 'a', 'B', 0, 'a'),
        'balances.0.total': at(raw, 'a', 'B', 0, 'wb'),
      },
      { kind: 'Positions', atMs: at(raw, 'T') },
    ],
  },
  {
    file: 'binance/futures/market_data_json/agg_trade_stream.json',
    reader: readBinanceFrame,
    expected: (raw) => [
      {
        kind: 'PublicTrade',
        tradeId: at(raw, 'a'),
        price: at(raw, 'p'),
        quantity: at(raw, 'q'),
        takerSide: 'SELL',
        atMs: at(raw, 'T'),
      },
    ],
  },
  {
    file: 'binance/futures/market_data_json/depth_update_stream.json',
    reader: readBinanceFrame,
    expected: (raw) => [
      {
        kind: 'Depth',
        isSnapshot: false,
        firstUpdateId: at(raw, 'U'),
        lastUpdateId: at(raw, 'u'),
        previousUpdateId: at(raw, 'pu'),
        'bids.0.price': at(raw, 'b', 0, 0),
        'asks.0.quantity': at(raw, 'a', 0, 1),
      },
    ],
  },
  {
    file: 'binance/spot/http_json/account_trades_response.json',
    reader: many(readBinanceFills),
    expected: (raw) =>
      list(raw).map((trade) => ({
        kind: 'Fill',
        tradeId: at(trade, 'id'),
        venueOrderId: at(trade, 'orderId'),
        price: at(trade, 'price'),
        quantity: at(trade, 'qty'),
        fee: at(trade, 'commission'),
        feeAsset: at(trade, 'commissionAsset'),
        side: at(trade, 'isBuyer') === true ? 'BUY' : 'SELL',
        liquidity: at(trade, 'isMaker') === true ? 'MAKER' : 'TAKER',
        atMs: at(trade, 'time'),
      })),
  },
  ...[
    ['order_response', 'clientOrderId', 'updateTime'],
    ['cancel_order_response', 'origClientOrderId', 'transactTime'],
  ].map(([name = '', client = '', time = '']): Row => ({
    file: `binance/spot/http_json/${name}.json`,
    reader: one(readBinanceOrder),
    expected: (raw) => [
      {
        kind: 'Order',
        symbol: at(raw, 'symbol'),
        clientId: at(raw, client),
        venueOrderId: at(raw, 'orderId'),
        side: at(raw, 'side'),
        state: BINANCE_STATES[String(at(raw, 'status'))],
        quantity: at(raw, 'origQty'),
        price: at(raw, 'price'),
        filled: at(raw, 'executedQty'),
        atMs: at(raw, time),
      },
    ],
  })),
  {
    file: 'binance/spot/http_json/book_ticker_response.json',
    reader: one(readBinanceBookTicker),
    expected: (raw) => [
      {
        symbol: at(raw, 'symbol'),
        'bid.price': at(raw, 'bidPrice'),
        'bid.quantity': at(raw, 'bidQty'),
        'ask.price': at(raw, 'askPrice'),
        'ask.quantity': at(raw, 'askQty'),
      },
    ],
  },
  {
    file: 'binance/spot/http_json/depth_response.json',
    reader: one((raw, report: ReportFinding) => readBinanceDepth(raw, 'A', report)),
    expected: (raw) => [
      {
        lastUpdateId: at(raw, 'lastUpdateId'),
        'bids.0.price': at(raw, 'bids', 0, 0),
        'asks.0.quantity': at(raw, 'asks', 0, 1),
      },
    ],
  },
  {
    file: 'binance/spot/http_json/klines_response.json',
    reader: many((raw, report) => readBinanceKlines(raw, 'A', '1w', report)),
    expected: (raw) =>
      list(raw).map((row) => ({
        openMs: at(row, 0),
        open: at(row, 1),
        high: at(row, 2),
        low: at(row, 3),
        close: at(row, 4),
        volume: at(row, 5),
        quoteVolume: at(row, 7),
      })),
  },
  {
    file: 'binance/futures/http_json/balance.json',
    reader: many(readBinanceFuturesBalances),
    expected: (raw) =>
      list(raw).map((row) => ({
        asset: at(row, 'asset'),
        total: at(row, 'balance'),
        free: at(row, 'availableBalance'),
      })),
  },
  {
    file: 'binance/futures/http_json/position_risk.json',
    reader: many(readBinancePositions),
    expected: (raw) =>
      list(raw).map((row) => ({
        symbol: at(row, 'symbol'),
        mode: 'NET',
        quantity: at(row, 'positionAmt'),
        entryPrice: at(row, 'entryPrice'),
        unrealizedPnl: at(row, 'unRealizedProfit'),
      })),
  },
];
