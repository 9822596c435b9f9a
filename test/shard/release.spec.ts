import { describe, expect, it } from 'vitest';
import { orderOf } from './sample-orders.js';
import { ShardRig } from './shard-rig.js';

describe('The release of a turn', () => {
  it('answers, publishes and sends requests only after the commit', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    rig.accept(1, 1);
    rig.cancel(1);
    rig.rest();
    const released = rig.diary.findIndex((line) => line.startsWith('publish') || line.startsWith('send Submit'));
    expect(rig.diary.indexOf('commit')).toBeLessThan(released);
    // The main thread has published the creation itself.
    expect(rig.main.messages).toHaveLength(rig.journal.entries.length - 1);
    expect(rig.venue.requests.map(({ kind }) => kind)).toEqual(['QueryFunds', 'Submit', 'Cancel']);
  });

  it('releases answers, events, child orders and wake-ups in this order', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    rig.diary.length = 0;
    rig.place(orderOf(2));
    const unknown = rig.cancel(99);
    rig.turn();
    expect(rig.diary).toEqual([
      'commit',
      `refuse ${unknown}`,
      'publish ParentAccepted',
      'publish ParentStarted',
      'publish ChildSubmitted',
      'send Submit',
      'wake venue',
      'wake main',
    ]);
  });

  it('puts the acceptance and the first child of a created order into one commit', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    const turns = rig.journal.turns.length;
    rig.create(orderOf(2));
    expect(rig.journal.turns, 'the creation and the turn').toHaveLength(turns + 2);
    expect(rig.state(2)?.legs[0].children).toMatchObject([{ state: 'IN_FLIGHT' }]);
  });

  it('has the creation of an order as the cause of its first events', () => {
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
    rig.place(orderOf(2));
    rig.cancel(1);
    expect(() => rig.turn()).toThrow('the disk is broken');
    expect(rig.main.messages).toHaveLength(messages);
    expect(rig.venue.requests).toHaveLength(requests);
    expect(rig.state(2)?.status).toBe('PENDING_NEW');
  });
});

describe('A shard with a slow consumer', () => {
  it.each([
    ['the venue is slow', (rig: ShardRig, isBehind: boolean) => (rig.venue.isFull = isBehind)],
    ['the main thread is slow', (rig: ShardRig, isBehind: boolean) => (rig.main.isRoomy = !isBehind)],
  ])('leaves commands in their ring and takes reports while %s', (_, hold) => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    hold(rig, true);
    expect(rig.shard.isBackpressured).toBe(true);
    rig.place(orderOf(2));
    rig.accept(1, 1);
    rig.turn();
    expect(rig.inbox.commands).toHaveLength(1);
    expect(rig.state(1)?.legs[0].children).toMatchObject([{ state: 'OPEN' }]);
    hold(rig, false);
    rig.turn();
    expect(rig.inbox.commands).toHaveLength(0);
    expect(rig.state(2)?.status).toBe('ACCEPTED');
  });
});

describe('Messages without room in the ring of the main thread', () => {
  it('are dropped and reported when there is room; until then the shard takes no command', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    rig.main.isFull = true;
    rig.accept(1, 1);
    rig.turn();
    expect(rig.shard.isBackpressured).toBe(true);
    rig.place(orderOf(2));
    rig.turn();
    expect(rig.inbox.commands).toHaveLength(1);
    expect(rig.diary).not.toContain('missed');
    rig.main.isFull = false;
    rig.rest();
    expect(rig.diary.filter((line) => line === 'missed')).toHaveLength(1);
    expect(rig.shard.isBackpressured).toBe(false);
    rig.rest();
    expect(rig.state(2)?.status).toBe('ACCEPTED');
  });

  it('are reported as dropped even when they are only answers', () => {
    const rig = new ShardRig();
    rig.main.isFull = true;
    rig.cancel(99);
    rig.turn();
    rig.main.isFull = false;
    rig.rest();
    expect(rig.main.messages).toEqual([{ kind: 'Missed' }]);
  });
});
