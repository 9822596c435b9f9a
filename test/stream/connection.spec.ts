import { describe, expect, it } from 'vitest';
import { WS_CLOSE_WAIT_MS_MAX, WS_MESSAGES_BURST_SECONDS } from '../../src/domain/limits/clients.js';
import { Connection } from '../../src/stream/connection.js';
import { KeepAlive } from '../../src/stream/peer.js';
import { FakeSocket } from './fake-socket.js';
import { ManualTimers } from './manual-timers.js';
import { ACCOUNT } from './sample-events.js';
import { holderAt } from './sample-holder.js';

function opened(messageRate = 100) {
  const socket = new FakeSocket();
  const timers = new ManualTimers();
  const endings: Connection[] = [];
  const connection = new Connection({
    socket,
    holder: holderAt(ACCOUNT),
    messageRate,
    nowMs: () => timers.nowMs(),
    flushSoon: queueMicrotask,
    onEnding: (ending) => endings.push(ending),
  });
  const settings = { pingMs: 60_000, silenceMs: 300_000 };
  const keepAlive = new KeepAlive(settings, new Set([connection]), timers);
  const pass = (spanMs: number): void => {
    timers.pass(spanMs);
    keepAlive.sweep();
    if (!connection.isEnding) connection.outbox.flush();
  };
  return { socket, connection, endings, pass };
}

describe('keep-alive', () => {
  it('pings at every interval', () => {
    const { socket, pass } = opened();
    for (let second = 0; second < 200; second += 1) pass(1_000);
    expect(socket.sent).toEqual(['{"topic":"ping"}', '{"topic":"ping"}', '{"topic":"ping"}']);
  });

  it('closes a silent connection with 1001 after the bound, not before', () => {
    const { socket, connection, pass } = opened();
    pass(100_000);
    connection.heardAtMs = 100_000;
    pass(299_999);
    expect(socket.closed).toBeNull();
    pass(1);
    expect(socket.closed?.code).toBe(1001);
  });

  it('sends no pings to a clogged socket', () => {
    const { socket, connection, pass } = opened();
    socket.room = 0;
    connection.outbox.push(Buffer.from('frame'));
    connection.outbox.flush();
    pass(60_000);
    expect(socket.sent).toEqual(['frame']);
  });
});

describe('a connection that ends', () => {
  it('sends queued frames, then the close frame', () => {
    const { socket, connection, endings } = opened();
    connection.outbox.push(Buffer.from('last words'));
    connection.finish(1001, 'bye');
    expect(socket.sent).toEqual(['last words']);
    expect(socket.closed).toEqual({ code: 1001, reason: 'bye' });
    connection.onClosed();
    expect(endings).toEqual([connection]);
  });

  it('waits for a slow socket, so that the close frame is not dropped', () => {
    const { socket, connection, pass } = opened();
    socket.room = 0;
    connection.outbox.push(Buffer.from('frame'));
    connection.finish(1013, 'too slow');
    pass(WS_CLOSE_WAIT_MS_MAX - 1);
    expect(socket.closed).toBeNull();
    socket.read();
    connection.onDrain();
    expect(socket.closed?.code).toBe(1013);
  });

  it('is closed without a close frame when the socket does not drain in time', () => {
    const { socket, connection, pass } = opened();
    socket.room = 0;
    connection.outbox.push(Buffer.from('frame'));
    connection.finish(1013, 'too slow');
    pass(WS_CLOSE_WAIT_MS_MAX);
    expect(socket.closed?.code).toBe(1006);
  });

  it('ends once, also when the client disconnects first', () => {
    const { socket, connection, endings } = opened();
    connection.onClosed();
    connection.finish(1001, 'bye');
    expect(socket.closed).toBeNull();
    expect(endings).toEqual([connection]);
  });
});

describe('the message budget', () => {
  it('allows a burst and then a steady rate', () => {
    const [rate, burst] = [7, 7 * WS_MESSAGES_BURST_SECONDS];
    const { budget } = opened(rate).connection;
    const taken = (nowMs: number, wanted: number): number =>
      Array.from({ length: wanted }, () => budget?.take(1, nowMs)).filter(Boolean).length;
    expect(taken(0, burst + 50)).toBe(burst);
    expect(taken(1_000, burst)).toBe(rate);
  });

  it('has no limit at a rate of 0', () => {
    expect(opened(0).connection.budget).toBeNull();
  });
});
