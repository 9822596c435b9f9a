import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLIENT_MESSAGES, SERVER_MESSAGES } from '../../src/api/document/asyncapi.js';
import { echoOf } from '../../src/api/order/order-parser.js';
import { CANDLE_INTERVALS, flatCandle } from '../../src/domain/market-feed.js';
import type { AccountTopic, EventEnvelope } from '../../src/domain/event.js';
import type { Market } from '../../src/domain/market.js';
import type { Clip } from '../../src/domain/order.js';
import { amountOf, type Lots, type Ticks, ZERO_AMOUNT } from '../../src/domain/quantity.js';
import { accountFrames, openOrderFrame } from '../../src/api/stream/account-frame.js';
import { balanceSnapshotFrame, positionSnapshotFrame } from '../../src/api/account/account-frame.js';
import {
  answerFrame,
  streamEndedFrame,
  parseStreamRequest,
  PING_FRAME,
  PONG_FRAME,
  SHUTDOWN_FRAME,
} from '../../src/api/stream/stream-request.js';
import { ohlcvFrame, openInterestFrame, tickerFrame, tickerHead } from '../../src/api/market/market-frame.js';
import { pairEcho } from '../../src/api/pair/pair-parser.js';
import type { EpochMs } from '../../src/domain/time.js';
import { orderParams } from '../api/order-params-arbitrary.js';
import { BITCOIN, requestWith } from '../api/order-requests.js';
import { CATALOGUE } from '../stream/catalogue.js';
import {
  ACCEPTED,
  ACCEPTED_PAIR,
  balanceChanged,
  CHILD_SNAPSHOT,
  envelopeOf,
  FILL,
  FILLED,
  PARENT,
} from '../stream/sample-events.js';
import { CLOSED, POSITION, positionChanged } from '../stream/sample-positions.js';
import { pairOf } from '../domain/sample-pair.js';
import { closed, complaintsOf, open } from './compiled.js';
import { withTerms } from '../domain/plain-order.js';
import { runs } from '../runs.js';

const [INSTRUMENT] = CATALOGUE.instruments;

function schemaOf(title: string) {
  const schema = [...CLIENT_MESSAGES, ...SERVER_MESSAGES].find((message) => message.title === title);
  if (schema === undefined) throw new Error(`no message ${title} is documented`);
  return schema;
}

/** The errors of a frame by the schema of its message. */
function complaints(title: string, frame: string): string {
  return complaintsOf(closed(schemaOf(title)), JSON.parse(frame));
}

const ORDER_REFUSED = envelopeOf(
  { kind: 'ParentAccepted' },
  {
    parent: {
      status: 'REJECTED',
      revision: 0,
      legs: [{ quantity: PARENT.legs[0].quantity, filled: 0 as Lots, notional: 0n as never }],
      quoteRate: 1,
      outcome: { code: 'INSUFFICIENT_FUNDS', message: 'no' },
      quarantine: null,
      cancelCause: null,
    },
  },
);
const LATE = envelopeOf(
  { kind: 'ChildFilled', leg: 0, child: 3 as never, fill: FILL, isLate: true },
  { child: CHILD_SNAPSHOT },
);

describe('account frames', () => {
  it.each<[string, AccountTopic, EventEnvelope]>([
    ['OrderFrame', 'order', ACCEPTED],
    ['OrderFrame', 'order', FILLED],
    ['OrderFrame', 'order', ORDER_REFUSED],
    ['ChildOrderFrame', 'child_order', FILLED],
    ['TradeFrame', 'trade', FILLED],
    ['TradeFrame', 'trade', LATE],
    ['BalanceFrame', 'balance', balanceChanged(5n)],
    ['PositionFrame', 'position', positionChanged()],
    ['PositionFrame', 'position', positionChanged(CLOSED)],
    ['PositionRiskFrame', 'position_risk', positionChanged()],
    ['PositionRiskFrame', 'position_risk', positionChanged(CLOSED)],
  ])('match the schema %s on topic %s', (title, topic, envelope) => {
    for (const parent of [
      PARENT,
      withTerms(PARENT, { clientOrderId: null, limitPrice: null, endAtMs: null, requestEcho: '' }),
    ]) {
      expect(complaints(title, accountFrames(() => parent)(topic, 7, envelope) ?? 'null')).toBe('');
    }
  });

  it('echo every field of a request', () => {
    const clips = fc.constantFrom<Clip>(
      { type: 'AUTOMATIC' },
      { type: 'ABSOLUTE', quantity: 10 as Lots },
      { type: 'PERCENTAGE', ppmOfPercent: 1 },
      { type: 'ORDER_COUNT', count: 3 },
    );
    const validate = closed(schemaOf('OrderFrame'));
    fc.assert(
      fc.property(orderParams, clips, (params, clip) => {
        const order = withTerms(PARENT, { requestEcho: echoOf(requestWith({ ...params, clip }).values, BITCOIN) });
        const frame = accountFrames(() => order)('order', 7, ACCEPTED) ?? 'null';
        expect(complaintsOf(validate, JSON.parse(frame))).toBe('');
      }),
      { numRuns: runs(100, 500) },
    );
  });

  it('echo both legs of a pair', () => {
    const params = { maxUnhedgedValue: amountOf(1n, 1), maxUnhedgedMs: 5 as never, hedgeSlippageBps: 1 };
    for (const requestEcho of ['', pairEcho(params, BITCOIN)]) {
      const order = pairOf(withTerms(PARENT, { requestEcho: '' }), 'OKX', { limitPrice: null });
      const pair = { ...order, pair: { ...order.pair!, requestEcho } };
      expect(complaints('OrderFrame', accountFrames(() => pair)('order', 7, ACCEPTED_PAIR, 'OKX') ?? 'null')).toBe('');
    }
  });

  it('match the schema BalanceFrame as a snapshot', () => {
    const balance = { asset: 'USDT', total: ZERO_AMOUNT, free: ZERO_AMOUNT } as never;
    const frame = balanceSnapshotFrame({ seq: 0, venue: 'BINANCE', balance, atMs: 5 as EpochMs });
    expect(complaints('BalanceFrame', frame)).toBe('');
  });

  it.each([
    ['PositionFrame', 'position'],
    ['PositionRiskFrame', 'position_risk'],
  ] as const)('match the schema %s on topic %s as a snapshot', (title, topic) => {
    const grid = { quantityPrecision: 5, pricePrecision: 2, quantityStep: 1, priceStep: 1 };
    const place = { position: POSITION, symbol: 'BTC/USDT:USDT', grid, atMs: 5 as EpochMs };
    expect(complaints(title, positionSnapshotFrame(topic, { seq: 0, venue: 'BINANCE', ...place }))).toBe('');
  });
});

describe('a snapshot of topic order', () => {
  it('matches the schema OrderFrame', () => {
    for (const isLast of [true, false]) {
      const place = { seq: 7, venue: 'BINANCE', isLast } as const;
      const frame = openOrderFrame(place, ACCEPTED, () => PARENT) ?? 'null';
      expect(complaints('OrderFrame', frame)).toBe('');
      expect(JSON.parse(frame)).toMatchObject({ topic: 'order', seq: 7, snapshot: true });
    }
  });

  it('has no message of a note that is no status', () => {
    const reason = { code: 'WAIT', detail: 'target=1' };
    const noted = envelopeOf({ kind: 'StrategyNoted', reason, memory: null, leg: 0 });
    const place = { seq: 7, venue: 'BINANCE', isLast: false } as const;
    expect(openOrderFrame(place, noted, () => PARENT)).not.toContain('target=1');
  });
});

describe('other messages of the service', () => {
  it('match their documented schemas', () => {
    const market = { bid: 6_400_000, ask: 0, bidQuantity: 5 as Lots, askQuantity: 0 as Lots, atMs: 5 as EpochMs };
    if (INSTRUMENT === undefined) throw new Error('the catalogue has an instrument');
    for (const bid of [market.bid, 0]) {
      const sides = { ...market, bid: bid as Ticks } as unknown as Market;
      expect(complaints('TickerFrame', tickerFrame(tickerHead(INSTRUMENT), sides, INSTRUMENT))).toBe('');
    }
    const openInterest = { openInterest: 7 as Lots, markPrice: 6_400_000 as Ticks, atMs: 5 as EpochMs };
    expect(complaints('OpenInterestFrame', openInterestFrame(openInterest, INSTRUMENT))).toBe('');
    for (const interval of CANDLE_INTERVALS) {
      const candle = flatCandle(0 as EpochMs, 6_400_000 as Ticks);
      expect(complaints('OhlcvFrame', ohlcvFrame({ interval, candle, isClosed: false }, INSTRUMENT))).toBe('');
    }
    for (const code of [0, 7001, 7002, 8054] as const) expect(complaints('Answer', answerFrame(code, 'why'))).toBe('');
    expect(complaints('Answer', streamEndedFrame('balance', 'OKX', 'OKX is "down"'))).toBe('');
    expect(complaints('KeepAlive', PING_FRAME)).toBe('');
    expect(complaints('KeepAlive', PONG_FRAME)).toBe('');
    expect(complaints('ServerNotice', SHUTDOWN_FRAME)).toBe('');
  });
});

describe('the member snapshot of a subscription', () => {
  const order = { topic: 'order', exchange: 'BINANCE', method: 'subscribe', snapshot: true };

  it.each([
    [{ topic: 'order' }, true],
    [{ topic: 'order', snapshot: false }, false],
    [{ topic: 'order', snapshot: null }, false],
    [{ topic: 'balance' }, false],
    [{ topic: 'trade', snapshot: false }, false],
  ])('is read: %j', (fields, withOpenOrders) => {
    expect(verdictOf({ ...order, ...fields })).toMatchObject({ kind: 'account', withOpenOrders });
  });

  it.each([
    [{ topic: 'trade' }, 'topic trade has no snapshot'],
    [{ topic: 'child_order' }, 'topic child_order has no snapshot'],
    [{ resume_from: 0 }, 'exclude each other'],
    [{ topic: 'balance', resume_from: 5 }, 'exclude each other'],
  ])('is refused: %j', (fields, why) => {
    const verdict = verdictOf({ ...order, ...fields });
    expect(verdict).toMatchObject({ kind: 'refused', code: 7002, message: expect.stringContaining(why) as string });
  });
});

/** The result of the service for a message. */
function verdictOf(message: unknown) {
  return parseStreamRequest(JSON.stringify(message), CATALOGUE);
}

describe('messages of a client', () => {
  const messages = CLIENT_MESSAGES.map((schema) => [schema.title ?? '', schema] as const);

  it.each(messages)('are accepted in the documented examples of %s', (_title, schema) => {
    expect(schema.examples).toBeDefined();
    for (const example of schema.examples as readonly unknown[]) {
      expect(verdictOf(example)).not.toHaveProperty('kind', 'refused');
    }
  });

  const subscription = { topic: 'order', exchange: 'BINANCE', method: 'subscribe' };
  it.each<[string, Record<string, unknown>]>([
    ['AccountSubscription', { topic: 'nonsense' }],
    ['AccountSubscription', { method: 'follow' }],
    ['AccountSubscription', { exchange: 'NASDAQ' }],
    ['AccountSubscription', { exchange: undefined }],
    ['AccountSubscription', { resume_from: -1 }],
    ['AccountSubscription', { resume_from: 'last' }],
    ['AccountSubscription', { resume_from: 0.5 }],
    ['AccountSubscription', { snapshot: 'yes' }],
    ['AccountSubscription', { snapshot: 1 }],
    ['MarketSubscription', { topic: 'ticker', symbol: undefined }],
    ['MarketSubscription', { topic: 'ticker', symbol: 5 }],
    ['MarketSubscription', { topic: 'ohlcv', symbol: 'BTC/USDT', interval: '1m' }],
    ['MarketSubscription', { topic: 'ohlcv', symbol: 'BTC/USDT', interval: 60 }],
    ['MarketSubscription', { topic: 'open_interest', symbol: undefined }],
  ])('are refused by schema and service: %s with %j', (title, fields) => {
    const message = JSON.parse(JSON.stringify({ ...subscription, ...fields })) as unknown;
    expect(complaintsOf(open(schemaOf(title)), message)).not.toBe('');
    expect(verdictOf(message)).toHaveProperty('kind', 'refused');
  });
});
