import { describe, expect, it } from 'vitest';
import { BodyRoom } from '../../src/http/request-body.js';
import { BODY_WAIT_MS_MAX } from '../../src/domain/limits/clients.js';

const nothing = (): void => undefined;

describe('the memory for partly received bodies', () => {
  it('gives one address at most half of its bytes, so other addresses can still send', () => {
    const room = new BodyRoom(1_000);
    const fill = (subscriber: number): number => {
      let count = 0;
      while (room.open(subscriber, 0, nothing).take(10)) count += 1;
      return count;
    };
    expect(fill(1)).toBe(50);
    expect(fill(2)).toBe(25);
    expect(fill(3)).toBeGreaterThan(0);
    expect(room.heldBytes).toBeLessThanOrEqual(1_000);
  });

  it('is free again when bodies are complete, refused or gone', () => {
    const room = new BodyRoom(100);
    const bodies = [room.open(1, 0, nothing), room.open(1, 0, nothing)];
    expect(bodies.map((body) => body.take(20))).toEqual([true, true]);
    expect(bodies[0]?.take(21)).toBe(false);
    expect(room.heldBytes).toBe(20);
    for (const body of bodies) body.close();
    for (const body of bodies) body.close();
    expect(room.heldBytes).toBe(0);
  });

  it('cuts the connection of a body that takes too long', () => {
    const room = new BodyRoom(100);
    const cut: number[] = [];
    const open = (number: number, nowMs: number) => {
      const body = room.open(number, nowMs, () => {
        cut.push(number);
        body.close();
      });
      return body;
    };
    open(1, 0).take(10);
    open(2, 10).take(10);
    open(3, 0).close();
    expect(room.cutOverdue(BODY_WAIT_MS_MAX - 1)).toBe(0);
    expect(room.cutOverdue(BODY_WAIT_MS_MAX)).toBe(1);
    expect([cut, room.heldBytes]).toEqual([[1], 10]);
  });
});
