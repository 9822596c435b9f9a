import { describe, expect, it } from 'vitest';
import {
  STREAM_MESSAGE_GAP_MS,
  STREAM_NAMES_PER_MESSAGE_MAX,
  STREAM_REFUSED_AGAIN_MS,
  STREAMS_PER_SOCKET_MAX,
  SUBSCRIBE_WAIT_MS_MAX,
} from '../../../../src/domain/limits/live.js';
import { SocketStreams, StreamPool } from '../../../../src/venue/live/market/stream-subscriptions.js';

function openStreams(names: readonly string[], confirmsEachName = false): SocketStreams {
  const streams = new SocketStreams({ confirmsEachName });
  for (const name of names) streams.want(name);
  streams.opened(0);
  return streams;
}

describe('the streams of a socket', () => {
  it('sends nothing before the socket is open', () => {
    const streams = new SocketStreams();
    streams.want('a');
    expect(streams.take(0)).toBeNull();
    streams.opened(0);
    expect(streams.take(0)).toMatchObject({ isSubscribe: true, names: ['a'] });
  });

  it('bounds the names of a message and the messages in time', () => {
    const streams = new SocketStreams();
    for (let name = 0; name < STREAM_NAMES_PER_MESSAGE_MAX + 5; name += 1) streams.want(`s${name}`);
    streams.opened(1_000);
    expect(streams.take(1_000)!.names.length).toBe(STREAM_NAMES_PER_MESSAGE_MAX);
    expect(streams.take(1_000 + STREAM_MESSAGE_GAP_MS - 1)).toBeNull();
    expect(streams.take(1_000 + STREAM_MESSAGE_GAP_MS)!.names.length).toBe(5);
    expect(streams.take(1_000 + 2 * STREAM_MESSAGE_GAP_MS)).toBeNull();
  });

  it('confirms names by the answer, and subscribes to them again after a cut', () => {
    const streams = new SocketStreams();
    streams.want('a');
    streams.opened(0);
    const { id } = streams.take(0)!;
    expect(streams.isConfirmed('a')).toBe(false);
    expect(streams.confirmed(id)).toEqual(['a']);
    expect(streams.isConfirmed('a')).toBe(true);
    streams.cut();
    expect(streams.isConfirmed('a')).toBe(false);
    streams.opened(1_000);
    expect(streams.take(1_000)).toMatchObject({ isSubscribe: true, names: ['a'] });
  });

  it('waits for a confirmation of each name where the exchange sends them one by one', () => {
    const streams = new SocketStreams({ namesPerMessageMax: 2, confirmsEachName: true });
    for (const name of ['a', 'b', 'c']) streams.want(name);
    streams.opened(0);
    const { id, names } = streams.take(0)!;
    expect(names).toEqual(['a', 'b']);
    expect(streams.confirmed(id)).toEqual([]);
    expect(streams.isConfirmed('a')).toBe(false);
    expect(streams.confirmed(id)).toEqual(['a', 'b']);
    expect(streams.confirmed(id)).toEqual([]);
    expect(streams.isConfirmed('b')).toBe(true);
  });

  it('unsubscribes from a name and subscribes to it again when its stream must begin again', () => {
    const streams = new SocketStreams();
    streams.want('a');
    streams.renew('a');
    streams.opened(0);
    // It begins anyway.
    streams.confirmed(streams.take(0)!.id);
    expect(streams.take(STREAM_MESSAGE_GAP_MS)).toBeNull();
    streams.renew('a');
    streams.renew('a');
    expect(streams.take(STREAM_MESSAGE_GAP_MS)).toMatchObject({ isSubscribe: false, names: ['a'] });
    expect(streams.take(2 * STREAM_MESSAGE_GAP_MS)).toMatchObject({ isSubscribe: true, names: ['a'] });
    expect(streams.take(3 * STREAM_MESSAGE_GAP_MS)).toBeNull();
    streams.renew('a');
    streams.cut();
    streams.opened(10_000);
    expect(streams.take(10_000)).toMatchObject({ isSubscribe: true, names: ['a'] });
    expect(streams.take(11_000)).toBeNull();
  });

  it('unsubscribes from a name that nothing wants', () => {
    const streams = new SocketStreams();
    streams.want('a');
    streams.opened(0);
    streams.confirmed(streams.take(0)!.id);
    streams.unwant('a');
    expect(streams.take(STREAM_MESSAGE_GAP_MS)).toMatchObject({ isSubscribe: false, names: ['a'] });
    expect(streams.isConfirmed('a')).toBe(false);
  });

  it('lets a stream begin again that is wanted again before its unsubscribe message is sent', () => {
    const streams = new SocketStreams();
    streams.want('a');
    streams.want('a');
    streams.opened(0);
    streams.confirmed(streams.take(0)!.id);
    streams.want('a');
    expect(streams.take(STREAM_MESSAGE_GAP_MS)).toBeNull();
    streams.unwant('a');
    streams.want('a');
    expect(streams.take(STREAM_MESSAGE_GAP_MS)).toMatchObject({ isSubscribe: false, names: ['a'] });
    expect(streams.take(2 * STREAM_MESSAGE_GAP_MS)).toMatchObject({ isSubscribe: true, names: ['a'] });
    expect(streams.take(3 * STREAM_MESSAGE_GAP_MS)).toBeNull();
  });

  it('is silent when a message has no confirmation in time', () => {
    const streams = new SocketStreams();
    streams.want('a');
    streams.opened(0);
    const { id } = streams.take(0)!;
    expect(streams.isSilent(SUBSCRIBE_WAIT_MS_MAX)).toBe(false);
    expect(streams.isSilent(SUBSCRIBE_WAIT_MS_MAX + 1)).toBe(true);
    streams.confirmed(id);
    expect(streams.isSilent(SUBSCRIBE_WAIT_MS_MAX + 1)).toBe(false);
  });
});

describe('a refused subscribe message', () => {
  const GAP = STREAM_MESSAGE_GAP_MS;
  const LATE_MS = SUBSCRIBE_WAIT_MS_MAX + 1;

  it('is sent again name by name, after other names, and a name that is refused alone waits', () => {
    const streams = openStreams(['a', 'bad', 'b']);
    streams.refused(streams.take(0)!.id, 0);
    streams.want('c');
    const sent: string[] = [];
    for (let atMs = GAP; atMs < 10 * GAP; atMs += GAP) {
      const command = streams.take(atMs);
      if (command === null) continue;
      sent.push(command.names.join());
      if (command.names.includes('bad')) streams.refused(command.id, atMs);
      else streams.confirmed(command.id);
    }
    expect(sent).toEqual(['c', 'a', 'bad', 'b']);
    expect(['a', 'b', 'c', 'bad'].filter((name) => streams.isConfirmed(name))).toEqual(['a', 'b', 'c']);
    expect(streams.isSilent(LATE_MS + 10 * GAP)).toBe(false);
    expect(streams.take(3 * GAP + STREAM_REFUSED_AGAIN_MS - 1)).toBeNull();
    expect(streams.take(3 * GAP + STREAM_REFUSED_AGAIN_MS)).toMatchObject({ isSubscribe: true, names: ['bad'] });
  });

  it('keeps its name away from the others also after a cut, until nothing wants it', () => {
    const streams = openStreams(['bad', 'a']);
    streams.refused(streams.take(0)!.id, 0);
    streams.refused(streams.take(GAP)!.id, GAP);
    streams.cut();
    streams.opened(10 * GAP);
    expect(streams.take(10 * GAP)!.names).toEqual(['a']);
    expect(streams.take(11 * GAP)).toBeNull();
    streams.unwant('bad');
    streams.want('bad');
    expect(streams.take(12 * GAP)!.names).toEqual(['bad']);
  });

  it('is found by its silence where the exchange names neither the message nor the stream that it refuses', () => {
    const streams = openStreams(['a', 'bad', 'b'], true);
    const { id } = streams.take(0)!;
    streams.confirmed(id, 'a');
    streams.refused(null, 10);
    streams.confirmed(id, 'b');
    expect(streams.take(LATE_MS)).toBeNull();
    expect(streams.isSilent(LATE_MS)).toBe(false);
    expect(['a', 'b', 'bad'].filter((name) => streams.isConfirmed(name))).toEqual(['a', 'b']);
    expect(streams.take(LATE_MS + STREAM_REFUSED_AGAIN_MS)!.names).toEqual(['bad']);
    // Without a new refusal the connection itself is silent.
    const laterMs = 2 * LATE_MS + STREAM_REFUSED_AGAIN_MS;
    streams.take(laterMs);
    expect(streams.isSilent(laterMs)).toBe(true);
  });
});

describe('a pool of sockets', () => {
  it('opens a socket for each full share of streams, and closes empty ones', () => {
    const closed: unknown[] = [];
    const pool = new StreamPool(
      () => ({ streams: new SocketStreams() }),
      (socket) => closed.push(socket),
    );
    const names = new Set(Array.from({ length: STREAMS_PER_SOCKET_MAX + 1 }, (_, name) => `s${name}`));
    pool.want(names);
    expect([...pool.sockets].map(({ streams }) => streams.count)).toEqual([STREAMS_PER_SOCKET_MAX, 1]);
    const [first] = pool.sockets;
    names.delete(`s${STREAMS_PER_SOCKET_MAX}`);
    pool.want(names);
    expect([...pool.sockets]).toEqual([first]);
    expect(closed.length).toBe(1);
    pool.want(new Set());
    expect([...pool.sockets]).toEqual([]);
  });
});
