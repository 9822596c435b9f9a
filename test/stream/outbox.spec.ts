import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { WS_FLUSH_BYTES, WS_PRIVATE_BACKLOG_BYTES_MAX } from '../../src/domain/limits/clients.js';
import { Outbox } from '../../src/stream/outbox.js';
import { FakeSocket } from './fake-socket.js';

function opened(): { socket: FakeSocket; outbox: Outbox; overflows: () => number } {
  const socket = new FakeSocket();
  let overflows = 0;
  const outbox = new Outbox(socket, () => (overflows += 1));
  return { socket, outbox, overflows: () => overflows };
}

const microtasks = () => Promise.resolve();
const KIB = Buffer.alloc(1024, 'x');

describe('an outbox', () => {
  it('sends the frames of one turn together', async () => {
    const { socket, outbox } = opened();
    outbox.push(Buffer.from('a'));
    outbox.push(Buffer.from('b'));
    expect(socket.sent).toEqual([]);
    await microtasks();
    expect(socket.sent).toEqual(['a', 'b']);
    expect(socket.corkCount).toBe(1);
  });

  it('sends a long run of frames before the turn ends', () => {
    const { socket, outbox } = opened();
    for (let bytes = 0; bytes < WS_FLUSH_BYTES; bytes += KIB.byteLength) outbox.push(KIB);
    expect(socket.sent).toHaveLength(WS_FLUSH_BYTES / KIB.byteLength);
  });

  it('waits until a clogged socket drains and continues in order', async () => {
    const { socket, outbox } = opened();
    socket.room = 2;
    for (const text of ['aa', 'bb', 'cc', 'dd']) outbox.push(Buffer.from(text));
    await microtasks();
    expect(outbox.isClogged).toBe(true);
    expect(socket.sent).toEqual(['aa', 'bb']);
    socket.read(1);
    outbox.onDrain();
    expect(socket.sent).toEqual(['aa', 'bb', 'cc']);
    socket.read();
    outbox.onDrain();
    expect(socket.sent).toEqual(['aa', 'bb', 'cc', 'dd']);
    expect(outbox.isClogged).toBe(false);
  });

  it('keeps a frame that the socket refused', async () => {
    const { socket, outbox } = opened();
    socket.room = 0;
    socket.backlogBytesMax = 0;
    socket.send(KIB);
    outbox.push(Buffer.from('kept'));
    await microtasks();
    expect(socket.sent).not.toContain('kept');
    socket.read();
    outbox.onDrain();
    expect(socket.sent).toContain('kept');
  });

  it('reports an overflow once and drops later frames', async () => {
    const { socket, outbox, overflows } = opened();
    socket.room = 0;
    for (let bytes = 0; bytes < 2 * WS_PRIVATE_BACKLOG_BYTES_MAX; bytes += KIB.byteLength) outbox.push(KIB);
    await microtasks();
    expect(overflows()).toBe(1);
    const sentBefore = socket.sent.length;
    socket.read();
    outbox.onDrain();
    expect(socket.sent).toHaveLength(sentBefore);
  });

  it('loses, repeats and reorders no frame for a client of any speed', async () => {
    const action = fc.oneof(
      fc.record({ push: fc.integer({ min: 1, max: 200 }) }),
      fc.record({ read: fc.nat({ max: 300 }) }),
      fc.constant('turn' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
        const { socket, outbox } = opened();
        socket.room = 100;
        socket.backlogBytesMax = 150;
        const pushed: string[] = [];
        for (const taken of actions) {
          if (taken === 'turn') await microtasks();
          else if ('push' in taken) {
            pushed.push(`${pushed.length}`.padEnd(taken.push, '.'));
            outbox.push(Buffer.from(pushed.at(-1) ?? ''));
          } else {
            socket.read(taken.read);
            outbox.onDrain();
          }
        }
        await microtasks();
        socket.read();
        outbox.onDrain();
        expect(socket.sent).toEqual(pushed);
      }),
    );
  });
});
