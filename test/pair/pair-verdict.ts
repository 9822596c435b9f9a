import { assert } from '../../src/model/assert.js';
import { isOrderEvent } from '../../src/model/event.js';
import type { Instrument } from '../../src/model/instrument.js';
import { isTerminal, type ParentOrder, type ParentState } from '../../src/model/order.js';
import { isFollowers } from '../../src/model/pair.js';
import { record } from '../../src/order/standing.js';
import { encodeState } from '../../src/wire/codec/index.js';
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
}

/** What must hold of a pair that is over, by its journal and by what its venues saw. Throws what does not. */
export function judge(
  world: PairWorld,
  order: ParentOrder,
  instruments: readonly [Instrument, Instrument],
): PairVerdict {
  const { state } = world;
  assert(state !== null && isTerminal(state.status), `it has ended, but is ${state?.status}`);
  judgeVenues(world, state);
  judgeReplay(world, state);
  const [lead, other] = instruments.map(({ quantityPrecision }) => 10 ** -quantityPrecision) as [number, number];
  const follower = state.follower?.progress.filled ?? 0;
  const whole = order.pair!.legs[1].quantity;
  // Told in base units, by nothing but the ratio of the quantities.
  const gap = Math.abs((state.progress.filled / order.quantity - follower / whole) * whole * other);
  const short = gap / Math.max(lead, (lead * whole * other) / (order.quantity * lead), other);
  const code = state.outcome?.code ?? null;
  if (code === 'SLIPPAGE_EXCEEDED' && state.outcome?.message.includes('unhedged') === true) {
    assert(/\d+(\.\d+)? BTC of BTC\/USDT at \w+ are unhedged/.test(state.outcome.message), 'it names what is unhedged');
    return { status: state.status, code, short: 0, isBelowLeast: false, hedged: 0, leggingBps: 0 };
  }
  const least = leastOf(instruments[1]) * other + leastOf(instruments[0]) * lead;
  assert(state.lateFills > 0 || gap < least + Math.max(lead, other), `${gap} BTC are not hedged, code ${code}`);
  return { status: state.status, code, short, isBelowLeast: short >= 1, ...leggingOf(world, order) };
}

/** At any price of these markets. */
function leastOf({ quantityMin, notionalMin }: Instrument): number {
  return Math.max(quantityMin, Math.ceil(notionalMin / 6_000_000));
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

/** What the journal says is what is, to the byte. */
function judgeReplay({ journal }: PairWorld, state: ParentState): void {
  let replayed: ParentState | null = null;
  for (const { envelope } of journal.entries) {
    if (isOrderEvent(envelope.event)) replayed = record(replayed, envelope.event, envelope.eventAtMs).state;
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
      owed.push({ part: event.fill.quantity / leadWhole, mid: mids.get(recordedAtMs) ?? event.fill.price });
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
