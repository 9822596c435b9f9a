import { describe, expect, it } from 'vitest';
import type { Amount } from '../../src/domain/quantity.js';
import type { AccountId } from '../../src/domain/ids.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import { VENUE_ANSWER_WAIT_MS } from '../../src/domain/limits/clients.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { VenueRequest } from '../../src/domain/venue-message.js';
import type { CandlesReport } from '../../src/domain/venue-report.js';
import { isRejected } from '../../src/domain/rejection.js';
import { AccountQuery } from '../../src/intake/account-query.js';
import { candleUpdate, FeedRig, START } from '../marketdata/feed-rig.js';

const account = 'alice' as AccountId;
const venue = 'BINANCE';
const atMs = START as EpochMs;
const instrument = 1 as InstrumentIndex;
const RANGE = { instrument, fromMs: atMs, toMs: atMs, limit: 5 };
const QUERY = { account, venue, ...RANGE, interval: 'ONE_MINUTE' } as const;

function askedOnce(rig: FeedRig): Extract<VenueRequest, { correlationId: unknown }> {
  const [request] = rig.received();
  if (request === undefined || !('correlationId' in request)) throw new Error('nothing was asked');
  return request;
}

function upRig(): FeedRig {
  const rig = new FeedRig();
  rig.venueClient.setVenueUp(true);
  return rig;
}

describe('the venue client', () => {
  it('delivers each answer to its caller once', () => {
    const rig = upRig();
    const answers: unknown[] = [];
    rig.service.candles(QUERY, (result) => answers.push(result));
    const request = askedOnce(rig);
    expect(request).toMatchObject({ kind: 'QueryCandles', ...QUERY });
    new AccountQuery(rig.venueClient).balances(account, venue, (result) => answers.push(result));
    const { correlationId } = askedOnce(rig);
    const balances = [{ asset: 'BTC', total: 3n as Amount, free: 2n as Amount }];
    const funds = { isSnapshot: true, version: 1, balances, causedBy: null };
    rig.answer({ kind: 'Funds', correlationId, account, venue, atMs, ...funds });
    const update = candleUpdate(START, true);
    if (update.kind !== 'CandleChanged') throw new Error('no candle');
    const report: CandlesReport = {
      ...request,
      kind: 'Candles',
      atMs,
      instrument,
      interval: 'ONE_MINUTE',
      candles: [update.candle],
    };
    rig.answer(report);
    rig.answer(report);
    expect(answers).toEqual([balances, [update.candle]]);
  });

  it('delivers a rejection by the venue', () => {
    const rig = upRig();
    const answers: unknown[] = [];
    rig.service.fundingRates({ account, venue, ...RANGE }, (result) => answers.push(result));
    const { correlationId } = askedOnce(rig);
    const rejection = { code: 'SYSTEM_BUSY', message: 'too much' } as const;
    rig.answer({ kind: 'QueryRejected', correlationId, account, venue, atMs, rejection });
    expect(answers).toEqual([{ rejection }]);
  });

  it('knows which venues are connected, and forgets it when the venue worker dies', () => {
    const rig = upRig();
    const connected = (): boolean[] => [rig.venueClient.isConnected(venue), rig.venueClient.isConnected('OKX')];
    expect(connected()).toEqual([true, true]);
    rig.answer({ kind: 'Link', venue: 'OKX', account: null, isUp: false, atMs });
    expect(connected()).toEqual([true, false]);
    rig.answer({ kind: 'Link', venue: 'OKX', account: null, isUp: true, atMs });
    expect(connected()).toEqual([true, true]);
    rig.answer({ kind: 'Link', venue: 'OKX', account: null, isUp: false, atMs });
    rig.venueClient.setVenueUp(false);
    expect(connected()).toEqual([false, false]);
    rig.venueClient.setVenueUp(true);
    expect(connected()).toEqual([true, true]);
  });

  it('rejects a query when the venue is down, dies or does not answer', () => {
    const rig = new FeedRig();
    const answers: string[] = [];
    const ask = (): void =>
      rig.service.candles(QUERY, (result) => answers.push(isRejected(result) ? result.rejection.message : 'answered'));
    ask();
    rig.venueClient.setVenueUp(true);
    ask();
    rig.venueClient.setVenueUp(false);
    rig.venueClient.setVenueUp(true);
    ask();
    rig.nowRealMs += VENUE_ANSWER_WAIT_MS;
    rig.venueClient.sweep();
    expect(answers).toEqual([
      'exchange BINANCE is down',
      'exchange BINANCE is down',
      `exchange BINANCE has not answered within ${VENUE_ANSWER_WAIT_MS} ms`,
    ]);
  });
});
