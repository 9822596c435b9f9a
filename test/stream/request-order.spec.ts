import { expect, it } from 'vitest';
import { WS_REQUESTS_WAITING_PER_ACCOUNT_MAX } from '../../src/domain/limits/clients.js';
import { Connection } from '../../src/stream/connection.js';
import { TRY_AGAIN_LATER } from '../../src/stream/outbox.js';
import { RequestOrder } from '../../src/stream/request-order.js';
import { FakeSocket } from './fake-socket.js';
import { MemoryReader } from './memory-reader.js';
import { ACCOUNT, OTHER_ACCOUNT } from './sample-events.js';
import { holderAt } from './sample-holder.js';

class Rig {
  readonly reader = new MemoryReader();
  readonly ran: string[] = [];
  readonly failures: unknown[] = [];
  readonly order = new RequestOrder({
    whenComplete: this.reader.whenComplete,
    onFailure: (_connection, error) => this.failures.push(error),
  });

  connect(account = ACCOUNT): { connection: Connection; socket: FakeSocket } {
    const socket = new FakeSocket();
    const connection = new Connection({
      socket,
      holder: holderAt(account),
      messageRate: 0,
      nowMs: () => 0,
      flushSoon: () => undefined,
      onEnding: () => undefined,
    });
    return { connection, socket };
  }

  wait(connection: Connection, name: string): void {
    this.order.whenStored(
      connection,
      () => this.ran.push(name),
      () => this.ran.push(`${name} is over`),
    );
  }
}

it('runs requests at once while none waits, and behind one that waits', () => {
  const rig = new Rig();
  const { connection } = rig.connect();
  rig.order.inOrder(connection, () => rig.ran.push('first'));
  rig.reader.reads.hold();
  rig.wait(connection, 'subscribe');
  rig.order.inOrder(connection, () => rig.ran.push('unsubscribe'));
  rig.order.inOrder(rig.connect().connection, () => rig.ran.push('other connection'));
  expect(rig.ran).toEqual(['first', 'other connection']);
  rig.reader.reads.run();
  expect(rig.ran.slice(2)).toEqual(['subscribe', 'subscribe is over', 'unsubscribe']);
});

it('closes a connection that waits too long, and runs nothing for one that has closed', () => {
  const rig = new Rig();
  const { connection, socket } = rig.connect();
  rig.reader.reads.hold();
  rig.wait(connection, 'one');
  rig.wait(connection, 'other');
  rig.reader.reads.fail();
  expect(rig.ran).toEqual(['one is over', 'other is over']);
  expect(socket.closed?.code).toBe(TRY_AGAIN_LATER);
});

it('closes the connection of an account with too many waiting requests, not those of others', () => {
  const rig = new Rig();
  rig.reader.reads.hold();
  const connections = [rig.connect(), rig.connect()];
  for (let count = 0; count < WS_REQUESTS_WAITING_PER_ACCOUNT_MAX; count += 1) {
    rig.wait(connections[count % 2]!.connection, 'waiting');
  }
  rig.wait(connections[0]!.connection, 'one more');
  rig.wait(rig.connect(OTHER_ACCOUNT).connection, 'other account');
  expect(rig.ran).toEqual(['one more is over']);
  expect(connections.map(({ socket }) => socket.closed?.code)).toEqual([TRY_AGAIN_LATER, undefined]);
  rig.reader.reads.run();
  expect(rig.ran.filter((name) => name === 'waiting')).toHaveLength(WS_REQUESTS_WAITING_PER_ACCOUNT_MAX / 2);
  expect(rig.ran).toContain('other account');
  rig.wait(connections[1]!.connection, 'again');
  rig.reader.reads.run();
  expect(rig.ran.slice(-2)).toEqual(['again', 'again is over']);
});
