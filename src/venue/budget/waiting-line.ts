import { assert } from '../../model/assert.js';
import type { RequestClass } from '../../model/request-class.js';
import type { EpochMs } from '../../model/time.js';
import type { ChildRequest } from './child-request.js';

/** A request that waits for its turn, and who wants it sent. */
export class WaitingRequest {
  readonly request: ChildRequest;
  readonly requestClass: RequestClass;
  readonly sinceMs: EpochMs;
  /** Whoever asked last is answered. */
  origin: number;
  before: WaitingRequest | null = null;
  behind: WaitingRequest | null = null;

  constructor(request: ChildRequest, requestClass: RequestClass, origin: number, sinceMs: EpochMs) {
    this.request = request;
    this.requestClass = requestClass;
    this.origin = origin;
    this.sinceMs = sinceMs;
  }
}

/** Requests of one class in the order in which they came; anyone may leave from anywhere. */
export class WaitingLine {
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
    assert(waiting.before === null && waiting.behind === null, 'a request waits in one line, once');
    waiting.before = this.#last;
    if (this.#last === null) this.#first = waiting;
    else this.#last.behind = waiting;
    this.#last = waiting;
    this.#count += 1;
  }

  remove(waiting: WaitingRequest): void {
    const { before, behind } = waiting;
    if (before === null) this.#first = behind;
    else before.behind = behind;
    if (behind === null) this.#last = before;
    else behind.before = before;
    waiting.before = null;
    waiting.behind = null;
    this.#count -= 1;
  }
}
