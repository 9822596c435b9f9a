import { candles } from '../candles.js';
import { formatShort, multiply, type Units } from '../decimal.js';
import type { PublicTrade } from '../market.js';
import { OkxError } from './api-error.js';
import { type Endpoint, open, type RequestContext } from './endpoint.js';
import { instrumentEntry, wireSize } from './instruments.js';
import type { OkxMarket, TradingAccounts } from './trading-account.js';

const DAY_MS = 86_400_000;
export const FUNDING_MS = 8 * 3_600_000;
export const FUNDING_RATE = '0.0001';
const BARS: Readonly<Record<string, number>> = {
  '1s': 1_000,
  '1m': 60_000,
  '3m': 180_000,
  '5m': 300_000,
  '15m': 900_000,
  '30m': 1_800_000,
  '1H': 3_600_000,
  '2H': 7_200_000,
  '4H': 14_400_000,
  '6Hutc': 21_600_000,
  '12Hutc': 43_200_000,
  '1Dutc': DAY_MS,
  '1Wutc': 7 * DAY_MS,
};

/** Length of a bar by its name. Bars that begin at midnight in Hong Kong are left out. */
export function barMs(name: string): number | null {
  return BARS[name] ?? null;
}

/** Reference data, books, trades, candles and funding. */
export function marketEndpoints(trading: TradingAccounts): readonly Endpoint[] {
  const marketOf = ({ fields }: RequestContext): OkxMarket => trading.market(fields.required('instId'));
  const ofType = (
    { fields }: RequestContext,
    types: readonly ('SPOT' | 'SWAP' | 'MARGIN' | 'FUTURES' | 'OPTION')[],
  ) => {
    const instType = fields.requiredChoice('instType', types);
    const instId = fields.optional('instId');
    if (instId !== null) trading.market(instId);
    return trading.markets.filter(({ instrument }) => {
      return instrument.instType === instType && (instId === null || instrument.instId === instId);
    });
  };
  const allTypes = ['SPOT', 'SWAP', 'MARGIN', 'FUTURES', 'OPTION'] as const;
  const swapTypes = ['SWAP', 'MARGIN', 'FUTURES', 'OPTION'] as const;
  return [
    open('public/time', 10, ({ nowMs }) => ({ data: [{ ts: String(nowMs) }] })),
    open('public/instruments', 20, (context) => ({
      data: ofType(context, allTypes)
        .filter(isListed)
        .map((one) => listedInstrument(one)),
    })),
    open('public/mark-price', 10, (context) => ({
      data: ofType(context, swapTypes).map((one) => markPrice(one, context.nowMs)),
    })),
    open('public/open-interest', 20, (context) => {
      return { data: ofType(context, swapTypes).map((one) => openInterest(one, context.nowMs)) };
    }),
    open('public/funding-rate', 10, (context) => ({ data: [fundingRate(swapOf(marketOf(context)), context.nowMs)] })),
    open('public/funding-rate-history', 10, (context) => ({
      data: fundingHistory(swapOf(marketOf(context)), context),
    })),
    open('market/tickers', 20, (context) => ({
      data: ofType(context, allTypes).map((one) => ticker(one, context.nowMs)),
    })),
    open('market/ticker', 20, (context) => ({ data: [ticker(marketOf(context), context.nowMs)] })),
    open('market/books', 40, (context) => {
      const size = context.fields.integer('sz') ?? 1;
      if (size < 1 || size > BOOK_LEVELS_MAX) throw new OkxError('51000', 'sz');
      const { asks, bids, ts } = book(marketOf(context), size, context.nowMs);
      return { data: [{ asks, bids, ts }] };
    }),
    open('market/trades', 100, (context) => {
      const one = marketOf(context);
      return {
        data: one.market.trades
          .slice(-context.fields.limit(100, 500))
          .toReversed()
          .map((trade) => tradeEntry(one, trade)),
      };
    }),
    open('market/candles', 40, (context) => ({ data: candleRows(marketOf(context), context, 300) })),
    open('market/history-candles', 20, (context) => ({ data: candleRows(marketOf(context), context, 100) })),
  ];
}

/**
 * `state` of an instrument. An instrument in delivery and one that is gone are in no list: the channel shows their end.
 */
const STATES = { PRELAUNCH: 'preopen', HALTED: 'suspend', DELIVERING: 'expired', DELISTED: 'expired' } as const;

/** True while lists have the instrument. */
export function isListed({ exchange, instrument }: OkxMarket): boolean {
  const suspension = exchange.suspensionOf(instrument.instId);
  return suspension !== 'DELIVERING' && suspension !== 'DELISTED';
}

/** One entry of public/instruments, and of the channel `instruments`. */
export function listedInstrument({ exchange, instrument, market }: OkxMarket): object {
  const suspension = exchange.suspensionOf(instrument.instId);
  return { ...instrumentEntry(instrument, market.rules), state: suspension === null ? 'live' : STATES[suspension] };
}

export const BOOK_LEVELS_MAX = 400;

/** Both sides of a book: price, size, `0`, and the number of orders, which is not counted here. */
export function book(one: OkxMarket, levels: number, nowMs: number) {
  const side = (which: 'BUY' | 'SELL') => one.market.depth(which, levels).map((level) => bookLevel(one, level));
  return { asks: side('SELL'), bids: side('BUY'), ts: String(nowMs), seqId: one.market.updateId };
}

export function bookLevel({ instrument }: OkxMarket, [price, quantity]: readonly [Units, Units]): readonly string[] {
  return [formatShort(price), wireSize(instrument, quantity), '0', '1'];
}

export function tradeEntry({ instrument }: OkxMarket, trade: PublicTrade): Record<string, string> {
  return {
    instId: instrument.instId,
    side: trade.isBuyerMaker ? 'sell' : 'buy',
    sz: wireSize(instrument, trade.quantity),
    px: formatShort(trade.price),
    source: '0',
    tradeId: String(trade.id),
    ts: String(trade.atMs),
  };
}

export function ticker(one: OkxMarket, nowMs: number): object {
  const { instrument, market } = one;
  const day = market.trades.filter(({ atMs }) => atMs >= nowMs - DAY_MS);
  const prices = [market.lastPrice, ...day.map(({ price }) => price)];
  const [ask] = market.depth('SELL', 1);
  const [bid] = market.depth('BUY', 1);
  const last = market.trades.at(-1);
  const volume = day.reduce((sum, { quantity }) => sum + quantity, 0n);
  const turnover = day.reduce((sum, { price, quantity }) => sum + multiply(price, quantity), 0n);
  const opened = formatShort(day[0]?.price ?? market.lastPrice);
  return {
    instType: instrument.instType,
    instId: instrument.instId,
    last: formatShort(market.lastPrice),
    lastSz: last === undefined ? '0' : wireSize(instrument, last.quantity),
    askPx: ask === undefined ? '' : formatShort(ask[0]),
    askSz: ask === undefined ? '' : wireSize(instrument, ask[1]),
    bidPx: bid === undefined ? '' : formatShort(bid[0]),
    bidSz: bid === undefined ? '' : wireSize(instrument, bid[1]),
    open24h: opened,
    high24h: formatShort(prices.reduce((most, price) => (price > most ? price : most))),
    low24h: formatShort(prices.reduce((least, price) => (price < least ? price : least))),
    sodUtc0: opened,
    sodUtc8: opened,
    volCcy24h: formatShort(instrument.instType === 'SPOT' ? turnover : volume),
    vol24h: wireSize(instrument, volume),
    ts: String(nowMs),
  };
}

export function markPrice({ instrument, market }: OkxMarket, nowMs: number): object {
  const { instType, instId } = instrument;
  return { instType, instId, markPx: formatShort(market.lastPrice), ts: String(nowMs) };
}

/** The background holds nothing, so the open interest is what accounts hold long. */
export function openInterest({ instrument, exchange, market }: OkxMarket, nowMs: number): object {
  const fills = exchange.ledger.fills.filter(({ symbol }) => symbol === instrument.instId);
  const positions = new Map<number, Units>();
  for (const { account, side, quantity } of fills) {
    positions.set(account, (positions.get(account) ?? 0n) + (side === 'BUY' ? quantity : -quantity));
  }
  const held = [...positions.values()].reduce((sum, amount) => sum + (amount < 0n ? -amount : amount), 0n);
  return {
    instType: instrument.instType,
    instId: instrument.instId,
    oi: wireSize(instrument, held),
    oiCcy: formatShort(held),
    oiUsd: formatShort(multiply(held, market.lastPrice)),
    ts: String(nowMs),
  };
}

export function fundingRate({ instrument }: OkxMarket, nowMs: number): object {
  const fundingTime = (Math.floor(nowMs / FUNDING_MS) + 1) * FUNDING_MS;
  return {
    formulaType: 'withRate',
    fundingRate: FUNDING_RATE,
    fundingTime: String(fundingTime),
    impactValue: '20000',
    instId: instrument.instId,
    instType: 'SWAP',
    interestRate: FUNDING_RATE,
    maxFundingRate: '0.00375',
    method: 'current_period',
    minFundingRate: '-0.00375',
    nextFundingRate: '',
    nextFundingTime: String(fundingTime + FUNDING_MS),
    premium: '0',
    prevFundingTime: String(fundingTime - FUNDING_MS),
    settFundingRate: FUNDING_RATE,
    settState: 'settled',
    ts: String(nowMs),
  };
}

function fundingHistory({ instrument }: OkxMarket, { fields, nowMs }: RequestContext): readonly object[] {
  const [after, before] = [fields.integer('after') ?? Infinity, fields.integer('before') ?? 0];
  const last = Math.floor(Math.min(nowMs, after - 1) / FUNDING_MS) * FUNDING_MS;
  const times = Array.from({ length: fields.limit(400, 400) }, (_, index) => last - index * FUNDING_MS);
  return times
    .filter((time) => time > before && time > 0)
    .map((time) => ({
      formulaType: 'withRate',
      fundingRate: FUNDING_RATE,
      fundingTime: String(time),
      instId: instrument.instId,
      instType: 'SWAP',
      method: 'current_period',
      realizedRate: FUNDING_RATE,
    }));
}

function swapOf(one: OkxMarket): OkxMarket {
  if (one.instrument.instType !== 'SWAP') throw new OkxError('51000', 'instId');
  return one;
}

/** Newest first: older than `after`, newer than `before`. */
function candleRows(one: OkxMarket, { fields, nowMs }: RequestContext, max: number): readonly (readonly string[])[] {
  const lengthMs = barMs(fields.optional('bar') ?? '1m');
  if (lengthMs === null) throw new OkxError('51000', 'bar');
  const [after, before] = [fields.integer('after'), fields.integer('before')];
  const toMs = after === null ? nowMs : Math.min(nowMs, after - 1);
  return candles(one.market, { lengthMs, fromMs: null, toMs, limit: fields.limit(100, max) })
    .filter(({ openMs }) => before === null || openMs > before)
    .map((candle) => candleRow(one, candle, nowMs))
    .toReversed();
}

export function candleRow(
  { instrument }: OkxMarket,
  candle: ReturnType<typeof candles>[number],
  nowMs: number,
): readonly string[] {
  const { openMs, closeMs, open: first, high, low, close, volume, quoteVolume } = candle;
  return [
    String(openMs),
    ...[first, high, low, close].map((price) => formatShort(price)),
    wireSize(instrument, volume),
    formatShort(instrument.instType === 'SPOT' ? quoteVolume : volume),
    formatShort(quoteVolume),
    nowMs > closeMs ? '1' : '0',
  ];
}
