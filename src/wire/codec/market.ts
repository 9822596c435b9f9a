import type { InstrumentIndex } from '../../model/instrument.js';
import type { Market, TradePrint } from '../../model/market.js';
import { sluice } from '../generated/messages.js';
import { integer, time } from './exact.js';
import { bytesOf, modelOf } from './message.js';
import { SIDE } from './vocabulary.js';

const wire = sluice.v1;

/** The market of one instrument: Market itself does not say whose it is. */
export interface InstrumentMarket {
  readonly instrument: InstrumentIndex;
  readonly market: Market;
}

export function encodeTradePrint(print: TradePrint): Uint8Array {
  return bytesOf(wire.TradePrint, toWireTradePrint(print));
}

export function decodeTradePrint(bytes: Uint8Array): TradePrint {
  return modelOf('TradePrint', wire.TradePrint, fromWireTradePrint, bytes);
}

export function encodeMarket(instrument: InstrumentIndex, market: Market): Uint8Array {
  return bytesOf(wire.TopOfBook, {
    instrument,
    bid: market.bid,
    ask: market.ask,
    bidQuantity: market.bidQuantity,
    askQuantity: market.askQuantity,
    last: market.last,
    volume: market.volume,
    volatility: market.volatility,
    atMs: market.atMs,
  });
}

export function decodeMarket(bytes: Uint8Array): InstrumentMarket {
  return modelOf('TopOfBook', wire.TopOfBook, fromWireTopOfBook, bytes);
}

export function toWireTradePrint(print: TradePrint): sluice.v1.TradePrint.$Properties {
  return {
    instrument: print.instrument,
    price: print.price,
    quantity: print.quantity,
    takerSide: SIDE.number(print.takerSide),
    atMs: print.atMs,
  };
}

export function fromWireTradePrint(message: sluice.v1.TradePrint): TradePrint {
  return {
    instrument: message.instrument as InstrumentIndex,
    price: integer(message.price, 'TradePrint.price'),
    quantity: integer(message.quantity, 'TradePrint.quantity'),
    takerSide: SIDE.name(message.takerSide, 'TradePrint.taker_side'),
    atMs: time(message.atMs, 'TradePrint.at_ms'),
  };
}

function fromWireTopOfBook(message: sluice.v1.TopOfBook): InstrumentMarket {
  const market: Market = {
    bid: integer(message.bid, 'TopOfBook.bid'),
    ask: integer(message.ask, 'TopOfBook.ask'),
    bidQuantity: integer(message.bidQuantity, 'TopOfBook.bid_quantity'),
    askQuantity: integer(message.askQuantity, 'TopOfBook.ask_quantity'),
    last: integer(message.last, 'TopOfBook.last'),
    volume: integer(message.volume, 'TopOfBook.volume'),
    volatility: message.volatility,
    atMs: time(message.atMs, 'TopOfBook.at_ms'),
  };
  return { instrument: message.instrument as InstrumentIndex, market };
}
