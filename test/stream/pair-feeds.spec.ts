import { expect, it } from 'vitest';
import type { EventEnvelope, FeedMark } from '../../src/domain/event.js';
import type { Venue } from '../../src/domain/exchange.js';
import { Feeds } from '../../src/stream/feeds.js';
import { Outbox } from '../../src/stream/outbox.js';
import { Pump } from '../../src/stream/pump.js';
import { Subscription } from '../../src/stream/subscription.js';
import { pairOf } from '../domain/sample-pair.js';
import { FakeSocket } from './fake-socket.js';
import { ManualTimers } from './manual-timers.js';
import { MemoryReader } from './memory-reader.js';
import { ACCEPTED_PAIR, ACCOUNT, PARENT } from './sample-events.js';

interface Frame {
  readonly seq: number;
  readonly exchange_name: string;
  readonly order: { readonly order_id: string; readonly exchange_name: string };
}

const PAIRED = pairOf(PARENT, 'OKX');
const EVENT: EventEnvelope = { ...ACCEPTED_PAIR, otherVenue: 'OKX' };

const timers = new ManualTimers();
const reader = new MemoryReader();
reader.storedOrder = () => PAIRED;
const fault = (error: unknown): never => {
  throw error;
};
const pump = new Pump(timers, fault);
const feeds = new Feeds({
  followed: { add: () => undefined, remove: () => undefined },
  reader,
  timers,
  pump,
  whenComplete: reader.whenComplete,
  onFault: fault,
});

/** Makes an event of the pair durable in both feeds. */
function append(): FeedMark[] {
  return [
    { topic: 'order', n: reader.append(ACCOUNT, 'order', 'BINANCE', EVENT) },
    { topic: 'order', n: reader.append(ACCOUNT, 'order', 'OKX', EVENT), venue: 'OKX' },
  ];
}

/** Frames after a given one that reach the subscriber of one exchange. */
function follow(venue: Venue, after: number): () => string[] {
  const socket = new FakeSocket();
  const outbox = new Outbox(socket, () => fault(new Error('too much')));
  const key = { account: ACCOUNT, topic: 'order', venue } as const;
  const feed = feeds.open(key, reader.feedHead(key));
  const { whenComplete } = reader;
  const onBehind = (): never => fault('behind');
  new Subscription({ feed, outbox, pump, whenComplete, cursor: after, onLost: fault, onBehind }).start();
  return () => {
    outbox.flush();
    return socket.sent.map((text) => {
      const { seq, exchange_name: at, order } = JSON.parse(text) as Frame;
      return `${at} ${seq} of order ${order.order_id} at ${order.exchange_name}`;
    });
  };
}

it('streams a pair in the feeds of both exchanges, live and resumed from the journal', () => {
  reader.append(ACCOUNT, 'order', 'BINANCE', ACCEPTED_PAIR);
  const [binance, okx] = [follow('BINANCE', 1), follow('OKX', 0)];
  feeds.publish(EVENT, append());
  append();
  feeds.recheck();
  timers.settle();
  expect(binance()).toEqual(['BINANCE 2 of order 4711 at BINANCE', 'BINANCE 3 of order 4711 at BINANCE']);
  expect(okx()).toEqual(['OKX 1 of order 4711 at BINANCE', 'OKX 2 of order 4711 at BINANCE']);
  const resumed = follow('OKX', 1);
  timers.settle();
  expect(resumed()).toEqual(['OKX 2 of order 4711 at BINANCE']);
});
