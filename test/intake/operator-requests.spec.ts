import { describe, expect, it } from 'vitest';
import type { ChildSettlement } from '../../src/domain/child-settlement.js';
import type { Command } from '../../src/domain/command.js';
import type { ChildNumber, OrderId } from '../../src/domain/ids.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import { OperatorRequests } from '../../src/intake/operator-requests.js';
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

interface Pending {
  readonly settlements?: ChildSettlement[];
  readonly releases?: OrderId[];
}

/** One sweep over the pending requests, with the state that the store has. */
function swept({ settlements = [], releases = [] }: Pending, state: ParentState | null, isUp = true) {
  const sent: Command[] = [];
  const lines: string[] = [];
  const link = { isUp, send: (command: Command) => sent.push(command) } as unknown as ShardClient;
  const note = (facts: object, message: string): void => void lines.push(`${message} ${JSON.stringify(facts)}`);
  new OperatorRequests({
    links: [link],
    settlements: { pending: () => [...settlements], settle: () => void settlements.shift() },
    releases: { pending: () => [...releases], settle: () => void releases.shift() },
    storedState: () => state,
    log: { info: note, warn: note },
  }).sweep();
  return { sent, lines, isPending: settlements.length + releases.length > 0 };
}

const settled = (state: ParentState | null, isUp = true) => swept({ settlements: [SETTLEMENT] }, state, isUp);
const released = (state: ParentState | null) => swept({ releases: [SETTLEMENT.orderId] }, state);

const lost = given([...WORKABLE, submitted(1), acknowledged(1), unknown(1)]);

describe('the settlements that operators requested', () => {
  it('go to the shard until the store shows the end', () => {
    expect(settled(lost)).toEqual({
      sent: [{ kind: 'SettleChild', correlationId: 0, ...SETTLEMENT }],
      lines: [],
      isPending: true,
    });
    expect(settled(lost, false)).toMatchObject({ sent: [], isPending: true });
  });

  it.each([
    ['the child has ended', given([...WORKABLE])],
    ['there is no such order', null],
  ])('are removed when %s', (_what, state) => {
    const { sent, lines, isPending } = settled(state);
    expect([sent, isPending]).toEqual([[], false]);
    expect(lines).toEqual([expect.stringContaining('a child order that an operator settled has ended')]);
  });

  it('are removed with a warning when the exchange has answered meanwhile', () => {
    const { sent, lines, isPending } = settled(given([...WORKABLE, submitted(1), acknowledged(1)]));
    expect([sent, isPending]).toEqual([[], false]);
    expect(lines).toEqual([expect.stringContaining('is OPEN, not UNKNOWN')]);
  });
});

describe('the releases that operators requested', () => {
  const quarantined = given([...WORKABLE, { kind: 'ParentQuarantined', code: 'CONTRADICTORY_REPORT', detail: '' }]);

  it('go to the shard until the store shows the release', () => {
    expect(released(quarantined)).toEqual({
      sent: [{ kind: 'ReleaseParent', correlationId: 0, orderId: SETTLEMENT.orderId }],
      lines: [],
      isPending: true,
    });
  });

  it.each([
    ['the store shows the release', given([...WORKABLE])],
    ['there is no such order', null],
  ])('are removed when %s', (_what, state) => {
    const { sent, lines, isPending } = released(state);
    expect([sent, isPending]).toEqual([[], false]);
    expect(lines).toEqual([expect.stringContaining('an operator released a quarantined order')]);
  });
});
