import type { CorrelationId } from '../model/ids.js';
import type { ShardLink } from './shard-link.js';

/** What one shard has yet to hear of the venue worker, oldest first: at most its end and its return. */
type Waiting = readonly boolean[];

/**
 * Reports the end and the return of the venue worker to every shard. A notice that finds a full ring waits and is posted
 * again: a shard that missed it would not ask for the children whose requests died with the worker.
 */
export class VenueNotices {
  readonly #waiting: Map<ShardLink, Waiting>;

  constructor(links: readonly ShardLink[]) {
    this.#waiting = new Map(links.map((link) => [link, []]));
  }

  /** The venue worker came up or died. */
  setUp(isUp: boolean): void {
    for (const [link, waiting] of this.#waiting) this.#waiting.set(link, withNotice(waiting, isUp));
    this.post();
  }

  /** Posts the notices that wait, as far as the rings have room. */
  post(): void {
    for (const [link, waiting] of this.#waiting) {
      if (waiting.length === 0) continue;
      const refusedIndex = waiting.findIndex(
        (isUp) => !link.post({ kind: 'VenueLink', correlationId: 0 as CorrelationId, isUp }),
      );
      this.#waiting.set(link, refusedIndex < 0 ? [] : waiting.slice(refusedIndex));
    }
  }
}

/** An end makes what waits void. A shard that has heard of the end already ignores the second notice. */
function withNotice(waiting: Waiting, isUp: boolean): Waiting {
  if (!isUp) return [false];
  return waiting.at(-1) === true ? waiting : [...waiting, true];
}
