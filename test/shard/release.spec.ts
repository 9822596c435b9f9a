import { describe, expect, it } from 'vitest';
import { orderOf } from './sample-orders.js';
import { ShardRig } from './shard-rig.js';

describe('Nothing leaves before it is on disk', () => {
  it('answers, publishes and sends to the venue only after the commit', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    rig.accept(1, 1);
    rig.cancel(1);
    rig.rest();
    const released = rig.diary.findIndex((line) => line.startsWith('publish') || line.startsWith('send Submit'));
    expect(rig.diary.indexOf('commit')).toBeLessThan(released);
    expect(rig.main.messages).toHaveLength(rig.journal.entries.length);
    expect(rig.venue.requests.map(({ kind }) => kind)).toEqual(['QueryFunds', 'Submit', 'Cancel']);
  });

  it('releases a turn in one order: answers, events, child orders, wake-ups', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    rig.diary.length = 0;
    rig.post({ kind: 'CreateParent', order: orderOf(2) });
    const unknown = rig.cancel(99);
    rig.turn();
    expect(rig.diary).toEqual([
      'commit',
      `refuse ${unknown}`,
      'publish ParentCreated',
      'publish ParentAccepted',
      'publish ParentStarted',
      'publish ChildSubmitted',
      'send Submit',
      'wake venue',
      'wake main',
    ]);
  });

  it('puts create, acceptance and first child into one commit', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    const turns = rig.journal.turns.length;
    rig.create(orderOf(2));
    expect(rig.journal.turns).toHaveLength(turns + 1);
    expect(rig.state(2)?.children).toMatchObject([{ state: 'IN_FLIGHT' }]);
  });

  it('answers a create with its own event, and says what led to the others', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    const correlationId = rig.create(orderOf(2));
    const [created, accepted, started] = rig.journal.entries.slice(-4).map(({ envelope }) => envelope);
    expect(created).toMatchObject({ correlationId, causationSeq: 0, event: { kind: 'ParentCreated' } });
    expect(accepted).toMatchObject({ correlationId: 0, causationSeq: created?.seq });
    expect(started).toMatchObject({ correlationId: 0, causationSeq: created?.seq });
  });

  it('releases nothing of a turn whose commit fails', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    const [messages, requests] = [rig.main.messages.length, rig.venue.requests.length];
    rig.isDiskBroken = true;
    rig.post({ kind: 'CreateParent', order: orderOf(2) });
    rig.cancel(1);
    expect(() => rig.turn()).toThrow('the disk is broken');
    expect(rig.main.messages).toHaveLength(messages);
    expect(rig.venue.requests).toHaveLength(requests);
    expect(rig.state(2)).toBeNull();
  });
});

describe('A shard that is held back', () => {
  it.each([
    ['the venue is behind', (rig: ShardRig, isBehind: boolean) => (rig.venue.isFull = isBehind)],
    ['the main thread is behind', (rig: ShardRig, isBehind: boolean) => (rig.main.isRoomy = !isBehind)],
  ])('leaves commands in their ring and goes on taking reports while %s', (_, hold) => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    hold(rig, true);
    expect(rig.shard.isHeldBack).toBe(true);
    rig.post({ kind: 'CreateParent', order: orderOf(2) });
    rig.accept(1, 1);
    rig.turn();
    expect(rig.inbox.commands).toHaveLength(1);
    expect(rig.state(1)?.children).toMatchObject([{ state: 'OPEN' }]);
    hold(rig, false);
    rig.turn();
    expect(rig.inbox.commands).toHaveLength(0);
    expect(rig.state(2)?.status).toBe('ACCEPTED');
  });
});

describe('Messages that the main thread has no room for', () => {
  it('are left out, told of once there is room, and until then no new command is taken', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    rig.main.isFull = true;
    rig.accept(1, 1);
    rig.turn();
    expect(rig.shard.isHeldBack).toBe(true);
    rig.post({ kind: 'CreateParent', order: orderOf(2) });
    rig.turn();
    expect(rig.inbox.commands).toHaveLength(1);
    expect(rig.diary).not.toContain('missed');
    rig.main.isFull = false;
    rig.rest();
    expect(rig.diary.filter((line) => line === 'missed')).toHaveLength(1);
    expect(rig.shard.isHeldBack).toBe(false);
    rig.rest();
    expect(rig.state(2)?.status).toBe('ACCEPTED');
  });

  it('are told of even when they are answers alone', () => {
    const rig = new ShardRig();
    rig.main.isFull = true;
    rig.cancel(99);
    rig.turn();
    rig.main.isFull = false;
    rig.rest();
    expect(rig.main.messages).toEqual([{ kind: 'Missed' }]);
  });
});
