import { describe, expect, it } from 'vitest';
import type { ChildSettlement } from '../../src/domain/child-settlement.js';
import type { Command } from '../../src/domain/command.js';
import type { ChildNumber } from '../../src/domain/ids.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import { ChildSettler } from '../../src/intake/order-control.js';
import type { ShardClient } from '../../src/intake/shard-client.js';
import { acknowledged, given, orderOf, submitted, unknown, WORKABLE } from '../order/orders.js';

const SETTLEMENT: ChildSettlement = {
  orderId: orderOf().orderId,
  child: 1 as ChildNumber,
  filled: 50 as Lots,
  price: 6_400_000 as Ticks,
  reason: 'seen',
  by: 'kim',
};

/** One sweep over one pending settlement, with the state that the store has. */
function swept(state: ParentState | null, isUp = true) {
  const sent: Command[] = [];
  const lines: string[] = [];
  const pending = [SETTLEMENT];
  const link = { isUp, send: (command: Command) => sent.push(command) } as unknown as ShardClient;
  const note = (facts: object, message: string): void => void lines.push(`${message} ${JSON.stringify(facts)}`);
  new ChildSettler({
    links: [link],
    settlements: { pending: () => [...pending], settle: () => void pending.splice(0) },
    storedState: () => state,
    log: { info: note, warn: note },
  }).sweep();
  return { sent, lines, isPending: pending.length > 0 };
}

const lost = given([...WORKABLE, submitted(1), acknowledged(1), unknown(1)]);

describe('the settlements that operators requested', () => {
  it('go to the shard until the store shows the end', () => {
    expect(swept(lost)).toEqual({
      sent: [{ kind: 'SettleChild', correlationId: 0, ...SETTLEMENT }],
      lines: [],
      isPending: true,
    });
    expect(swept(lost, false)).toMatchObject({ sent: [], isPending: true });
  });

  it.each([
    ['the child has ended', given([...WORKABLE])],
    ['there is no such order', null],
  ])('are removed when %s', (_what, state) => {
    const { sent, lines, isPending } = swept(state);
    expect([sent, isPending]).toEqual([[], false]);
    expect(lines).toEqual([expect.stringContaining('a child order that an operator settled has ended')]);
  });

  it('are removed with a warning when the exchange has answered meanwhile', () => {
    const { sent, lines, isPending } = swept(given([...WORKABLE, submitted(1), acknowledged(1)]));
    expect([sent, isPending]).toEqual([[], false]);
    expect(lines).toEqual([expect.stringContaining('is OPEN, not UNKNOWN')]);
  });
});
