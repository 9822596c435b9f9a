import { assert, REJECTION_CODES } from '../../src/domain/rejection.js';
import type { OrderEvent } from '../../src/domain/event.js';
import type { Instrument } from '../../src/domain/instrument.js';
import type { ParentState } from '../../src/domain/order-state.js';
import { isGated, type ParentOrder, type Reason } from '../../src/domain/order.js';
import { type FigureName, REASONS } from '../../src/domain/reason.js';
import { record } from '../../src/order/snapshot.js';
import type { OrderRig } from '../order/order-rig.js';

/** Checks the invariants of an ended order against its journal and its venue. */
export function check(rig: OrderRig, instrument: Instrument): void {
  const { state, venue } = rig;
  assert(rig.isOver, `the order has ended, but is ${state.status}`);
  assert(venue.openCount === 0, 'the venue has no open child of an ended order');
  assert(
    state.legs[0].progress.filled === venue.filled,
    `${state.legs[0].progress.filled} filled, ${venue.filled} at the venue`,
  );
  assert(
    state.lateFills > 0 || state.legs[0].progress.filled <= state.order.legs[0].quantity,
    'the order traded at most its quantity',
  );
  checkChildren(rig, instrument);
  const events = rig.events.map(({ event }) => event);
  checkMoney(state, events);
  checkNotes(events);
  const isOneClip =
    state.order.legs[0].strategy === 'ICEBERG' && termsOf(events).every((terms) => !isGated(terms, terms.legs[0]));
  if (isOneClip) checkShown(events);
  checkReplay(rig);
}

/** All terms of the order, starting with those at its creation. */
function termsOf(events: readonly OrderEvent[]): ParentOrder[] {
  return events.flatMap((event) =>
    event.kind === 'ParentCreated' || event.kind === 'ParentAmended' ? event.order : [],
  );
}

/** Checks that children are on the grid and journalled before they are sent, each with its own client id. */
function checkChildren({ venue, events }: OrderRig, { quantityMin, quantityMax, notionalMin }: Instrument): void {
  const journalled = new Set(events.flatMap(({ event }) => (event.kind === 'ChildSubmitted' ? event.order.child : [])));
  const numbers = venue.submissions.map(({ child }) => child);
  assert(new Set(numbers).size === numbers.length, 'no client id is sent twice');
  for (const { child, limitPrice, quantity } of venue.submissions) {
    assert(journalled.has(child), `child ${child} was journalled before it was sent`);
    assert(quantity >= quantityMin && quantity <= quantityMax, `child ${child} of ${quantity} lots`);
    if (limitPrice === null) continue;
    assert(Number.isSafeInteger(limitPrice) && limitPrice > 0, `child ${child} has a price on the grid`);
    assert(limitPrice * quantity >= notionalMin, `child ${child} has at least the minimum notional`);
  }
}

/** Checks that filled quantity and money are the exact sums of the fills, each counted once. */
function checkMoney({ legs }: ParentState, events: readonly OrderEvent[]): void {
  const seen = new Set<number>();
  let [filled, notional] = [0, 0n];
  for (const event of events) {
    if (event.kind !== 'ChildFilled') continue;
    const { tradeId, quantity, price } = event.fill;
    assert(!seen.has(tradeId), `trade ${tradeId} is counted once`);
    seen.add(tradeId);
    filled += quantity;
    notional += BigInt(quantity) * BigInt(price);
  }
  const [{ progress }] = legs;
  assert(progress.filled === filled && progress.notional === notional, 'quantity and money are the sums of the fills');
}

/** Reasons that recur and are noted each time. */
const RECURRENT = new Set(['REMEMBER', 'REFUSED', 'BOOK_LEANS']);

/** Checks that each reason has a code and numbers, and that an order notes the reason of its idleness once per plan. */
function checkNotes(events: readonly OrderEvent[]): void {
  let cause = '';
  for (const event of events) {
    if (event.kind === 'ChildSubmitted') checkReason(event.order.reason, ['filled', 'working', 'bid', 'ask']);
    if (event.kind === 'ChildCancelRequested') checkReason(event.reason, []);
    if (event.kind === 'ChildSubmitted' || event.kind === 'ParentPlanned') cause = '';
    if (event.kind !== 'StrategyNoted') continue;
    const { code } = event.reason;
    checkReason(event.reason, []);
    assert(RECURRENT.has(code) || code !== cause, `${code} is noted once`);
    if (code !== 'REMEMBER') cause = code;
  }
}

/** Checks that a reason has a documented code, the figures or words of its code, and these figures. */
function checkReason({ code, detail, figures = [] }: Reason, known: readonly FigureName[]): void {
  const names: readonly FigureName[] = code in REASONS ? REASONS[code as keyof typeof REASONS].figures : [];
  assert(code in REASONS || (REJECTION_CODES as readonly string[]).includes(code), `${code} is documented`);
  assert(figures.length <= names.length, `${code} has at most ${names.length} figures`);
  assert(code === 'REMEMBER' || figures.length > 0 || detail !== '', `${code} has its figures or words`);
  for (const name of known) {
    const value = figures[names.indexOf(name)] ?? Number.NaN;
    assert(Number.isSafeInteger(value) && value >= 0, `${code} has ${name}: ${value}`);
  }
}

/** Checks that at most one child rests at a time. */
function checkShown(events: readonly OrderEvent[]): void {
  const shown = new Map<number, number>();
  for (const event of events) {
    if (event.kind === 'ChildSubmitted' && event.order.timeInForce === 'GTC') {
      shown.set(event.order.child, event.order.quantity);
      assert(shown.size === 1, 'one clip is shown at a time');
    } else if (event.kind === 'ChildFilled') {
      const rest = (shown.get(event.child) ?? 0) - event.fill.quantity;
      if (rest > 0) shown.set(event.child, rest);
      else shown.delete(event.child);
    } else if (event.kind === 'ChildCancelled' || event.kind === 'ChildRejected' || event.kind === 'ChildNeverPlaced') {
      shown.delete(event.child);
    }
  }
}

/** Checks that a replay of the journal gives the same state, and that each step was valid in its state. */
function checkReplay(rig: OrderRig): void {
  let replayed: ParentState | null = null;
  for (const { event, atMs } of rig.events) {
    if (replayed !== null) checkStep(replayed, event);
    replayed = record(replayed, event, atMs).state;
  }
  assert(rig.isReplayed(), 'a replay gives the same state');
}

/** Checks that a placement obeys the terms at its time, and that a paused order has no child. */
function checkStep({ status, order, amendment, legs }: ParentState, event: OrderEvent): void {
  if (event.kind === 'ParentPaused') assert(legs[0].children.length === 0, 'a paused order has no child');
  if (event.kind !== 'ChildSubmitted') return;
  const { child, limitPrice } = event.order;
  assert(status === 'ACCEPTED' || status === 'PARTIALLY_FILLED', `child ${child} is placed by an order that may trade`);
  assert(amendment === null, `child ${child} is placed when no amendment is pending`);
  const [{ limitPrice: limit, side }] = order.legs;
  if (limit === null) return;
  assert(limitPrice !== null, `child ${child} obeys the limit of ${limit}`);
  assert(side === 'BUY' ? limitPrice <= limit : limitPrice >= limit, `child ${child} at ${limitPrice} inside ${limit}`);
}
