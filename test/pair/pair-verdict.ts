import { assert } from '../../src/model/assert.js';
import { isOrderEvent } from '../../src/model/event.js';
import type { Instrument } from '../../src/model/instrument.js';
import { isTerminal, type ParentOrder, type ParentState } from '../../src/model/order.js';
import { isFollowers } from '../../src/model/pair.js';
import { record } from '../../src/order/standing.js';
import { encodeState } from '../../src/wire/codec/index.js';
import { MID } from './pair-orders.js';
import { leastOf, PairWatch } from './pair-watch.js';
import type { PairWorld } from './pair-world.js';

/** What one pair came to. */
export interface PairVerdict {
  readonly status: ParentState['status'];
  readonly code: string | null;
  /** Lots of the larger grid that one leg ended short of the other. */
  readonly short: number;
  /** True when the order says that they are too few for the venue. */
  readonly isBelowLeast: boolean;
  /** Base units hedged, and what that cost against the pair's price when the leading leg filled, in basis points of it. */
  readonly hedged: number;
  readonly leggingBps: number;
  /** False where neither leg leads. */
  readonly isLed: boolean;
  /** Most that was unhedged, as a part of what may be. */
  readonly worstShare: number;
  readonly topUps: number;
  readonly amendments: number;
}

/** What must hold of a pair that is over, by its journal and by what its venues saw. Throws what does not. */
export function judge(world: PairWorld, instruments: readonly [Instrument, Instrument]): PairVerdict {
  const { state } = world;
  assert(state !== null && isTerminal(state.status), `it has ended, but is ${state?.status}`);
  const { order } = state;
  judgeVenues(world, state);
  const watch = new PairWatch(instruments);
  judgeCourse(world, state, watch);
  const [lead, other] = instruments.map(({ quantityPrecision }) => 10 ** -quantityPrecision) as [number, number];
  const follower = state.follower?.progress.filled ?? 0;
  const whole = order.pair!.legs[1].quantity;
  // Told in base units, by nothing but the ratio of the quantities.
  const gap = Math.abs((state.progress.filled / order.quantity - follower / whole) * whole * other);
  const short = gap / Math.max(lead, (lead * whole * other) / (order.quantity * lead), other);
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

function judgeVenues({ sites }: PairWorld, { progress, follower }: ParentState): void {
  const [lead, other] = sites.map(({ venue }) => venue);
  assert(lead !== undefined && other !== undefined, 'there are two venues');
  assert(lead.openCount + other.openCount === 0, 'nothing of it is left at a venue');
  assert(progress.filled === lead.filled, `${progress.filled} filled, ${lead.filled} at the venue`);
  assert(
    follower?.progress.filled === other.filled,
    `${follower?.progress.filled} hedged, ${other.filled} at the venue`,
  );
}

/** What the journal says is what is, to the byte; and every event of it keeps to the rules. */
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

/** Each hedge against the price that its own market had when the leading leg filled, first fill first. */
function leggingOf({ journal, mids }: PairWorld, order: ParentOrder): Pick<PairVerdict, 'hedged' | 'leggingBps'> {
  const owed: { part: number; readonly mid: number }[] = [];
  const [leadWhole, otherWhole] = [order.quantity, order.pair!.legs[1].quantity];
  const sign = order.pair!.legs[1].side === 'BUY' ? 1 : -1;
  let [hedged, cost] = [0, 0];
  for (const { envelope } of journal.entries) {
    const { event, recordedAtMs } = envelope;
    if (event.kind !== 'ChildFilled') continue;
    if (!isFollowers(order, event.child)) {
      owed.push({ part: event.fill.quantity / leadWhole, mid: mids[1].get(recordedAtMs) ?? event.fill.price });
      continue;
    }
    let part = event.fill.quantity / otherWhole;
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
