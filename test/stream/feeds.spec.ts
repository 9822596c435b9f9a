import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import type { EventEnvelope } from '../../src/domain/event.js';
import type { OrderId } from '../../src/domain/ids.js';
import {
  FEED_GAP_WAIT_MS,
  FEED_REORDER_FRAMES_MAX,
  REPLAY_TURN_MS_MAX,
  WS_PRIVATE_LAG_FRAMES_MAX,
} from '../../src/domain/limits/clients.js';
import { COMMIT_WAIT_MS_MAX } from '../../src/domain/limits/process.js';
import { Feeds } from '../../src/stream/feeds.js';
import { Outbox } from '../../src/stream/outbox.js';
import { Pump } from '../../src/stream/pump.js';
import { Subscription } from '../../src/stream/subscription.js';
import { FakeSocket } from './fake-socket.js';
import { ManualTimers } from './manual-timers.js';
import { MemoryReader } from './memory-reader.js';
import { ACCEPTED, ACCOUNT, OTHER_ACCOUNT, PARENT } from './sample-events.js';
import { runs } from '../runs.js';

const KEYS = [
  { account: ACCOUNT, topic: 'order', venue: 'BINANCE' },
  { account: ACCOUNT, topic: 'order', venue: 'OKX' },
  { account: OTHER_ACCOUNT, topic: 'order', venue: 'BINANCE' },
] as const;
type Key = (typeof KEYS)[number];

/** Feeds over a journal, and subscribers whose sockets the test drains. */
class Rig {
  readonly timers = new ManualTimers();
  readonly reader = new MemoryReader();
  readonly faults: unknown[] = [];
  orderReads = 0;
  isParentKept = true;
  onParentRead: () => void = () => undefined;
  readonly pump = new Pump(this.timers, (error) => this.faults.push(error));
  readonly feeds = new Feeds({
    followed: { add: () => undefined, remove: () => undefined },
    reader: this.reader,
    timers: this.timers,
    pump: this.pump,
    whenComplete: this.reader.whenComplete,
    onFault: (error) => this.faults.push(error),
  });

  constructor() {
    this.reader.storedOrder = () => {
      this.orderReads += 1;
      this.onParentRead();
      return this.isParentKept ? PARENT : null;
    };
  }

  /** Makes an event durable without publishing it. */
  append(key: Key, change: Partial<EventEnvelope> = {}): { n: number; envelope: EventEnvelope } {
    const envelope = { ...ACCEPTED, account: key.account, venue: key.venue, ...change };
    return { n: this.reader.append(key.account, key.topic, key.venue, envelope), envelope };
  }

  publish({ n, envelope }: { n: number; envelope: EventEnvelope }): void {
    this.feeds.publish(envelope, [{ topic: 'order', n }]);
  }

  subscribe(key: Key, after?: number): Subscriber {
    return new Subscriber(this, key, after ?? this.reader.feedHead(key));
  }
}

class Subscriber {
  readonly socket = new FakeSocket();
  readonly outbox: Outbox;
  readonly subscription: Subscription;
  readonly after: number;
  lostAfter: number | null = null;
  isBehind = false;
  isOverflown = false;

  constructor(rig: Rig, key: Key, after: number) {
    this.after = after;
    this.outbox = new Outbox(this.socket, () => (this.isOverflown = true));
    const feed = rig.feeds.open(key, rig.reader.feedHead(key));
    const onLost = (sent: number): void => void (this.lostAfter = sent);
    const onBehind = (): void => {
      this.isBehind = true;
      this.subscription.end();
    };
    const { outbox } = this;
    const { whenComplete } = rig.reader;
    this.subscription = new Subscription({
      feed,
      outbox,
      pump: rig.pump,
      whenComplete,
      cursor: after,
      onLost,
      onBehind,
    });
    this.subscription.start();
  }

  drain(room = Number.POSITIVE_INFINITY): void {
    this.socket.read(room);
    this.outbox.onDrain();
    if (!this.outbox.isClogged) this.subscription.onDrain();
  }

  received(): number[] {
    this.outbox.flush();
    return this.socket.sent.map((text) => (JSON.parse(text) as { seq: number }).seq);
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, k) => from + k);
}

describe('feeds', () => {
  it('give a new subscriber the frames after its subscription', () => {
    const rig = new Rig();
    const old = rig.append(KEYS[0]);
    const subscriber = rig.subscribe(KEYS[0]);
    rig.publish(old);
    rig.publish(rig.append(KEYS[0]));
    expect(subscriber.received()).toEqual([2]);
  });

  it('render a frame once for all subscribers, and no frame without subscribers', () => {
    const rig = new Rig();
    rig.publish(rig.append(KEYS[0]));
    expect(rig.orderReads).toBe(0);
    const [one, two] = [rig.subscribe(KEYS[0]), rig.subscribe(KEYS[0])];
    rig.publish(rig.append(KEYS[1]));
    expect(rig.orderReads).toBe(0);
    rig.publish(rig.append(KEYS[0]));
    expect([one.received(), two.received()]).toEqual([[2], [2]]);
    expect(one.socket.frames[0]).toBe(two.socket.frames[0]);
  });

  it('wait for a frame of another shard before they read the journal', () => {
    const rig = new Rig();
    const subscriber = rig.subscribe(KEYS[0]);
    const [one, two] = [rig.append(KEYS[0]), rig.append(KEYS[0])];
    rig.publish(two);
    rig.timers.pass(1);
    rig.publish(one);
    rig.timers.settle();
    expect(subscriber.received()).toEqual([1, 2]);
    expect(rig.reader.readCount).toBe(0);
  });

  it('read a frame from the journal that never arrives', () => {
    const rig = new Rig();
    const subscriber = rig.subscribe(KEYS[0]);
    rig.append(KEYS[0]);
    rig.publish(rig.append(KEYS[0]));
    expect(subscriber.received()).toEqual([]);
    rig.timers.settle();
    expect(subscriber.received()).toEqual([1, 2]);
  });

  it('do not read the journal while a frame that was missing arrives and the next one is missing', () => {
    const rig = new Rig();
    const subscriber = rig.subscribe(KEYS[0]);
    const frames = range(1, 22).map(() => rig.append(KEYS[0]));
    const publish = (n: number): void => rig.publish(frames[n - 1]!);
    publish(2);
    for (let n = 2; n <= 20; n += 2) {
      rig.timers.pass(FEED_GAP_WAIT_MS - 1);
      publish(n - 1);
      publish(n + 2);
      rig.timers.pass(1);
      rig.timers.turn();
    }
    expect(subscriber.received()).toEqual(range(1, 20));
    expect(rig.reader.readCount).toBe(0);
  });

  it('read the journal again when it does not show the frame yet', () => {
    const rig = new Rig();
    const subscriber = rig.subscribe(KEYS[0]);
    rig.publish({ n: 2, envelope: ACCEPTED });
    rig.timers.pass(FEED_GAP_WAIT_MS);
    rig.timers.turn();
    rig.append(KEYS[0]);
    rig.append(KEYS[0]);
    rig.timers.settle();
    expect(subscriber.received()).toEqual([1, 2]);
  });

  it('close a slow socket that has left the live frames and falls too far behind', () => {
    const rig = new Rig();
    const [slow, other] = [rig.subscribe(KEYS[0]), rig.subscribe(KEYS[0])];
    slow.socket.room = 0;
    rig.publish(rig.append(KEYS[0]));
    slow.outbox.flush();
    rig.append(KEYS[0]);
    rig.publish(rig.append(KEYS[0]));
    rig.timers.settle();
    for (const _ of range(4, WS_PRIVATE_LAG_FRAMES_MAX + 1)) rig.publish(rig.append(KEYS[0]));
    expect(slow.isOverflown).toBe(false);
    rig.publish(rig.append(KEYS[0]));
    rig.publish(rig.append(KEYS[0]));
    expect([slow.isOverflown, other.isOverflown]).toEqual([true, false]);
  });

  it('read nothing from the journal for clogged sockets', () => {
    const rig = new Rig();
    const slow = rig.subscribe(KEYS[0]);
    slow.socket.room = 0;
    rig.publish(rig.append(KEYS[0]));
    slow.outbox.flush();
    for (const _ of range(2, 1_000)) rig.append(KEYS[0]);
    rig.feeds.recheck();
    rig.timers.settle();
    expect(rig.reader.readCount).toBe(0);
  });

  it('find frames that were dropped at the end of a burst when recheck is called', () => {
    const rig = new Rig();
    const subscriber = rig.subscribe(KEYS[0]);
    for (const _ of range(1, 500)) rig.append(KEYS[0]);
    rig.feeds.recheck();
    rig.timers.settle();
    expect(subscriber.received()).toEqual(range(1, 500));
  });

  it('replay after resume_from and continue live without gap or repeat', () => {
    const rig = new Rig();
    for (const _ of range(1, 300)) rig.append(KEYS[0]);
    const subscriber = rig.subscribe(KEYS[0], 100);
    rig.publish(rig.append(KEYS[0]));
    rig.timers.turn();
    rig.publish(rig.append(KEYS[0]));
    rig.timers.settle();
    rig.publish(rig.append(KEYS[0]));
    expect(subscriber.received()).toEqual(range(101, 303));
  });

  it('replay 20,000 frames in turns that each end within their time, also for slow frames', () => {
    const rig = new Rig();
    const frameMs = 0.25;
    rig.onParentRead = () => rig.timers.pass(frameMs);
    // Each frame belongs to a different order, so that no cache helps.
    for (const id of range(1, 20_000)) {
      rig.reader.append(ACCOUNT, 'order', 'BINANCE', { ...ACCEPTED, orderId: id as OrderId });
    }
    const subscriber = rig.subscribe(KEYS[0], 0);
    for (;;) {
      const beganMs = rig.timers.nowMs();
      if (!rig.timers.turn()) break;
      expect(rig.timers.nowMs() - beganMs).toBeLessThanOrEqual(REPLAY_TURN_MS_MAX + frameMs);
    }
    expect(subscriber.received()).toHaveLength(20_000);
  });

  it('buffer no more of a replay than the socket takes', () => {
    const rig = new Rig();
    for (const _ of range(1, 5_000)) rig.append(KEYS[0]);
    const subscriber = rig.subscribe(KEYS[0], 0);
    subscriber.socket.room = 50_000;
    rig.timers.settle();
    expect(rig.reader.readCount).toBeLessThan(500);
    for (let rounds = 0; rounds < 200 && subscriber.received().length < 5_000; rounds += 1) {
      subscriber.drain(50_000);
      rig.timers.settle();
    }
    expect(subscriber.isOverflown).toBe(false);
    expect(subscriber.received()).toEqual(range(1, 5_000));
  });

  it('let a slow socket close a gap at its own pace while the others continue', () => {
    const rig = new Rig();
    const [slow, fast] = [rig.subscribe(KEYS[0]), rig.subscribe(KEYS[0])];
    slow.socket.room = 0;
    rig.publish(rig.append(KEYS[0]));
    expect(slow.received()).toEqual([1]);
    for (const _ of range(2, 4_000)) rig.append(KEYS[0]);
    rig.feeds.recheck();
    rig.timers.settle();
    expect(fast.received()).toEqual(range(1, 4_000));
    expect(slow.received()).toEqual([1]);
    slow.drain();
    rig.timers.settle();
    expect(slow.isOverflown).toBe(false);
    expect(slow.received()).toEqual(range(1, 4_000));
  });

  it('end a stream whose next frame is no longer kept', () => {
    const rig = new Rig();
    for (const _ of range(1, 10)) rig.append(KEYS[0]);
    const resuming = rig.subscribe(KEYS[0], 2);
    const live = rig.subscribe(KEYS[0]);
    for (const _ of range(11, 20)) rig.append(KEYS[0]);
    rig.reader.forgetBefore(ACCOUNT, 'order', 'BINANCE', 15);
    rig.feeds.recheck();
    rig.timers.settle();
    expect(resuming.lostAfter).toBe(2);
    expect(live.lostAfter).toBe(10);
    const after = rig.subscribe(KEYS[0]);
    rig.publish(rig.append(KEYS[0]));
    expect(after.received()).toEqual([21]);
  });

  it('do not report frames as removed that the store does not show yet', () => {
    const rig = new Rig();
    for (const _ of range(1, 3)) rig.append(KEYS[0]);
    rig.reader.shownMax = 3;
    const resuming = rig.subscribe(KEYS[0], 1);
    rig.publish(rig.append(KEYS[0]));
    rig.timers.settle();
    expect(resuming.received()).toEqual([2, 3]);
    expect([resuming.isBehind, resuming.lostAfter]).toEqual([true, null]);
  });

  it('replay on when the store shows the next frames, and end when that takes too long', () => {
    const rig = new Rig();
    for (const _ of range(1, 3)) rig.append(KEYS[0]);
    rig.reader.shownMax = 3;
    rig.reader.reads.hold();
    const resuming = rig.subscribe(KEYS[0], 1);
    rig.publish(rig.append(KEYS[0]));
    rig.timers.settle();
    expect([resuming.received(), resuming.isBehind, rig.reader.reads.count]).toEqual([[2, 3], false, 1]);
    rig.reader.shownMax = 4;
    rig.reader.reads.run();
    rig.timers.settle();
    expect(resuming.received()).toEqual([2, 3, 4]);

    const late = rig.subscribe(KEYS[0], 3);
    rig.reader.shownMax = 3;
    rig.timers.settle();
    rig.reader.reads.fail();
    expect([late.isBehind, late.lostAfter]).toEqual([true, null]);
  });

  it('deliver the frames that were published before they opened and after their head', () => {
    const rig = new Rig();
    rig.publish(rig.append(KEYS[0]));
    const subscriber = rig.subscribe(KEYS[0]);
    const { feed } = subscriber.subscription;
    rig.append(KEYS[0]);
    rig.reader.reads.hold();
    rig.feeds.catchUp(feed);
    rig.timers.settle();
    expect(subscriber.received()).toEqual([]);
    rig.reader.reads.run();
    rig.timers.settle();
    expect(subscriber.received()).toEqual([2]);
  });

  it('read the journal again while the store is behind after dropped events', () => {
    const rig = new Rig();
    const subscriber = rig.subscribe(KEYS[0]);
    rig.append(KEYS[0]);
    rig.reader.shownMax = 0;
    rig.reader.isBehind = true;
    rig.feeds.recheck();
    while (rig.timers.turn());
    rig.timers.pass(COMMIT_WAIT_MS_MAX);
    while (rig.timers.turn());
    expect(subscriber.received()).toEqual([]);
    rig.reader.shownMax = 1;
    rig.reader.isBehind = false;
    rig.timers.pass(COMMIT_WAIT_MS_MAX);
    rig.timers.settle();
    expect(subscriber.received()).toEqual([1]);
  });

  it('end a stream whose order is no longer kept', () => {
    const rig = new Rig();
    const subscriber = rig.subscribe(KEYS[0]);
    rig.isParentKept = false;
    rig.publish(rig.append(KEYS[0]));
    rig.timers.settle();
    expect(subscriber.lostAfter).toBe(0);
    expect(rig.faults).toEqual([]);
  });

  it('go on when the store shows the order of a frame that arrives earlier', () => {
    const rig = new Rig();
    const subscriber = rig.subscribe(KEYS[0]);
    rig.isParentKept = false;
    rig.reader.shownMax = 0;
    rig.reader.reads.hold();
    for (const _ of range(1, 2)) rig.publish(rig.append(KEYS[0]));
    rig.timers.settle();
    expect([subscriber.received(), subscriber.lostAfter, rig.reader.reads.count]).toEqual([[], null, 1]);
    rig.isParentKept = true;
    rig.reader.shownMax = 2;
    rig.reader.reads.release();
    rig.timers.settle();
    rig.publish(rig.append(KEYS[0]));
    expect([subscriber.received(), subscriber.lostAfter]).toEqual([[1, 2, 3], null]);
  });

  it('end a stream whose frame cannot be made, and report the fault', () => {
    const rig = new Rig();
    const subscriber = rig.subscribe(KEYS[0]);
    const broken = rig.append(KEYS[0], { parent: null });
    rig.publish(broken);
    rig.timers.settle();
    expect(subscriber.lostAfter).toBe(0);
    expect(new Set(rig.faults.map(String)).size).toBe(1);
  });

  it('forget a feed without subscribers', () => {
    const rig = new Rig();
    const subscriber = rig.subscribe(KEYS[0]);
    subscriber.subscription.end();
    rig.feeds.release(subscriber.subscription.feed);
    rig.publish(rig.append(KEYS[0]));
    expect(rig.orderReads).toBe(0);
    expect(rig.feeds.open(KEYS[0], 1)).not.toBe(subscriber.subscription.feed);
  });

  it('deliver every frame when more frames are out of order than they hold', () => {
    const rig = new Rig();
    const subscriber = rig.subscribe(KEYS[0]);
    const events = range(1, FEED_REORDER_FRAMES_MAX * 2).map(() => rig.append(KEYS[0]));
    for (const event of events.slice(1)) rig.publish(event);
    rig.timers.settle();
    expect(subscriber.received()).toEqual(range(1, events.length));
  });
});

describe('every subscriber of every feed', () => {
  type Step =
    | { readonly kind: 'event'; readonly feed: number }
    | { readonly kind: 'arrival'; readonly pick: number; readonly isDropped: boolean; readonly isRepeated: boolean }
    | { readonly kind: 'subscribe'; readonly feed: number; readonly behind: number }
    | { readonly kind: 'clog'; readonly pick: number; readonly room: number }
    | { readonly kind: 'drain'; readonly pick: number; readonly room: number }
    | { readonly kind: 'turn' | 'time' | 'missed' };

  const pick = fc.nat({ max: 1_000 });
  const feed = fc.nat({ max: KEYS.length - 1 });
  const room = fc.nat({ max: 5_000 });
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('event' as const), feed }) },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('arrival' as const),
        pick,
        isDropped: fc.boolean(),
        isRepeated: fc.boolean(),
      }),
    },
    fc.record({ kind: fc.constant('subscribe' as const), feed, behind: fc.nat({ max: 20 }) }),
    fc.record({ kind: fc.constant('clog' as const), pick, room }),
    fc.record({ kind: fc.constant('drain' as const), pick, room }),
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('turn' as const, 'time' as const, 'missed' as const) }) },
  );

  /** Events become durable in order. They arrive in any order, repeatedly or never. */
  function run(steps: readonly Step[]): void {
    const rig = new Rig();
    const underway: { n: number; envelope: EventEnvelope }[] = [];
    const subscribers: { readonly key: Key; readonly subscriber: Subscriber }[] = [];
    for (const taken of steps) {
      const picked = 'pick' in taken ? subscribers[taken.pick % (subscribers.length || 1)]?.subscriber : undefined;
      switch (taken.kind) {
        case 'event':
          underway.push(rig.append(KEYS[taken.feed]!));
          break;
        case 'arrival': {
          const event = underway.splice(taken.pick % (underway.length || 1), 1)[0];
          if (event === undefined || taken.isDropped) break;
          rig.publish(event);
          if (taken.isRepeated) underway.push(event);
          break;
        }
        case 'subscribe': {
          const key = KEYS[taken.feed]!;
          const head = rig.reader.feedHead(key);
          subscribers.push({ key, subscriber: rig.subscribe(key, Math.max(0, head - taken.behind)) });
          break;
        }
        case 'clog':
          if (picked !== undefined) picked.socket.room = taken.room;
          break;
        case 'drain':
          picked?.drain(taken.room);
          break;
        case 'turn':
          rig.timers.turn();
          break;
        case 'time':
          rig.timers.pass(2);
          break;
        case 'missed':
          rig.feeds.recheck();
          break;
        default:
          taken satisfies never;
      }
    }
    rig.feeds.recheck();
    for (let rounds = 0; rounds < 20; rounds += 1) {
      for (const { subscriber } of subscribers) subscriber.drain();
      rig.timers.settle();
    }
    for (const { key, subscriber } of subscribers) {
      const head = rig.reader.feedHead(key);
      expect(subscriber.received()).toEqual(range(subscriber.after + 1, head));
      expect(subscriber.lostAfter).toBeNull();
    }
    expect(rig.faults).toEqual([]);
  }

  it('gets every frame once, in order, without a gap', () => {
    fc.assert(fc.property(fc.array(step, { maxLength: 200 }), run), { numRuns: runs(60, 300) });
  });
});
