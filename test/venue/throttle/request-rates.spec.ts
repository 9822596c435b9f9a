import { expect, it } from 'vitest';
import { VENUES } from '../../../src/domain/exchange.js';
import { VENUE_LISTINGS } from '../../../src/venue/listing/exchanges.js';
import { parseVenueRates } from '../../../src/venue/throttle/request-rates.js';

it('gives every venue the same wide rate by default', () => {
  const rates = parseVenueRates('');
  expect(new Set(VENUES.map((venue) => JSON.stringify(rates[venue])))).toEqual(
    new Set(['{"count":20000,"perMs":1000}']),
  );
});

it('reads listed, explicit and disabled rates, for all venues or some', () => {
  const rates = parseVenueRates('listed,okx=20/1s,WOO=off');
  expect(rates.BINANCE).toEqual({ count: 100, perMs: 10_000 });
  expect(rates.KRAKEN).toBe(VENUE_LISTINGS.KRAKEN.requestRate);
  expect(rates.OKX).toEqual({ count: 20, perMs: 1_000 });
  expect(rates.WOO).toBeNull();
  expect(parseVenueRates('50/10s,BYBIT=listed')).toMatchObject({
    MEXC: { count: 50, perMs: 10_000 },
    BYBIT: { count: 10, perMs: 1_000 },
  });
});

it('lets a later part override an earlier one', () => {
  expect(parseVenueRates('OKX=1/1s,off').OKX).toBeNull();
});

it.each(['0/1s', '10', '10/0s', '1.5/1s', '10/1', 'NYSE=10/1s', 'OKX=', 'OKX=fast', ',', '9999999/1s', '5/9999s'])(
  'refuses %s and names the part',
  (text) => {
    const [part = ''] = text.split(',');
    expect(() => parseVenueRates(text)).toThrow(
      expect.objectContaining({ name: 'VenueRatesError', message: expect.stringContaining(part) as string }),
    );
  },
);

it('lists a request rate for every venue', () => {
  for (const venue of VENUES) {
    const { count, perMs } = VENUE_LISTINGS[venue].requestRate;
    expect(count).toBeGreaterThanOrEqual(1);
    expect(perMs).toBeGreaterThanOrEqual(1_000);
  }
});
