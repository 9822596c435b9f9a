import { REQUEST_CLASSES, type RequestClass } from '../../model/request-class.js';
import type { ChildRef } from '../../model/venue-message.js';
import { rankOf, type ChildRequest } from './child-request.js';
import { WaitingLine, type WaitingRequest } from './waiting-line.js';

/** All that waits for one venue on behalf of one account: a line a class, and what is known by its child. */
export class WaitingRoom {
  readonly #lines: readonly WaitingLine[] = REQUEST_CLASSES.map(() => new WaitingLine());
  readonly #byName = new Map<string, WaitingRequest>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Whose turn it is: the first of the most urgent class; null when nobody waits. */
  get next(): WaitingRequest | null {
    for (const { first } of this.#lines) if (first !== null) return first;
    return null;
  }

  /** Who gives way first: the newest of the least urgent class; null when nobody waits. */
  get newestOfLeastUrgent(): WaitingRequest | null {
    for (let rank = this.#lines.length - 1; rank >= 0; rank -= 1) {
      const last = this.#lines[rank]?.last ?? null;
      if (last !== null) return last;
    }
    return null;
  }

  firstOf(requestClass: RequestClass): WaitingRequest | null {
    return this.#lines[rankOf(requestClass)]?.first ?? null;
  }

  /** How many wait ahead of a newcomer of that class. */
  countAhead(requestClass: RequestClass): number {
    let ahead = 0;
    for (let rank = 0; rank <= rankOf(requestClass); rank += 1) ahead += this.#lines[rank]?.count ?? 0;
    return ahead;
  }

  /** The request of that kind about the child, when one waits. */
  find(kind: ChildRequest['kind'], child: ChildRef): WaitingRequest | null {
    return this.#byName.get(nameOf(kind, child)) ?? null;
  }

  add(waiting: WaitingRequest): void {
    this.#lines[rankOf(waiting.requestClass)]?.push(waiting);
    this.#byName.set(nameOf(waiting.request.kind, waiting.request), waiting);
    this.#count += 1;
  }

  remove(waiting: WaitingRequest): void {
    this.#lines[rankOf(waiting.requestClass)]?.remove(waiting);
    this.#byName.delete(nameOf(waiting.request.kind, waiting.request));
    this.#count -= 1;
  }
}

function nameOf(kind: ChildRequest['kind'], { orderId, child }: ChildRef): string {
  return `${kind} ${orderId}-${child}`;
}
