import { describe, expect, it } from 'vitest';
import { Session, type SessionRequest } from '../../src/stream/session.js';
import { UnpaidFrames } from '../../src/stream/unpaid-frames.js';
import { FakeSocket } from './fake-socket.js';

interface Rig {
  readonly socket: FakeSocket;
  readonly session: Session;
  /** Begins the requests 1 to `count`. */
  readonly begin: (count: number) => SessionRequest[];
}

function rig(): Rig {
  const socket = new FakeSocket();
  const session = new Session({
    socket,
    address: new ArrayBuffer(4),
    nowMs: () => 0,
    soon: (run) => run(),
    mayLinger: () => true,
    unpaid: new UnpaidFrames(),
    onFlood: () => undefined,
    onEnding: () => undefined,
  });
  const begin = (count: number): SessionRequest[] =>
    Array.from({ length: count }, (_, index) => session.begin({ id: `${index + 1}`, op: 'order.create' }));
  return { socket, session, begin };
}

describe('requests of a session', () => {
  it('answers each request once, in any order', () => {
    const { socket, session, begin } = rig();
    const requests = begin(20);
    for (const request of requests.toReversed()) {
      expect(request.isOpen).toBe(true);
      request.answer(200, '{}');
      request.answer(500, '{}');
      expect(request.isOpen).toBe(false);
    }
    session.outbox.flush();
    const ids = socket.sent.map((frame) => Number((JSON.parse(frame) as { id: string }).id));
    expect(ids).toEqual(Array.from({ length: 20 }, (_, index) => 20 - index));
    expect(session.waiting.size).toBe(0);
  });

  it('calls the listeners of the waiting requests once at the end of the session, the oldest first', () => {
    const { socket, session, begin } = rig();
    const requests = begin(12);
    const gone: number[] = [];
    for (const [index, request] of requests.slice(1).entries()) request.onGone(() => gone.push(index + 2));
    for (const index of [3, 7]) requests[index]!.answer(200, '{}');
    session.finish(1000, 'done');
    session.onClosed();
    expect(gone).toEqual([2, 3, 5, 6, 7, 9, 10, 11, 12]);
    expect(socket.sent).toHaveLength(2);
    expect(requests.some(({ isOpen }) => isOpen)).toBe(false);
  });

  it('sends no answer that a listener gives at the end of the session', () => {
    const { socket, session, begin } = rig();
    const [first, second] = begin(2) as [SessionRequest, SessionRequest];
    first.onGone(() => second.answer(200, '{}'));
    session.onClosed();
    session.outbox.flush();
    expect([socket.sent, session.waiting.size]).toEqual([[], 0]);
  });
});
