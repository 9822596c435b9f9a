import { describe, expect, it } from 'vitest';
import { exchangeOrigin, socketOrigin } from '../../../src/venue/live/exchange-origin.js';

const NAME = 'SLUICE_LIVE_URL_BINANCE';

const of = (text: string): string | null => exchangeOrigin({ [NAME]: text }, 'BINANCE', 'testnet');

describe('the address that replaces the hosts of an exchange', () => {
  it('is none without its setting, in every mode', () => {
    for (const mode of [null, 'testnet', 'live'] as const) expect(exchangeOrigin({}, 'BINANCE', mode)).toBeNull();
    expect(exchangeOrigin({ [NAME]: 'http://127.0.0.1:1' }, 'OKX', 'testnet')).toBeNull();
  });

  it('is an address of http or https, with its sockets beside it', () => {
    expect(of('http://127.0.0.1:18990')).toBe('http://127.0.0.1:18990');
    expect(of('http://127.0.0.1:18990/')).toBe('http://127.0.0.1:18990');
    expect(of('https://recorder.example')).toBe('https://recorder.example');
    expect(socketOrigin('http://127.0.0.1:18990')).toBe('ws://127.0.0.1:18990');
    expect(socketOrigin('https://recorder.example')).toBe('wss://recorder.example');
  });

  it.each(['', '127.0.0.1:18990', 'ftp://a', 'http://a/api', 'http://a/?b=c', 'http://name:secret@a', 'http://'])(
    'is refused as %j, by a text that does not repeat it',
    (text) => {
      expect(() => of(text)).toThrow(
        new Error(`${NAME} is not http:// or https:// with a host, a port at most, and no path`),
      );
    },
  );

  it('is refused for real money, and without the mode testnet', () => {
    const env = { [NAME]: 'http://127.0.0.1:1' };
    expect(() => exchangeOrigin(env, 'BINANCE', 'live')).toThrow(
      new Error(`${NAME} is for BINANCE:testnet only, and the mode is BINANCE:live`),
    );
    expect(() => exchangeOrigin(env, 'BINANCE', null)).toThrow(
      new Error(`${NAME} is for BINANCE:testnet only, and SLUICE_LIVE does not set BINANCE:testnet`),
    );
  });
});
