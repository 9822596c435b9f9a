import * as bybitAccount from '../../../../src/venue/live/normal/bybit-account.js';
import * as bybitMarket from '../../../../src/venue/live/normal/bybit-market.js';
import { at, isSame, list, many, type Members, type Row } from './recorded-rows.js';

const BYBIT_STATES: Readonly<Record<string, string>> = { New: 'OPEN', Filled: 'FILLED', Cancelled: 'CANCELLED' };

function bybitOrder(raw: unknown): Members {
  return {
    kind: 'Order',
    symbol: at(raw, 'symbol'),
    clientId: at(raw, 'orderLinkId'),
    venueOrderId: at(raw, 'orderId'),
    side: String(at(raw, 'side')).toUpperCase(),
    quantity: at(raw, 'qty'),
    price: isSame(at(raw, 'price'), '0') ? null : at(raw, 'price'),
    filled: at(raw, 'cumExecQty'),
    atMs: at(raw, 'updatedTime'),
    ...(String(at(raw, 'orderStatus')) in BYBIT_STATES && { state: BYBIT_STATES[String(at(raw, 'orderStatus'))] }),
  };
}

function bybitFill(raw: unknown): Members {
  return {
    kind: 'Fill',
    symbol: at(raw, 'symbol'),
    clientId: at(raw, 'orderLinkId'),
    venueOrderId: at(raw, 'orderId'),
    tradeId: at(raw, 'execId'),
    side: String(at(raw, 'side')).toUpperCase(),
    price: at(raw, 'execPrice'),
    quantity: at(raw, 'execQty'),
    fee: at(raw, 'execFee'),
    feeAsset: at(raw, 'feeCurrency'),
    liquidity: at(raw, 'isMaker') === true ? 'MAKER' : 'TAKER',
    atMs: at(raw, 'execTime'),
  };
}

function bybitPosition(raw: unknown): Members {
  return {
    symbol: at(raw, 'symbol'),
    mode: ['NET', 'LONG', 'SHORT'][Number(at(raw, 'positionIdx'))],
    quantity: `${at(raw, 'side') === 'Sell' ? '-' : ''}${String(at(raw, 'size'))}`,
    unrealizedPnl: at(raw, 'unrealisedPnl'),
  };
}

function bybitCoins(raw: unknown): Members[] {
  return list(at(raw, 'coin')).map((coin) => ({
    asset: at(coin, 'coin'),
    total: at(coin, 'walletBalance'),
    free: at(coin, 'availableToWithdraw'),
  }));
}

const bybitList = (raw: unknown): readonly unknown[] => list(at(raw, 'result', 'list'));

/** Recorded messages of Bybit with what they say. */
export const BYBIT_ROWS: readonly Row[] = [
  ...['', '_buy_stop_market', '_filled', '_market_if_touched', '_stop_loss', '_stop_market'].map((name): Row => ({
    file: `bybit/ws_account_order${name}.json`,
    reader: bybitMarket.readBybitFrame,
    expected: (raw) => list(at(raw, 'data')).map(bybitOrder),
  })),
  ...['adl', 'fast'].map((name): Row => ({
    file: `bybit/ws_account_execution_${name}.json`,
    reader: bybitMarket.readBybitFrame,
    expected: (raw) => list(at(raw, 'data')).map(bybitFill),
  })),
  ...['', '_short'].map((name): Row => ({
    file: `bybit/ws_account_position${name}.json`,
    reader: (raw, report) =>
      bybitMarket
        .readBybitFrame(raw, report)
        .flatMap((record) => (record.kind === 'Positions' ? record.positions : [])),
    expected: (raw) => list(at(raw, 'data')).map(bybitPosition),
  })),
  {
    // One position without the frame around it.
    file: 'bybit/ws_account_position_with_open_time.json',
    reader: (raw, report) => bybitAccount.readBybitPositions({ retCode: 0, result: { list: [raw] } }, report).records,
    expected: (raw) => [{ ...bybitPosition(raw), entryPrice: at(raw, 'entryPrice') }],
  },
  ...['', '_small_order'].map((name): Row => ({
    file: `bybit/ws_account_wallet${name}.json`,
    reader: (raw, report) =>
      bybitMarket.readBybitFrame(raw, report).flatMap((record) => (record.kind === 'Balances' ? record.balances : [])),
    expected: (raw) => list(at(raw, 'data')).flatMap(bybitCoins),
  })),
  {
    file: 'bybit/ws_kline.json',
    reader: bybitMarket.readBybitFrame,
    expected: (raw) =>
      list(at(raw, 'data')).map((row) => ({
        interval: '5',
        symbol: 'BTCUSDT',
        openMs: at(row, 'start'),
        close: at(row, 'close'),
        high: at(row, 'high'),
        low: at(row, 'low'),
        volume: at(row, 'volume'),
        isClosed: at(row, 'confirm'),
      })),
  },
  {
    file: 'bybit/ws_ticker_linear.json',
    reader: bybitMarket.readBybitFrame,
    expected: (raw) => [
      {
        kind: 'MarkPrice',
        markPrice: at(raw, 'data', 'markPrice'),
        indexPrice: at(raw, 'data', 'indexPrice'),
        fundingRate: at(raw, 'data', 'fundingRate'),
        nextFundingMs: at(raw, 'data', 'nextFundingTime'),
        atMs: at(raw, 'ts'),
      },
      { kind: 'OpenInterest', quantity: at(raw, 'data', 'openInterest') },
    ],
  },
  ...['realtime', 'history'].map((name): Row => ({
    file: `bybit/http_get_orders_${name}.json`,
    reader: many(bybitAccount.readBybitOrders),
    expected: (raw) => bybitList(raw).map(bybitOrder),
  })),
  {
    file: 'bybit/http_get_executions.json',
    reader: many(bybitAccount.readBybitFills),
    expected: (raw) => bybitList(raw).map(bybitFill),
  },
  {
    file: 'bybit/http_get_positions_with_open_time.json',
    reader: many(bybitAccount.readBybitPositions),
    expected: (raw) => bybitList(raw).map((row) => ({ ...bybitPosition(row), entryPrice: at(row, 'avgPrice') })),
  },
  ...['', '_spot_short', '_with_spot_borrow'].map((name): Row => ({
    file: `bybit/http_get_wallet_balance${name}.json`,
    reader: many(bybitAccount.readBybitBalances),
    expected: (raw) => bybitList(raw).flatMap(bybitCoins),
  })),
  {
    file: 'bybit/http_get_klines_linear.json',
    reader: many((raw, report) => bybitMarket.readBybitKlines(raw, '1', report)),
    expected: (raw) =>
      bybitList(raw).map((row) => ({
        symbol: at(raw, 'result', 'symbol'),
        openMs: at(row, 0),
        open: at(row, 1),
        high: at(row, 2),
        low: at(row, 3),
        close: at(row, 4),
        volume: at(row, 5),
        quoteVolume: at(row, 6),
      })),
  },
  ...['ws_auth_failure', 'ws_auth_success'].map((name): Row => ({
    file: `bybit/${name}.json`,
    reader: bybitMarket.readBybitFrame,
    expected: () => [],
  })),
];
