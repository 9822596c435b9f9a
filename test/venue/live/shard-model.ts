import type { VenueOrderId } from '../../../src/domain/ids.js';
import type { EpochMs } from '../../../src/domain/time.js';
import type { ChildSubmission, ChildTarget } from '../../../src/domain/venue-message.js';
import type { ExecutionReport } from '../../../src/domain/venue-report.js';
import type { OrderRequest } from '../../../src/venue/live/order-session.js';
import { nameOf } from './lossy-exchange.js';

const SILENCE_MS = 2_000;

interface ModelChild {
  readonly submission: ChildSubmission;
  readonly submittedAtMs: EpochMs;
  readonly trades: Map<number, number>;
  state: 'IN_FLIGHT' | 'OPEN' | 'UNKNOWN' | 'FILLED' | 'CANCELLED' | 'REFUSED' | 'ABSENT';
  filled: number;
  venueOrderId: VenueOrderId | null;
  askAtMs: number;
  /** True after an answer that the exchange denies the child: an operator must settle it. */
  isDenied: boolean;
}

/**
 * What a shard does with reports, in small: it places a child once, never takes silence for an answer, asks for the
 * status of silent children and of all live ones when the link is back, and counts each trade once.
 */
export class ShardModel {
  readonly children = new Map<string, ModelChild>();
  readonly #send: (request: OrderRequest) => void;
  /** False: children that rest are not asked for any more. */
  asksResting = true;
  #isUp = false;

  constructor(send: (request: OrderRequest) => void) {
    this.#send = send;
  }

  submit(submission: ChildSubmission, nowMs: number): void {
    if (!this.#isUp) return;
    this.#add(submission, nowMs, { state: 'IN_FLIGHT', askAtMs: nowMs + SILENCE_MS });
    this.#send({ kind: 'Submit', ...submission });
  }

  /** A child whose process was killed after it had journalled the child, before or after its sending. */
  restore(submission: ChildSubmission, nowMs: number): void {
    this.#add(submission, nowMs, { state: 'UNKNOWN', askAtMs: nowMs });
  }

  #add(submission: ChildSubmission, nowMs: number, first: Pick<ModelChild, 'state' | 'askAtMs'>): void {
    this.children.set(nameOf(submission), {
      submission,
      submittedAtMs: nowMs as EpochMs,
      trades: new Map(),
      filled: 0,
      venueOrderId: null,
      isDenied: false,
      ...first,
    });
  }

  /** Cancels one of the open children. Returns false while the link is down and when none is open. */
  cancelSome(draw: number, nowMs: number): boolean {
    const open = [...this.children.values()].filter(({ state }) => state === 'OPEN');
    const child = open[Math.floor(draw * open.length)];
    if (child === undefined || !this.#isUp) return false;
    child.askAtMs = nowMs + SILENCE_MS;
    this.#send({ kind: 'Cancel', ...targetOf(child) });
    return true;
  }

  /** Asks for the status of a live child, as after a refused cancel. */
  askSome(draw: number, nowMs: number): void {
    const live = [...this.children.values()].filter(isLive);
    const child = live[Math.floor(draw * live.length)];
    if (child !== undefined && this.#isUp) child.askAtMs = nowMs;
  }

  /** A new shard thread: reports on a child that were not durable are lost. */
  forgetSome(draw: number, nowMs: number): void {
    const live = [...this.children.values()].filter(isLive);
    const child = live[Math.floor(draw * live.length)];
    if (child === undefined) return;
    child.trades.clear();
    child.filled = 0;
    child.state = 'UNKNOWN';
    child.askAtMs = this.#isUp ? nowMs : Infinity;
  }

  setLink(isUp: boolean, nowMs: number): void {
    this.#isUp = isUp;
    for (const child of this.children.values()) {
      if (!isLive(child)) continue;
      child.state = 'UNKNOWN';
      child.askAtMs = isUp ? nowMs : Infinity;
    }
  }

  nextWakeMs(): number {
    let soonest = Infinity;
    for (const { askAtMs } of this.children.values()) soonest = Math.min(soonest, askAtMs);
    return soonest;
  }

  advance(nowMs: number): void {
    for (const child of this.children.values()) {
      if (child.askAtMs > nowMs) continue;
      // A resting child is asked for too: an update may be lost.
      child.askAtMs = isLive(child) && this.#isUp ? nowMs + SILENCE_MS : Infinity;
      if (!isLive(child) || !this.#isUp) continue;
      if (child.state === 'OPEN' && !this.asksResting) continue;
      child.state = 'UNKNOWN';
      this.#send({ kind: 'QueryStatus', ...targetOf(child) });
    }
  }

  take(report: ExecutionReport, nowMs: number): void {
    const child = this.children.get(nameOf(report));
    if (child === undefined) throw new Error(`a report on an unknown child: ${nameOf(report)}`);
    switch (report.kind) {
      case 'Filled':
        return this.#fill(child, report.fill);
      case 'StatusAnswered':
        return this.#answer(child, report);
      case 'Accepted':
        child.venueOrderId ??= report.venueOrderId;
        if (child.state === 'IN_FLIGHT') child.state = 'OPEN';
        return;
      case 'Rejected':
        // Some exchanges accept an order and refuse it then.
        if (child.state === 'IN_FLIGHT' || child.state === 'OPEN') child.state = 'REFUSED';
        return;
      case 'Cancelled':
        // The answer to a status request repeats all fills first.
        if (!isLive(child) || child.state === 'UNKNOWN') return;
        if (report.filled !== child.filled) throw new Error(`the end of ${nameOf(report)} comes before its fills`);
        child.state = 'CANCELLED';
        return;
      case 'CancelRejected':
        child.askAtMs = nowMs;
        return;
      case 'Unreadable':
        throw new Error('an unreadable report');
    }
  }

  #fill(child: ModelChild, { tradeId, quantity }: { readonly tradeId: number; readonly quantity: number }): void {
    const known = child.trades.get(tradeId);
    if (known !== undefined) {
      if (known !== quantity) throw new Error(`trade ${tradeId} has two meanings`);
      return;
    }
    if (child.state === 'ABSENT' || child.state === 'REFUSED') throw new Error('a fill of a child that does not exist');
    child.trades.set(tradeId, quantity);
    child.filled += quantity;
    if (child.filled > child.submission.quantity) throw new Error('more fills than the child has quantity');
    if (child.filled === child.submission.quantity) child.state = 'FILLED';
  }

  #answer(child: ModelChild, { answer, filled }: Extract<ExecutionReport, { kind: 'StatusAnswered' }>): void {
    if (answer.state === 'DENIED') {
      if (filled > child.filled) throw new Error('a denial with more fills than were reported');
      child.isDenied = true;
      return;
    }
    child.isDenied = false;
    if (answer.state === 'UNKNOWN') {
      if (child.venueOrderId !== null) throw new Error('an acknowledged child is answered as absent');
      if (child.filled > 0) throw new Error('a filled child is answered as absent');
      if (child.state === 'UNKNOWN') child.state = 'ABSENT';
      return;
    }
    // An answer about an open order may be older than what is known. Its end is never old.
    const isRight = answer.state === 'OPEN' ? filled <= child.filled : filled === child.filled;
    if (!isRight) throw new Error(`the answer says ${filled} filled, the fills add up to ${child.filled}`);
    if ('venueOrderId' in answer) child.venueOrderId ??= answer.venueOrderId;
    if (child.state !== 'UNKNOWN') return;
    if (answer.state === 'REJECTED') child.state = 'REFUSED';
    else if (answer.state !== 'FILLED') child.state = answer.state;
  }
}

function isLive({ state }: ModelChild): boolean {
  return state === 'IN_FLIGHT' || state === 'OPEN' || state === 'UNKNOWN';
}

function targetOf({ submission, submittedAtMs, venueOrderId }: ModelChild): ChildTarget {
  const { account, venue, orderId, child, instrument } = submission;
  return { account, venue, orderId, child, instrument, submittedAtMs, venueOrderId };
}
