import { describe, expect, it } from 'vitest';
import { SESSION_FLOOD_WAIT_MS_MAX } from '../../src/domain/limits/clients.js';
import { Session, type SessionRequest } from '../../src/stream/session.js';
import { UnpaidFrames } from '../../src/stream/unpaid-frames.js';
import { holderAt } from './sample-holder.js';
import { FakeSocket } from './fake-socket.js';

interface Rig {
  /** The clock in milliseconds, and whether the sockets of ended clients may remain for a close frame. */
  readonly ways: { nowMs: number; mayLinger: boolean };
  readonly socket: FakeSocket;
  readonly session: Session;
  /** Begins the requests 1 to `count`. */
  readonly begin: (count: number) => SessionRequest[];
}

function rig(): Rig {
  const socket = new FakeSocket();
  const ways = { nowMs: 0, mayLinger: true };
  const session = new Session({
    socket,
    address: new ArrayBuffer(4),
    nowMs: () => ways.nowMs,
    soon: (run) => run(),
    mayLinger: () => ways.mayLinger,
    unpaid: new UnpaidFrames(),
    onFlood: () => undefined,
    onEnding: () => undefined,
  });
  const begin = (count: number): SessionRequest[] =>
    Array.from({ length: count }, (_, index) => session.begin({ id: `${index + 1}`, op: 'order.create' }));
  return { ways, socket, session, begin };
}

describe('the end of a session that floods', () => {
  const holder = { ...holderAt('greedy'), creates: null };

  it('has a close frame with the reason', () => {
    const { socket, session } = rig();
    session.holder = holder;
    expect([session.endFlood(null), session.isEnding]).toEqual([false, false]);
    expect(session.endFlood('too many')).toBe(true);
    expect(socket.closed).toEqual({ code: 1008, reason: 'too many' });
  });

  it('waits for a client that does not read, but not for long', () => {
    const made = rig();
    made.session.holder = holder;
    made.socket.room = 0;
    made.session.send({ id: 'a', op: 'pong' }, 200, '{}');
    made.session.endFlood('too many');
    made.ways.nowMs = SESSION_FLOOD_WAIT_MS_MAX - 1;
    made.session.cutWhenOverdue(made.ways.nowMs);
    expect(made.socket.closed).toBeNull();
    made.session.cutWhenOverdue(SESSION_FLOOD_WAIT_MS_MAX);
    expect(made.socket.closed).toEqual({ code: 1006, reason: '' });
  });

  it('is at once and without a close frame while many end', () => {
    const made = rig();
    made.session.holder = holder;
    made.ways.mayLinger = false;
    made.session.endFlood('too many');
    expect([made.socket.closed, made.session.endCode]).toEqual([{ code: 1006, reason: '' }, 1008]);
  });
});

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
