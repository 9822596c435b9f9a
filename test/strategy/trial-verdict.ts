import { assert } from '../../src/model/assert.js';
import type { OrderEvent } from '../../src/model/event.js';
import type { Instrument } from '../../src/model/instrument.js';
import { isGated, type ParentOrder, type ParentState, type Reason } from '../../src/model/order.js';
import { record } from '../../src/order/standing.js';
import type { Desk } from '../order/desk.js';

/** What must hold of an order that is over, by its journal and by what its venue saw. */
export function judge(desk: Desk, instrument: Instrument): void {
  const { state, venue } = desk;
  assert(desk.isOver, `it has ended, but is ${state.status}`);
  assert(venue.openCount === 0, 'nothing of it is left at the venue');
  assert(state.progress.filled === venue.filled, `${state.progress.filled} filled, ${venue.filled} at the venue`);
  assert(state.lateFills > 0 || state.progress.filled <= state.order.quantity, 'it traded no more than was asked');
  judgeChildren(desk, instrument);
  const events = desk.events.map(({ event }) => event);
  judgeMoney(state, events);
  judgeNotes(events);
  const isOneClip = state.order.strategy === 'ICEBERG' && termsOf(events).every((terms) => !isGated(terms));
  if (isOneClip) judgeShown(events);
  judgeReplay(desk);
}

/** All terms that the order has had, the first of them those it was created with. */
function termsOf(events: readonly OrderEvent[]): ParentOrder[] {
  return events.flatMap((event) =>
    event.kind === 'ParentCreated' || event.kind === 'ParentAmended' ? event.order : [],
  );
}

/** On the grid, journalled before they were sent, each client id once. */
function judgeChildren({ venue, events }: Desk, { quantityMin, quantityMax, notionalMin }: Instrument): void {
  const journalled = new Set(events.flatMap(({ event }) => (event.kind === 'ChildSubmitted' ? event.order.child : [])));
  const numbers = venue.submissions.map(({ child }) => child);
  assert(new Set(numbers).size === numbers.length, 'no client id is sent twice');
  for (const { child, limitPrice, quantity } of venue.submissions) {
    assert(journalled.has(child), `child ${child} was journalled before it was sent`);
    assert(quantity >= quantityMin && quantity <= quantityMax, `child ${child} of ${quantity} lots`);
    if (limitPrice === null) continue;
    assert(Number.isSafeInteger(limitPrice) && limitPrice > 0, `child ${child} lies on the grid`);
    assert(limitPrice * quantity >= notionalMin, `child ${child} has the least notional`);
  }
}

/** Filled quantity and money are the exact sums of the fills, each counted once. */
function judgeMoney({ progress }: ParentState, events: readonly OrderEvent[]): void {
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
  assert(progress.filled === filled && progress.notional === notional, 'quantity and money are the sums of the fills');
}

/** Causes that come and go, and are told whenever they come. */
const RECURRENT = new Set(['REMEMBER', 'REFUSED', 'BOOK_LEANS']);

/** Everything has a code and its numbers, and standing still for a cause is told once, until it is planned anew. */
function judgeNotes(events: readonly OrderEvent[]): void {
  let cause = '';
  for (const event of events) {
    if (event.kind === 'ChildSubmitted') judgeReason(event.order.reason, /filled=\d+ working=\d+ bid=\d+ ask=\d+/);
    if (event.kind === 'ChildCancelRequested') judgeReason(event.reason, /./);
    if (event.kind === 'ChildSubmitted' || event.kind === 'ParentPlanned') cause = '';
    if (event.kind !== 'StrategyNoted') continue;
    const { code } = event.reason;
    if (code !== 'REMEMBER') judgeReason(event.reason, /\d/);
    assert(RECURRENT.has(code) || code !== cause, `${code} is noted once`);
    if (code !== 'REMEMBER') cause = code;
  }
}

function judgeReason({ code, detail }: Reason, numbers: RegExp): void {
  assert(/^[A-Z_]+$/.test(code), `a reason has a code, not '${code}'`);
  assert(numbers.test(detail), `${code} has its numbers: ${detail}`);
}

/** The quantity of each child that rests, until it is filled or over. */
function judgeShown(events: readonly OrderEvent[]): void {
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

/** What the journal says is what is, and each step of it was right when it was taken. */
function judgeReplay({ state, events }: Desk): void {
  let replayed: ParentState | null = null;
  for (const { event, atMs } of events) {
    if (replayed !== null) judgeStep(replayed, event);
    replayed = record(replayed, event, atMs).state;
  }
  assert(text(replayed) === text(state), 'a replay gives the same state');
}

/** What is placed obeys the terms of its moment, and nothing of a paused order is left at the venue. */
function judgeStep({ status, order, amendment, children }: ParentState, event: OrderEvent): void {
  if (event.kind === 'ParentPaused') assert(children.length === 0, 'a paused order has no child');
  if (event.kind !== 'ChildSubmitted') return;
  const { child, limitPrice } = event.order;
  assert(status === 'ACCEPTED' || status === 'PARTIALLY_FILLED', `child ${child} is placed by an order that may trade`);
  assert(amendment === null, `child ${child} is placed when its terms are settled`);
  const { limitPrice: limit, side } = order;
  if (limit === null) return;
  assert(limitPrice !== null, `child ${child} obeys the limit of ${limit}`);
  assert(side === 'BUY' ? limitPrice <= limit : limitPrice >= limit, `child ${child} at ${limitPrice} inside ${limit}`);
}

function text(state: ParentState | null): string {
  return JSON.stringify(state, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}
