import { describe, expect, it } from 'vitest';
import type { Amount } from '../../src/model/amount.js';
import type { AccountId } from '../../src/model/ids.js';
import type { InstrumentIndex } from '../../src/model/instrument.js';
import { VENUE_ANSWER_WAIT_MS } from '../../src/model/limits.js';
import type { EpochMs } from '../../src/model/time.js';
import type { CandlesReport, VenueRequest } from '../../src/model/venue-message.js';
import { BalanceDesk } from '../../src/route/balance-desk.js';
import { candleUpdate, FeedRoom, START } from './feed-room.js';

const account = 'alice' as AccountId;
const venue = 'BINANCE';
const atMs = START as EpochMs;
const instrument = 1 as InstrumentIndex;
const RANGE = { instrument, fromMs: atMs, toMs: atMs, limit: 5 };
const QUESTION = { account, venue, ...RANGE, interval: 'ONE_MINUTE' } as const;

function askedOnce(room: FeedRoom): Extract<VenueRequest, { correlationId: unknown }> {
  const [request] = room.asked();
  if (request === undefined || !('correlationId' in request)) throw new Error('nothing was asked');
  return request;
}

function upRoom(): FeedRoom {
  const room = new FeedRoom();
  room.line.setVenueUp(true);
  return room;
}

describe('the line to the venue', () => {
  it('brings each answer to whoever asked', () => {
    const room = upRoom();
    const answers: unknown[] = [];
    room.desk.candles(QUESTION, (result) => answers.push(result));
    const request = askedOnce(room);
    expect(request).toMatchObject({ kind: 'QueryCandles', ...QUESTION });
    new BalanceDesk(room.line).balances(account, venue, (result) => answers.push(result));
    const { correlationId } = askedOnce(room);
    const balances = [{ asset: 'BTC', total: 3n as Amount, free: 2n as Amount }];
    const funds = { isSnapshot: true, version: 1, balances, causedBy: null };
    room.answer({ kind: 'Funds', correlationId, account, venue, atMs, ...funds });
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
    room.answer(report);
    room.answer(report);
    expect(answers).toEqual([balances, [update.candle]]);
  });

  it('brings a refusal of the venue', () => {
    const room = upRoom();
    const answers: unknown[] = [];
    room.desk.fundingRates({ account, venue, ...RANGE }, (result) => answers.push(result));
    const { correlationId } = askedOnce(room);
    const rejection = { code: 'SYSTEM_BUSY', message: 'too much' } as const;
    room.answer({ kind: 'AccountAnswered', correlationId, account, venue, atMs, rejection });
    expect(answers).toEqual([{ rejection }]);
  });

  it('says so when the venue is down, dies or does not answer', () => {
    const room = new FeedRoom();
    const answers: string[] = [];
    const ask = (): void =>
      room.desk.candles(QUESTION, (result) =>
        answers.push('rejection' in result ? result.rejection.message : 'answered'),
      );
    ask();
    room.line.setVenueUp(true);
    ask();
    room.line.setVenueUp(false);
    room.line.setVenueUp(true);
    ask();
    room.nowRealMs += VENUE_ANSWER_WAIT_MS;
    room.line.sweep();
    expect(answers).toEqual([
      'exchange BINANCE is down',
      'exchange BINANCE is down',
      `exchange BINANCE has not answered within ${VENUE_ANSWER_WAIT_MS} ms`,
    ]);
  });
});
