import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { parseStreamRequest } from '../../../src/api/stream/stream-request.js';
import { InstrumentCatalogue, type InstrumentIndex } from '../../../src/domain/instrument.js';
import { plainInstrument } from '../../domain/plain-instrument.js';
import { BTC, BTC_PERPETUAL, CATALOGUE } from '../../stream/catalogue.js';
import { runs } from '../../runs.js';

function parse(message: unknown): ReturnType<typeof parseStreamRequest> {
  return parseStreamRequest(typeof message === 'string' ? message : JSON.stringify(message), CATALOGUE);
}

describe('parseStreamRequest', () => {
  it('accepts ping and pong without other members', () => {
    expect(parse({ topic: 'ping' })).toEqual({ kind: 'ping' });
    expect(parse({ topic: 'pong' })).toEqual({ kind: 'pong' });
  });

  it('echoes the exchange in upper case and every other field as sent', () => {
    const request = parse({ topic: 'order', exchange: 'binance', method: 'subscribe', id: 5 });
    expect(request).toEqual({
      kind: 'account',
      method: 'subscribe',
      topic: 'order',
      venue: 'BINANCE',
      resumeFrom: null,
      withOpenOrders: false,
      echo: '{"topic":"order","exchange":"BINANCE","method":"subscribe","id":5}',
    });
  });

  it('finds a spot market or a perpetual by its canonical symbol', () => {
    const ticker = { topic: 'ticker', exchange: 'BINANCE', method: 'subscribe' };
    expect(parse({ ...ticker, symbol: 'BTC/USDT' })).toMatchObject({ instrument: { index: BTC } });
    expect(parse({ ...ticker, symbol: 'BTC/USDT:USDT' })).toMatchObject({ instrument: { index: BTC_PERPETUAL } });
  });

  it('accepts a symbol without a slash and echoes it as it was sent', () => {
    const ticker = { topic: 'ticker', exchange: 'BINANCE', method: 'subscribe' };
    const spot = parse({ ...ticker, symbol: 'btcusdt' });
    expect(spot).toMatchObject({ instrument: { index: BTC } });
    expect(spot).toHaveProperty('echo', expect.stringContaining('"symbol":"btcusdt"'));
    expect(parse({ ...ticker, symbol: 'BTCUSDT:USDT' })).toMatchObject({ instrument: { index: BTC_PERPETUAL } });
  });

  it('refuses a symbol without a slash that names two instruments, and names both', () => {
    const catalogue = new InstrumentCatalogue([
      plainInstrument({ symbol: 'AB/CUSDT', base: 'AB', quote: 'CUSDT' }),
      plainInstrument({ index: 1 as InstrumentIndex, symbol: 'ABC/USDT', base: 'ABC', quote: 'USDT' }),
    ]);
    const text = JSON.stringify({ topic: 'ticker', exchange: 'BINANCE', method: 'subscribe', symbol: 'ABCUSDT' });
    const message = 'symbol ABCUSDT names more than one instrument on BINANCE: AB/CUSDT, ABC/USDT';
    expect(parseStreamRequest(text, catalogue)).toMatchObject({ kind: 'refused', code: 7002, message });
  });

  it('subscribes to candles of one minute by default, and to open interest of a future', () => {
    const candles = { topic: 'ohlcv', exchange: 'BINANCE', method: 'subscribe', symbol: 'BTC/USDT' };
    expect(parse(candles)).toMatchObject({ feed: { kind: 'candles', instrument: BTC, interval: 'ONE_MINUTE' } });
    expect(parse({ ...candles, interval: null })).toMatchObject({ feed: { interval: 'ONE_MINUTE' } });
    expect(parse({ ...candles, interval: 'one_day' })).toMatchObject({ feed: { interval: 'ONE_DAY' } });
    expect(parse({ ...candles, topic: 'open_interest', symbol: 'BTC/USDT:USDT' })).toMatchObject({
      kind: 'market feed',
      feed: { kind: 'openInterest', instrument: BTC_PERPETUAL },
    });
  });

  const order = { topic: 'order', exchange: 'BINANCE', method: 'subscribe' };
  it.each<[string, unknown, number, string]>([
    ['text that is no JSON', '{', 7002, 'JSON object'],
    ['an array', '[]', 7002, 'JSON object'],
    ['null', 'null', 7002, 'JSON object'],
    ['no method', { ...order, method: undefined }, 7002, 'method'],
    ['an unknown method, before an unknown topic', { topic: 'x', method: 'x' }, 7002, 'method'],
    ['an unknown topic, before an unknown exchange', { ...order, topic: 'x', exchange: 'x' }, 7002, 'topic x'],
    ['ping as a subscription', { ...order, topic: 'ping' }, 7002, 'topic ping'],
    ['no exchange', { ...order, exchange: undefined }, 8054, 'exchange'],
    ['an exchange that only lists', { ...order, exchange: 'LIGHTER' }, 8054, 'LIGHTER'],
    ['an unknown exchange, before no symbol', { ...order, topic: 'ticker', exchange: 'x' }, 8054, 'exchange x'],
    ['a number as exchange', { ...order, exchange: 1 }, 8054, 'exchange 1'],
    ['no symbol', { ...order, topic: 'ticker' }, 7002, 'symbol'],
    ['an unknown symbol', { ...order, topic: 'ticker', symbol: 'A/B' }, 7002, 'A/B is not listed'],
    ['candles of no symbol', { ...order, topic: 'ohlcv' }, 7002, 'topic ohlcv needs a symbol'],
    ['no symbol, before no interval', { ...order, topic: 'ohlcv', symbol: 'A/B', interval: 'x' }, 7002, 'A/B'],
    [
      'no interval',
      { ...order, topic: 'ohlcv', symbol: 'BTC/USDT', interval: '1m' },
      7002,
      'interval 1m must be one of',
    ],
    ['open interest of SPOT', { ...order, topic: 'open_interest', symbol: 'BTC/USDT' }, 7002, 'FUTURE only'],
    ['an unknown exchange, before no interval', { ...order, topic: 'ohlcv', exchange: 'x', interval: 'x' }, 8054, 'x'],
    ['a negative resume_from', { ...order, resume_from: -1 }, 7002, 'resume_from -1'],
    ['half a frame', { ...order, resume_from: 1.5 }, 7002, 'resume_from 1.5'],
    ['a text as resume_from', { ...order, resume_from: '5' }, 7002, 'resume_from 5'],
    ['an object as resume_from', { ...order, resume_from: {} }, 7002, '(an object)'],
  ])('refuses a request with %s', (_, message, code, words) => {
    expect(parse(message)).toMatchObject({ kind: 'refused', code, message: expect.stringContaining(words) as string });
  });

  it('matches method and topic in any case', () => {
    expect(parse({ topic: 'Order', exchange: 'Okx', method: 'SUBSCRIBE', resume_from: 3 })).toMatchObject({
      topic: 'order',
      method: 'subscribe',
      venue: 'OKX',
      resumeFrom: 3,
    });
  });

  it('accepts a message that is nested as deeply as its size allows', () => {
    const nested = '['.repeat(8_000) + ']'.repeat(8_000);
    expect(() => parse(`{"topic":"order","exchange":"OKX","method":"subscribe","x":${nested}}`)).not.toThrow();
  });

  it('throws for no message', () => {
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom('order', 'ticker', 'subscribe', 'BINANCE', 'BTC/USDT'));
    const message = fc.record(
      { topic: value, exchange: value, method: value, symbol: value, interval: value, resume_from: value },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(message, fc.string(), (fields, text) => {
        expect(() => parse(JSON.stringify(fields))).not.toThrow();
        expect(parseStreamRequest(text, CATALOGUE).kind).toBeTypeOf('string');
      }),
      { numRuns: runs(150, 500) },
    );
  });
});
