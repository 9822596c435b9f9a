import { assert } from '../../src/domain/rejection.js';
import { isOrderEvent } from '../../src/domain/event.js';
import type { Instrument } from '../../src/domain/instrument.js';
import type { ParentState } from '../../src/domain/order-state.js';
import { isTerminal, type ParentOrder } from '../../src/domain/order.js';
import { hedgingIndexOf, legAt } from '../../src/domain/pair.js';
import { leadingIndexOf, leadingLeg } from '../../src/domain/order-legs.js';
import { record } from '../../src/order/snapshot.js';
import { encodeState } from '../../src/wire/codec/state.js';
import { MID } from './pair-orders.js';
import { leastOf, PairWatch } from './pair-watch.js';
import type { PairWorld } from './pair-world.js';
import type { Lots } from '../../src/domain/quantity.js';

/** Result of one pair. */
export interface PairVerdict {
  readonly status: ParentState['status'];
  readonly code: string | null;
  /** Final deficit of one leg, in lots of the larger grid. */
  readonly short: number;
  /** True when the order reports a deficit below the minimum of the venue. */
  readonly isBelowLeast: boolean;
  /** Hedged base units, and their cost in basis points against the hedge market at the fills of the leading leg. */
  readonly hedged: number;
  readonly leggingBps: number;
  /** False when neither leg leads. */
  readonly isLed: boolean;
  /** Largest unhedged quantity, as a share of its maximum. */
  readonly worstShare: number;
  readonly topUps: number;
  readonly amendments: number;
}

/** Checks an ended pair by its journal and the orders at its venues. Throws the first violation. */
export function judge(world: PairWorld, instruments: readonly [Instrument, Instrument]): PairVerdict {
  const { state } = world;
  assert(state !== null && isTerminal(state.status), `it has ended, but is ${state?.status}`);
  const { order } = state;
  judgeVenues(world, state);
  const watch = new PairWatch(instruments);
  judgeCourse(world, state, watch);
  const [lead, other] = instruments.map(({ quantityPrecision }) => 10 ** -quantityPrecision) as [number, number];
  const [led, hedged] = state.legs.map(({ progress }) => progress.filled) as [Lots, Lots];
  const [leadWhole, whole] = order.legs.map(({ quantity }) => quantity) as [Lots, Lots];
  // In base units, by the ratio of the quantities.
  const gap = Math.abs((led / leadWhole - hedged / whole) * whole * other);
  const short = gap / Math.max(lead, (lead * whole * other) / (leadWhole * lead), other);
  const code = state.outcome?.code ?? null;
  const counts = { topUps: counted(world, 'TOP_UP'), amendments: order.revision };
  const course = { status: state.status, code, isLed: order.pair!.isLed, worstShare: watch.worstShare, ...counts };
  if (code === 'SLIPPAGE_EXCEEDED' && state.outcome?.message.includes('unhedged') === true) {
    assert(/\d+(\.\d+)? BTC of BTC\/USDT at \w+ are unhedged/.test(state.outcome.message), 'it names what is unhedged');
    return { ...course, short: 0, isBelowLeast: false, hedged: 0, leggingBps: 0 };
  }
  const least = leastOf(instruments[1]) * other + leastOf(instruments[0]) * lead;
  assert(state.lateFills > 0 || gap < least + Math.max(lead, other), `${gap} BTC are not hedged, code ${code}`);
  const isBelowLeast = short >= 1;
  assert(
    !isBelowLeast || state.lateFills > 0 || /the rest of .* is below the exchange's minimum/.test(messageOf(state)),
    `${short} lots are not hedged, and the order says nothing of it: ${messageOf(state)}`,
  );
  return { ...course, short, isBelowLeast, ...leggingOf(world, order) };
}

function messageOf({ outcome }: ParentState): string {
  return outcome?.message ?? '';
}

function counted({ journal }: PairWorld, code: string): number {
  return journal.entries.filter(
    ({ envelope: { event } }) => event.kind === 'ChildSubmitted' && event.order.reason.code === code,
  ).length;
}

function judgeVenues({ sites }: PairWorld, { legs }: ParentState): void {
  const [led, hedged] = legs.map(({ progress }) => progress.filled);
  const [lead, other] = sites.map(({ venue }) => venue);
  assert(lead !== undefined && other !== undefined, 'there are two venues');
  assert(lead.openCount + other.openCount === 0, 'nothing of it is left at a venue');
  assert(led === lead.filled, `${led} filled, ${lead.filled} at the venue`);
  assert(hedged === other.filled, `${hedged} hedged, ${other.filled} at the venue`);
}

/** Checks that a replay gives the state to the byte and that every event keeps the rules. */
function judgeCourse({ journal, mids }: PairWorld, state: ParentState, watch: PairWatch): void {
  let replayed: ParentState | null = null;
  for (const { envelope } of journal.entries) {
    const { event, eventAtMs, recordedAtMs } = envelope;
    if (!isOrderEvent(event)) continue;
    const before: ParentState | null = replayed;
    replayed = record(before, event, eventAtMs).state;
    if (before !== null) watch.see(before, event, replayed, mids[0].get(recordedAtMs) ?? MID);
  }
  assert(
    replayed !== null && Buffer.compare(encodeState(replayed), encodeState(state)) === 0,
    'a replay gives the same',
  );
}

/** Cost of the hedges against the mid of their market at the fills of the leading leg, first fill first. */
function leggingOf({ journal, mids }: PairWorld, order: ParentOrder): Pick<PairVerdict, 'hedged' | 'leggingBps'> {
  const owed: { part: number; readonly mid: number }[] = [];
  const [lead, other] = [leadingLeg(order), legAt(order.legs, hedgingIndexOf(order.pair!))];
  const sign = other.side === 'BUY' ? 1 : -1;
  let [hedged, cost] = [0, 0];
  for (const { envelope } of journal.entries) {
    const { event, recordedAtMs } = envelope;
    if (event.kind !== 'ChildFilled') continue;
    if (event.leg === leadingIndexOf(order)) {
      owed.push({ part: event.fill.quantity / lead.quantity, mid: mids[1].get(recordedAtMs) ?? event.fill.price });
      continue;
    }
    let part = event.fill.quantity / other.quantity;
    while (part > 1e-12 && owed.length > 0) {
      const first = owed[0]!;
      const taken = Math.min(part, first.part);
      cost += taken * sign * (event.fill.price / first.mid - 1) * 10_000;
      hedged += taken;
      part -= taken;
      first.part -= taken;
      if (first.part <= 1e-12) owed.shift();
    }
  }
  return { hedged, leggingBps: hedged === 0 ? 0 : cost / hedged };
}
