import { assert } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import {
  type ChildRef,
  placementClassOf,
  REQUEST_CLASSES,
  type RequestClass,
  type VenueRequest,
} from '../../domain/venue-message.js';

/** Requests that count against the throttle. Venues count queries about accounts and markets separately. */
export type ChildRequest = Extract<VenueRequest, ChildRef>;

export function requestClassOf(request: ChildRequest): RequestClass {
  switch (request.kind) {
    case 'Submit':
      return placementClassOf(request);
    case 'Cancel':
      return 'CANCEL';
    case 'QueryStatus':
      return request.requestClass ?? 'STATUS';
    default:
      return request satisfies never;
  }
}

const RANKS = Object.fromEntries(REQUEST_CLASSES.map((name, rank) => [name, rank])) as Record<RequestClass, number>;

/** Rank of a class; 0 is the most urgent. */
export function rankOf(requestClass: RequestClass): number {
  return RANKS[requestClass];
}

/** True for a class that may use the reserve of a throttle. */
export function isUrgent(requestClass: RequestClass): boolean {
  return requestClass === 'CANCEL' || requestClass === 'HEDGE';
}

/** A waiting request and the thread that gets its answer. */
export class WaitingRequest {
  readonly request: ChildRequest;
  readonly requestClass: RequestClass;
  readonly sinceMs: EpochMs;
  /** The thread that asked last gets the answer. */
  origin: number;
  previous: WaitingRequest | null = null;
  following: WaitingRequest | null = null;

  constructor(request: ChildRequest, requestClass: RequestClass, origin: number, sinceMs: EpochMs) {
    this.request = request;
    this.requestClass = requestClass;
    this.origin = origin;
    this.sinceMs = sinceMs;
  }
}

/** Requests of one class in order of arrival. Removal is possible at any position. */
class ClassQueue {
  #first: WaitingRequest | null = null;
  #last: WaitingRequest | null = null;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get first(): WaitingRequest | null {
    return this.#first;
  }

  get last(): WaitingRequest | null {
    return this.#last;
  }

  push(waiting: WaitingRequest): void {
    assert(waiting.previous === null && waiting.following === null, 'a request is in one queue, once');
    waiting.previous = this.#last;
    if (this.#last === null) this.#first = waiting;
    else this.#last.following = waiting;
    this.#last = waiting;
    this.#count += 1;
  }

  remove(waiting: WaitingRequest): void {
    const { previous, following } = waiting;
    if (previous === null) this.#first = following;
    else previous.following = following;
    if (following === null) this.#last = previous;
    else following.previous = previous;
    waiting.previous = null;
    waiting.following = null;
    this.#count -= 1;
  }
}

/** Waiting requests of one account at one venue: one queue for each class, and an index by child. */
export class RequestQueue {
  readonly #queues: readonly ClassQueue[] = REQUEST_CLASSES.map(() => new ClassQueue());
  readonly #byName = new Map<string, WaitingRequest>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The next request to send: the first of the most urgent class; null when none waits. */
  get next(): WaitingRequest | null {
    for (const { first } of this.#queues) if (first !== null) return first;
    return null;
  }

  /** The request to drop when the queue is full: the newest of the least urgent class; null when none waits. */
  get newestOfLeastUrgent(): WaitingRequest | null {
    for (let rank = this.#queues.length - 1; rank >= 0; rank -= 1) {
      const last = this.#queues[rank]?.last ?? null;
      if (last !== null) return last;
    }
    return null;
  }

  /** All of them, the most urgent first. The one that was returned last may be removed. */
  *inOrder(): Generator<WaitingRequest> {
    for (const { first } of this.#queues) {
      for (let waiting = first; waiting !== null;) {
        const { following } = waiting;
        yield waiting;
        waiting = following;
      }
    }
  }

  firstOf(requestClass: RequestClass): WaitingRequest | null {
    return this.#queues[rankOf(requestClass)]?.first ?? null;
  }

  /** Number of waiting requests ahead of a new one of that class. */
  countAhead(requestClass: RequestClass): number {
    let ahead = 0;
    for (let rank = 0; rank <= rankOf(requestClass); rank += 1) ahead += this.#queues[rank]?.count ?? 0;
    return ahead;
  }

  /** The waiting request of that kind for the child, or null. */
  find(kind: ChildRequest['kind'], child: ChildRef): WaitingRequest | null {
    return this.#byName.get(nameOf(kind, child)) ?? null;
  }

  add(waiting: WaitingRequest): void {
    this.#queues[rankOf(waiting.requestClass)]?.push(waiting);
    this.#byName.set(nameOf(waiting.request.kind, waiting.request), waiting);
    this.#count += 1;
  }

  remove(waiting: WaitingRequest): void {
    this.#queues[rankOf(waiting.requestClass)]?.remove(waiting);
    this.#byName.delete(nameOf(waiting.request.kind, waiting.request));
    this.#count -= 1;
  }
}

function nameOf(kind: ChildRequest['kind'], { orderId, child }: ChildRef): string {
  return `${kind} ${orderId}-${child}`;
}
