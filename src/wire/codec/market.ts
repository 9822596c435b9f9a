import type { InstrumentIndex } from '../../domain/instrument.js';
import type { Candle, CandleInterval, Mark, MarketUpdate } from '../../domain/market-feed.js';
import type { TradePrint } from '../../domain/market.js';
import { sluice } from '../generated/messages.js';
import { bytesOf, integer, modelOf, required, time, unknownKind } from './message.js';
import { SIDE, unprefixed, WireEnum } from './enums.js';

const wire = sluice.v1;

function toWireTradePrint(print: TradePrint): sluice.v1.TradePrint.$Properties {
  return {
    instrument: print.instrument,
    price: print.price,
    quantity: print.quantity,
    takerSide: SIDE.number(print.takerSide),
    atMs: print.atMs,
  };
}

function fromWireTradePrint(message: sluice.v1.TradePrint): TradePrint {
  return {
    instrument: message.instrument as InstrumentIndex,
    price: integer(message.price, 'TradePrint.price'),
    quantity: integer(message.quantity, 'TradePrint.quantity'),
    takerSide: SIDE.name(message.takerSide, 'TradePrint.taker_side'),
    atMs: time(message.atMs, 'TradePrint.at_ms'),
  };
}

export const CANDLE_INTERVAL = new WireEnum<CandleInterval, sluice.v1.CandleInterval>(
  'CandleInterval',
  unprefixed('CANDLE_INTERVAL', sluice.v1.CandleInterval),
);

/** The fields have the model's names, and the encoder only reads them. */
export function toWireCandle(candle: Candle): sluice.v1.Candle.$Properties {
  return candle;
}

export function fromWireCandle(message: sluice.v1.Candle): Candle {
  return {
    openAtMs: time(message.openAtMs, 'Candle.open_at_ms'),
    open: integer(message.open, 'Candle.open'),
    high: integer(message.high, 'Candle.high'),
    low: integer(message.low, 'Candle.low'),
    close: integer(message.close, 'Candle.close'),
    volume: integer(message.volume, 'Candle.volume'),
  };
}

type UpdateMessage = ReturnType<typeof wire.MarketUpdate.decode>;

export function encodeMarketUpdate(update: MarketUpdate): Uint8Array {
  return bytesOf(wire.MarketUpdate, toWireUpdate(update));
}

export function decodeMarketUpdate(bytes: Uint8Array): MarketUpdate {
  return modelOf('MarketUpdate', wire.MarketUpdate, fromWireUpdate, bytes);
}

function toWireUpdate(update: MarketUpdate): sluice.v1.MarketUpdate.$Properties {
  switch (update.kind) {
    case 'Traded':
      return { traded: toWireTradePrint(update.print) };
    case 'CandleChanged': {
      const { instrument, candle, isClosed } = update;
      const interval = CANDLE_INTERVAL.number(update.interval);
      return { candleChanged: { instrument, interval, candle: toWireCandle(candle), isClosed } };
    }
    case 'MarkChanged':
      return { markChanged: { instrument: update.instrument, ...update.mark } };
    case 'OpenInterestChanged':
      return { openInterestChanged: { instrument: update.instrument, ...update.openInterest } };
  }
}

function fromWireUpdate(message: UpdateMessage): MarketUpdate {
  switch (message.kind) {
    case 'traded':
      return { kind: 'Traded', print: fromWireTradePrint(message.traded) };
    case 'candleChanged':
      return fromWireCandleChanged(message.candleChanged);
    case 'markChanged':
      return fromWireMarkChanged(message.markChanged);
    case 'openInterestChanged':
      return fromWireOpenInterestChanged(message.openInterestChanged);
    case undefined:
      break;
  }
  return unknownKind('MarketUpdate');
}

function fromWireCandleChanged(message: sluice.v1.CandleChanged): MarketUpdate {
  return {
    kind: 'CandleChanged',
    instrument: message.instrument as InstrumentIndex,
    interval: CANDLE_INTERVAL.name(message.interval, 'CandleChanged.interval'),
    candle: fromWireCandle(required(message.candle, 'CandleChanged.candle')),
    isClosed: message.isClosed,
  };
}

function fromWireMarkChanged(message: sluice.v1.MarkChanged): MarketUpdate {
  const mark: Mark = {
    markPrice: integer(message.markPrice, 'MarkChanged.mark_price'),
    indexPrice: integer(message.indexPrice, 'MarkChanged.index_price'),
    fundingRatePpm: integer(message.fundingRatePpm, 'MarkChanged.funding_rate_ppm'),
    nextFundingAtMs: time(message.nextFundingAtMs, 'MarkChanged.next_funding_at_ms'),
    atMs: time(message.atMs, 'MarkChanged.at_ms'),
  };
  return { kind: 'MarkChanged', instrument: message.instrument as InstrumentIndex, mark };
}

function fromWireOpenInterestChanged(message: sluice.v1.OpenInterestChanged): MarketUpdate {
  return {
    kind: 'OpenInterestChanged',
    instrument: message.instrument as InstrumentIndex,
    openInterest: {
      openInterest: integer(message.openInterest, 'OpenInterestChanged.open_interest'),
      markPrice: integer(message.markPrice, 'OpenInterestChanged.mark_price'),
      atMs: time(message.atMs, 'OpenInterestChanged.at_ms'),
    },
  };
}
