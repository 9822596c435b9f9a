import { describe, expect, it } from 'vitest';
import { KILL_SWITCH_CAUSE } from '../../src/domain/cancel-cause.js';
import type { AccountId, ApiKeyId } from '../../src/domain/ids.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import { isHaltedFor, type TradingHalt } from '../../src/domain/command.js';
import { OrderEntry, TradingGate } from '../../src/intake/trading-gate.js';
import type { ChangeOutcome, OrderChange } from '../../src/domain/command.js';
import { parentOrder, parentState } from '../http/orders.js';
import { type FlatTerms, withTerms } from '../domain/plain-order.js';

const ALICE = 'alice' as AccountId;
const BOB = 'bob' as AccountId;
const KEY = 'KEY' as ApiKeyId;

function haltOf(change: Partial<TradingHalt> = {}): TradingHalt {
  return { reason: 'RESTORED', sinceMs: 1, message: 'the data was restored', exempt: [], ...change };
}

describe('The trading gate', () => {
  it('is open without a halt', () => {
    const gate = new TradingGate();
    expect([gate.refusalOf(ALICE), gate.mode, gate.halts]).toEqual([null, { isHalted: false, exempt: [] }, []]);
  });

  it('refuses every account except the exempt ones, with the reason', () => {
    const gate = new TradingGate();
    gate.halt(haltOf({ exempt: [BOB] }));
    expect(gate.refusalOf(ALICE)).toEqual({
      code: 'SYSTEM_BUSY',
      message: 'trading is halted: the data was restored',
      reason: 'TRADING_HALTED',
    });
    expect(gate.refusalOf(BOB)).toBeNull();
    expect(gate.mode).toEqual({ isHalted: true, exempt: [BOB] });
  });

  it('exempts an account when each of several halts exempts it', () => {
    const gate = new TradingGate();
    gate.halt(haltOf({ exempt: [ALICE, BOB] }));
    gate.halt(haltOf({ reason: 'DISK_FULL', message: 'the disk is full', exempt: [ALICE] }));
    expect(gate.mode).toEqual({ isHalted: true, exempt: [ALICE] });
    expect(gate.refusalOf(BOB)?.message).toContain('the disk is full');
  });

  it('halts one account alone, beside the halts of all', () => {
    const gate = new TradingGate();
    gate.halt(haltOf({ reason: 'DISK_FULL', message: 'the account writes the most', only: ALICE }));
    expect([gate.refusalOf(ALICE)?.message, gate.refusalOf(BOB)]).toEqual([
      'trading is halted: the account writes the most',
      null,
    ]);
    expect(gate.mode).toEqual({ isHalted: false, exempt: [], halted: [ALICE] });
    gate.halt(haltOf({ exempt: [ALICE, BOB] }));
    expect(gate.mode).toEqual({ isHalted: true, exempt: [ALICE, BOB], halted: [ALICE] });
    expect([ALICE, BOB].map((account) => isHaltedFor(gate.mode, account))).toEqual([true, false]);
    gate.halt(haltOf({ reason: 'DISK_FULL' }));
    expect(gate.refusalOf(BOB)).not.toBeNull();
  });

  it('opens when the last reason is lifted, and reports each change', () => {
    const gate = new TradingGate();
    const seen: number[] = [];
    gate.onChange(() => seen.push(gate.halts.length));
    gate.halt(haltOf());
    gate.halt(haltOf({ reason: 'DISK_FULL' }));
    gate.lift('RESTORED');
    gate.lift('RESTORED');
    gate.lift('DISK_FULL');
    expect([seen, gate.refusalOf(ALICE)]).toEqual([[1, 2, 1, 0], null]);
  });
});

describe('OrderEntry for a halted account', () => {
  const state = parentState();
  const { account, orderId } = state.order;
  const amended = (change: Partial<FlatTerms>): OrderChange => ({
    kind: 'AmendParent',
    order: withTerms(state.order, { revision: 1, ...change }),
  });

  function outcomeOf(change: OrderChange): ChangeOutcome {
    const gate = new TradingGate();
    gate.halt(haltOf());
    const entry = new OrderEntry({
      gate,
      storedState: () => state,
      risk: {
        create: () => expect.fail('an order was created'),
        change: (_change, answer) => answer({ kind: 'pending', orderId }),
        review: (_draft, _by, answer) => answer([]),
      },
    });
    let outcome: ChangeOutcome | null = null;
    entry.change(change, (answer) => (outcome = answer), KEY);
    return outcome!;
  }

  it('refuses a create before a risk limit counts it, and a preview shows the refusal', () => {
    const gate = new TradingGate();
    gate.halt(haltOf());
    const entry = new OrderEntry({
      gate,
      storedState: () => null,
      risk: {
        create: () => expect.fail('an order was created'),
        change: () => expect.fail('an order was changed'),
        review: (_draft, _by, answer) => answer([{ code: 'INVALID_QUANTITY', message: 'too much' }]),
      },
    });
    const answers: unknown[] = [];
    entry.create(parentOrder(), (outcome) => answers.push(outcome), KEY);
    entry.review(parentOrder(), KEY, (refusals) => answers.push(refusals.map(({ code }) => code)));
    expect(answers).toMatchObject([
      { kind: 'refused', rejection: { code: 'SYSTEM_BUSY' } },
      ['SYSTEM_BUSY', 'INVALID_QUANTITY'],
    ]);
  });

  it.each([
    ['a cancel', { kind: 'CancelParent', account, orderId, cancelCause: KILL_SWITCH_CAUSE } as const],
    ['a pause', { kind: 'PauseParent', account, orderId } as const],
    ['an amendment to less', amended({ quantity: (state.order.legs[0].quantity - 1) as Lots })],
    ['an amendment of the limit', amended({ limitPrice: 5_000_000 as Ticks })],
  ])('accepts %s', (_name, change) => {
    expect(outcomeOf(change)).toEqual({ kind: 'pending', orderId });
  });

  it.each([
    ['a resume', { kind: 'ResumeParent', account, orderId } as const],
    ['an amendment to more', amended({ quantity: (state.order.legs[0].quantity + 1) as Lots })],
  ])('refuses %s', (_name, change) => {
    expect(outcomeOf(change)).toMatchObject({ kind: 'refused', rejection: { code: 'SYSTEM_BUSY' } });
  });
});
