import type { NumberedEvent, TurnJournal } from '../journal/port.js';
import type { AccountEvent, MarketObserved, OrderEvent, UnnumberedEvent } from '../domain/event.js';
import type { Venue } from '../domain/exchange.js';
import type { Instrument, InstrumentIndex } from '../domain/instrument.js';
import {
  type AccountId,
  type ChildNumber,
  type CorrelationId,
  type OrderId,
  type Seq,
  type VenueTradeId,
} from '../domain/ids.js';
import type { ParentState } from '../domain/order-state.js';
import type { ParentOrder } from '../domain/order.js';
import type { Rejection } from '../domain/rejection.js';
import type { EpochMs } from '../domain/time.js';
import type { VenueRequest } from '../domain/venue-message.js';
import { checkInvariants } from '../order/invariants.js';
import type { Decision } from '../order/decision.js';
import { type RecordedEvent, unnumberedEvent } from '../order/snapshot.js';
import { Actor } from './actor.js';

/** The answer to a command without an event: refused with a rejection, unchanged without one. */
export type Answer = {
  readonly correlationId: CorrelationId;
  readonly orderId: OrderId;
  readonly rejection: Rejection | null;
};

export interface AccountEventHead {
  readonly slot: number;
  readonly account: AccountId;
  /** The order that caused it, if one did. */
  readonly orderId: OrderId | null;
  readonly atMs: EpochMs;
}

export interface ObservationHead {
  readonly slot: number;
  readonly venue: Venue;
  readonly atMs: EpochMs;
}

type Recorded = Pick<Decision, 'recorded'>;

/** A request that leaves in a later turn. */
interface LaterRequest {
  readonly request: VenueRequest;
  readonly atMs: EpochMs;
}

/** Where the turn stands before the work on one order, to return to when that fails. */
export interface BatchMark {
  /** null: the order has ended and has no actor. */
  readonly actor: Actor | null;
  readonly state: ParentState | null;
  readonly isTouched: boolean;
  readonly firstEventOfTurn: number;
  readonly eventCount: number;
  readonly touchedCount: number;
  readonly lateStates: readonly ParentState[];
  readonly answerCount: number;
  readonly requestCount: number;
  readonly laterCount: number;
}

const NO_STATES: readonly ParentState[] = [];

export const NOT_A_COMMAND = 0 as CorrelationId;
/** A market belongs to no account. */
const NO_ACCOUNT = '' as AccountId;

/** What a turn releases when it is durable. */
export interface TurnOutput {
  readonly events: readonly NumberedEvent[];
  readonly answers: readonly Answer[];
  readonly requests: readonly VenueRequest[];
}

/**
 * What one turn has decided. Everything that leaves the thread waits in the journal until the turn's events are on the
 * disk.
 */
export class TurnBatch {
  requests: VenueRequest[] = [];
  /** What is to be sent in later turns. */
  readonly later: LaterRequest[] = [];
  /** Instruments in which orders began, placed or filled in this turn, and those of the fills alone. */
  readonly worked = new Set<InstrumentIndex>();
  readonly filled = new Set<InstrumentIndex>();
  #events: UnnumberedEvent[] = [];
  readonly #touched: Actor[] = [];
  /** Orders whose work began in this turn. */
  readonly #begun: Actor[] = [];
  /** States of orders that have no actor any more (a late fill). */
  readonly #touchedStates: ParentState[] = [];
  #answers: Answer[] = [];
  readonly #trades = new Set<string>();
  #nowMs = 0 as EpochMs;

  begin(nowMs: EpochMs): void {
    this.#nowMs = nowMs;
  }

  /** Service time at which the turn began. */
  get nowMs(): EpochMs {
    return this.#nowMs;
  }

  get isEmpty(): boolean {
    return this.#events.length + this.#answers.length + this.requests.length + this.#begun.length === 0;
  }

  /** Call before the work on one order; nothing else is done until that ends or is rolled back. */
  mark(actor: Actor | null): BatchMark {
    return {
      actor,
      state: actor?.state ?? null,
      isTouched: actor?.isTouched ?? false,
      firstEventOfTurn: actor?.firstEventOfTurn ?? 0,
      eventCount: this.#events.length,
      touchedCount: this.#touched.length,
      lateStates: this.#touchedStates.length === 0 ? NO_STATES : [...this.#touchedStates],
      answerCount: this.#answers.length,
      requestCount: this.requests.length,
      laterCount: this.later.length,
    };
  }

  /** Takes back the events, answers and requests since the mark. Questions about accounts and markets stay. */
  rollBack(mark: BatchMark): void {
    const { actor } = mark;
    if (actor !== null && mark.state !== null) {
      actor.state = mark.state;
      actor.isTouched = mark.isTouched;
      actor.firstEventOfTurn = mark.firstEventOfTurn;
    }
    this.#events.length = mark.eventCount;
    this.#touched.length = mark.touchedCount;
    this.#touchedStates.splice(0, Infinity, ...mark.lateStates);
    this.#answers.length = mark.answerCount;
    this.requests.push(...this.requests.splice(mark.requestCount).filter((request) => !('child' in request)));
    this.later.push(...this.later.splice(mark.laterCount).filter(({ request }) => !('child' in request)));
  }

  /** Begins the work on a durable order. Its creation is the cause of its events of this turn. */
  adopt(state: ParentState, instrument: Instrument, createdSeq: Seq, encodedOrder: Uint8Array | null = null): Actor {
    const actor = new Actor(state, instrument, encodedOrder);
    actor.causeSeq = createdSeq;
    this.#begun.push(actor);
    return actor;
  }

  /** Lists the events of a decision for the journal; the actor takes the state that the decision has folded. */
  add(actor: Actor, { recorded }: Recorded, eventAtMs: EpochMs, correlationId: CorrelationId): void {
    for (const one of recorded) {
      if (!actor.isTouched) this.#touch(actor, this.#events.length);
      // The order's first event of the turn (a command's or a report's) led to the ones after it.
      const causation = actor.causeSeq > 0 ? actor.causeSeq : actor.firstEventOfTurn - this.#events.length;
      this.#list(one, eventAtMs, correlationId, causation);
      actor.state = one.state;
    }
  }

  /** The same for an order that has ended: it has no actor any more. */
  addLate({ recorded }: Recorded, eventAtMs: EpochMs): void {
    for (const one of recorded) this.#list(one, eventAtMs, NOT_A_COMMAND, 0);
    const next = recorded.at(-1)?.state;
    if (next === undefined) return;
    const index = this.#touchedStates.findIndex(({ order }) => order.orderId === next.order.orderId);
    if (index === -1) this.#touchedStates.push(next);
    else this.#touchedStates[index] = next;
  }

  /** State of an ended order that this very turn has touched already; null when it has not. */
  lateState(orderId: OrderId): ParentState | null {
    return this.#touchedStates.find(({ order }) => order.orderId === orderId) ?? null;
  }

  /** True when this turn has already taken this very fill in. */
  noteTrade(orderId: OrderId, child: ChildNumber, tradeId: VenueTradeId): boolean {
    const key = `${orderId}-${child}/${tradeId}`;
    if (this.#trades.has(key)) return true;
    this.#trades.add(key);
    return false;
  }

  /** Lists an event of an account for the journal. */
  addAccountEvent(event: AccountEvent, { slot, account, orderId, atMs }: AccountEventHead): void {
    this.#addFact(event, { slot, account, venue: event.venue, orderId, atMs });
  }

  /** Lists what was seen of a market. `slot`: one of the shard's own. */
  addObservation(event: MarketObserved, { slot, venue, atMs }: ObservationHead): void {
    this.#addFact(event, { slot, account: NO_ACCOUNT, venue, orderId: null, atMs });
  }

  /** Answers a command that made no event: refused with a rejection, unchanged without. */
  answer(correlationId: CorrelationId, orderId: OrderId, rejection: Rejection | null): void {
    this.#answers.push({ correlationId, orderId, rejection });
  }

  /**
   * Hands the turn to the journal, which calls `release` when the turn is durable, now or later. `isAwaited`: the main
   * thread needs the event. Throws JournalFailure, after which nothing more may leave.
   */
  commit(
    journal: TurnJournal,
    release: (output: TurnOutput) => void,
    isAwaited: (event: UnnumberedEvent) => boolean = () => true,
  ): void {
    const states = this.#touched.map((actor) => actor.state);
    states.push(...this.#touchedStates);
    for (const state of states) checkInvariants(state);
    const [answers, requests] = [this.#answers, this.requests];
    const isUrgent = answers.length + requests.length > 0 || this.#events.some((event) => isAwaited(event));
    journal.commit(this.#events, states, (events) => release({ events, answers, requests }), isUrgent);
  }

  /** Calls `handle` with every actor whose state changed in this turn. */
  forEachTouched(handle: (actor: Actor) => void): void {
    for (const actor of this.#touched) handle(actor);
  }

  /** Begins the next turn. The journal still holds the lists of this one. */
  clear(): void {
    for (const actor of this.#touched) actor.isTouched = false;
    for (const actor of this.#begun) actor.causeSeq = 0;
    this.#begun.length = 0;
    this.#events = [];
    this.#touched.length = 0;
    this.#touchedStates.length = 0;
    this.#answers = [];
    this.#trades.clear();
    this.worked.clear();
    this.filled.clear();
    this.requests = [];
    this.later.length = 0;
  }

  /** Of no order's life. */
  #addFact(
    event: AccountEvent | MarketObserved,
    { slot, account, venue, orderId, atMs }: AccountEventHead & ObservationHead,
  ): void {
    this.#events.push({
      slot,
      account,
      venue,
      otherVenue: null,
      orderId,
      eventAtMs: atMs,
      recordedAtMs: this.#nowMs,
      correlationId: NOT_A_COMMAND,
      causationSeq: 0,
      event,
      parent: null,
      child: null,
    });
  }

  #touch(actor: Actor, firstEvent: number): void {
    actor.isTouched = true;
    actor.firstEventOfTurn = firstEvent;
    this.#touched.push(actor);
  }

  /** Notes the markets of both legs of a pair: to miss none matters more than which of the two it was. */
  #noteMarkets({ legs }: ParentOrder, { kind }: OrderEvent): void {
    const isFill = kind === 'ChildFilled';
    if (!isFill && kind !== 'ChildSubmitted' && kind !== 'ParentStarted') return;
    for (const { instrument } of legs) {
      this.worked.add(instrument);
      if (isFill) this.filled.add(instrument);
    }
  }

  #list(recorded: RecordedEvent, eventAtMs: EpochMs, correlationId: CorrelationId, causationSeq: number): void {
    this.#noteMarkets(recorded.state.order, recorded.event);
    this.#events.push(unnumberedEvent(recorded, { eventAtMs, recordedAtMs: this.#nowMs, correlationId, causationSeq }));
  }
}
