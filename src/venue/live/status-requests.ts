import { LOOK_UPS_IN_FLIGHT_MAX } from '../../domain/limits/live.js';
import type { EpochMs } from '../../domain/time.js';
import type { ChildTarget } from '../../domain/venue-message.js';
import type { LookUpAnswer, OrderClient } from './exchange-client.js';

/** A request for the status of one child: it is looked up again and again until an answer can be relied on. */
export interface StatusRequest {
  target: ChildTarget;
  /** A shard waits for StatusAnswered. Else only missing fills and a missing end are wanted. */
  isWanted: boolean;
  /** When the last look-up was sent: of this child, or of another one that spoke for it. */
  lookedAtMs: EpochMs;
  /** When the first look after the fence was sent that found nothing. null: there is none since the order was found. */
  missingSinceMs: EpochMs | null;
  /** Looks in a row that denied an order which the exchange has shown. */
  denials: number;
  /** Looks whose answer could not be relied on. */
  failures: number;
}

/** When the child is looked up again; null: the request is answered. */
type Verdict = EpochMs | null;

type Judge = (request: StatusRequest, answer: LookUpAnswer, nowMs: EpochMs) => Verdict;

interface StatusRequestsParts {
  readonly client: Pick<OrderClient, 'lookUp' | 'lookInLists'>;
  readonly judge: Judge;
  /** True when a look-up at this time may show that the order is absent. */
  readonly isFinal: (target: ChildTarget, nowMs: EpochMs) => boolean;
}

/**
 * The status requests of one account, at most one for a child. Bounds the look-ups under way. After as many look-ups in
 * a row without an answer the exchange is out of order: then one look-up at a time speaks for all requests that are
 * due, so that an outage uses little of the limits, however many children are open.
 *
 * A look-up that denies an order after its fence continues in the lists of its instrument. While the exchange is in
 * order it leaves its place to the next one, so that one reading of the lists serves as many orders as possible: a
 * crash may leave hundreds of children that never arrived.
 */
export class StatusRequests {
  readonly #parts: StatusRequestsParts;
  readonly #open = new Map<string, StatusRequest>();
  /** Due requests that wait, each with the time of its next look-up. */
  readonly #waiting = new Map<StatusRequest, number>();
  #inFlight = 0;
  /** Requests that wait for the lists. */
  #inLists = 0;
  /** Look-ups in a row whose answer said nothing. */
  #unanswered = 0;

  constructor(parts: StatusRequestsParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#open.size;
  }

  /** The child of an open request; null: there is none about it. */
  targetOf(child: Pick<ChildTarget, 'orderId' | 'child'>): ChildTarget | null {
    return this.#open.get(nameOf(child))?.target ?? null;
  }

  ask(target: ChildTarget, isWanted: boolean, nowMs: EpochMs): void {
    const known = this.#open.get(nameOf(target));
    if (known !== undefined) {
      known.isWanted ||= isWanted;
      // The time of an order in a list or an update is that of its latest change: its first fills are older.
      if (target.submittedAtMs < known.target.submittedAtMs) known.target = target;
      return;
    }
    const request = { target, isWanted, lookedAtMs: nowMs, missingSinceMs: null, denials: 0, failures: 0 };
    this.#open.set(nameOf(target), request);
    this.#waiting.set(request, nowMs);
    this.advance(nowMs);
  }

  /** Looks the child up at once, also when an open request waits after failures: the connection is a new one. */
  askNow(target: ChildTarget, nowMs: EpochMs): void {
    const known = this.#open.get(nameOf(target));
    if (known === undefined) return this.ask(target, false, nowMs);
    known.failures = 0;
    this.#unanswered = 0;
    if (this.#waiting.has(known)) this.#waiting.set(known, nowMs);
    this.advance(nowMs);
  }

  advance(nowMs: EpochMs): void {
    for (const [request, dueMs] of this.#waiting) {
      if (!this.#hasPlace) return;
      if (dueMs <= nowMs) this.#lookUp(request, nowMs);
    }
  }

  nextWakeMs(): number {
    if (!this.#hasPlace) return Infinity;
    let soonest = Infinity;
    for (const dueMs of this.#waiting.values()) soonest = Math.min(soonest, dueMs);
    return soonest;
  }

  get #isOutOfOrder(): boolean {
    return this.#unanswered >= LOOK_UPS_IN_FLIGHT_MAX;
  }

  get #hasPlace(): boolean {
    return this.#isOutOfOrder ? this.#inFlight + this.#inLists === 0 : this.#inFlight < LOOK_UPS_IN_FLIGHT_MAX;
  }

  #lookUp(request: StatusRequest, nowMs: EpochMs): void {
    this.#waiting.delete(request);
    this.#inFlight += 1;
    request.lookedAtMs = nowMs;
    const { client, isFinal } = this.#parts;
    client.lookUp(request.target, (answer, answeredAtMs) => {
      this.#inFlight -= 1;
      if (answer.kind === 'absent' && isFinal(request.target, nowMs)) this.#lookInLists(request);
      else this.#onAnswer(request, answer, answeredAtMs);
      this.advance(answeredAtMs);
    });
  }

  #lookInLists(request: StatusRequest): void {
    this.#inLists += 1;
    this.#parts.client.lookInLists(request.target, (answer, answeredAtMs) => {
      this.#inLists -= 1;
      this.#onAnswer(request, answer, answeredAtMs);
      this.advance(answeredAtMs);
    });
  }

  #onAnswer(request: StatusRequest, answer: LookUpAnswer, nowMs: EpochMs): void {
    this.#unanswered = answer.kind === 'unknown' ? this.#unanswered + 1 : 0;
    const { lookedAtMs } = request;
    this.#settle(request, answer, nowMs);
    if (this.#isOutOfOrder) this.#failDue(lookedAtMs, nowMs);
  }

  #settle(request: StatusRequest, answer: LookUpAnswer, nowMs: EpochMs): void {
    const again = this.#parts.judge(request, answer, nowMs);
    if (again !== null) return void this.#waiting.set(request, again);
    this.#open.delete(nameOf(request.target));
    this.#waiting.delete(request);
  }

  /** A look-up has failed: so would those of the other requests that are due. */
  #failDue(lookedAtMs: EpochMs, nowMs: EpochMs): void {
    for (const [request, dueMs] of this.#waiting) {
      if (dueMs > nowMs) continue;
      request.lookedAtMs = lookedAtMs;
      this.#settle(request, { kind: 'unknown' }, nowMs);
    }
  }
}

function nameOf({ orderId, child }: Pick<ChildTarget, 'orderId' | 'child'>): string {
  return `${orderId}-${child}`;
}
