import { expect, it } from 'vitest';
import type { CorrelationId } from '../../src/domain/ids.js';
import type { NumberedEvent } from '../../src/journal/port.js';
import { createMemory } from '../../src/runtime/shared-memory.js';
import { RingMainOutbox } from '../../src/shard/ring-ports.js';
import { BellRinger } from '../../src/wire/bell.js';
import { encodeUnnumberedEvent } from '../../src/wire/codec/envelope.js';
import { FollowedAccounts } from '../../src/wire/followed-accounts.js';
import { RingConsumer } from '../../src/wire/ring.js';
import { ACCEPTED } from '../stream/sample-events.js';
import { CATALOGUE } from './sample-orders.js';

function world() {
  const memory = createMemory(1, CATALOGUE);
  const [shard] = memory.shards;
  const events = new RingConsumer(shard!.events);
  const outbox = new RingMainOutbox(shard!, new BellRinger(memory.mainBell));
  return { outbox, followed: new FollowedAccounts(memory.followed), taken: () => events.drain(10, () => undefined) };
}

function eventOf(correlationId: number): NumberedEvent {
  const envelope = { ...ACCEPTED, correlationId: correlationId as CorrelationId };
  return { envelope, bytes: encodeUnnumberedEvent(envelope), marks: [{ topic: 'order', n: 1 }] };
}

it('publishes the events of followed accounts only', () => {
  const { outbox, followed, taken } = world();
  expect(outbox.needs(eventOf(0).envelope)).toBe(false);
  expect(outbox.publish(eventOf(0))).toBe(true);
  expect(taken()).toBe(0);
  followed.add(ACCEPTED.account);
  expect(outbox.needs(eventOf(0).envelope)).toBe(true);
  expect(outbox.publish(eventOf(0))).toBe(true);
  expect(taken()).toBe(1);
  followed.remove(ACCEPTED.account);
  outbox.publish(eventOf(0));
  expect(taken()).toBe(0);
});

it('publishes an event that answers a command of any account', () => {
  const { outbox, taken } = world();
  expect(outbox.needs(eventOf(7).envelope)).toBe(true);
  outbox.publish(eventOf(7));
  expect(taken()).toBe(1);
});
