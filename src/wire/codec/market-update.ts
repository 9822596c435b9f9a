import type { InstrumentIndex } from '../../model/instrument.js';
import type { Mark, MarketUpdate } from '../../model/market-feed.js';
import { sluice } from '../generated/messages.js';
import { CANDLE_INTERVAL, fromWireCandle, toWireCandle } from './candle.js';
import { unknownKind } from './codec-error.js';
import { integer, time } from './exact.js';
import { fromWireTradePrint, toWireTradePrint } from './market.js';
import { bytesOf, modelOf } from './message.js';
import { required } from './presence.js';

const wire = sluice.v1;
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
