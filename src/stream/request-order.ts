import { CountByKey } from '../domain/count-by-key.js';
import type { AccountId } from '../domain/ids.js';
import { WS_REQUESTS_WAITING_PER_ACCOUNT_MAX } from '../domain/limits/clients.js';
import type { WhenComplete } from '../journal/complete-reads.js';
import type { StateSnapshot } from '../journal/port.js';
import type { Connection } from './connection.js';
import { TRY_AGAIN_LATER } from './outbox.js';

/** The reason of a close while the store lacks the frames that a request needs. */
export const STORE_BEHIND = 'the latest events are still being stored; subscribe again with resume_from';

interface RequestOrderParts {
  readonly whenComplete: WhenComplete;
  /** An internal error has ended a request that waited. */
  readonly onFailure: (connection: Connection, error: unknown) => void;
}

/**
 * Keeps the requests of a connection in their order. While a subscribe waits for the store, the requests after it wait
 * too. Then all run in their order.
 */
export class RequestOrder {
  readonly #parts: RequestOrderParts;
  readonly #waitingCounts = new CountByKey<AccountId>();

  constructor(parts: RequestOrderParts) {
    this.#parts = parts;
  }

  /** Runs behind the earlier requests of the connection. */
  inOrder(connection: Connection, run: () => void): void {
    if (connection.waitingCount === 0) run();
    else this.whenStored(connection, run);
  }

  /**
   * Runs when the store shows what is durable now. `onOver` is called in any case. A connection that waits too long, or
   * whose account has too many waiting requests, is closed with 1013.
   */
  whenStored(connection: Connection, run: (snapshot: StateSnapshot) => void, onOver = (): void => undefined): void {
    if (this.#waitingCounts.of(connection.account) >= WS_REQUESTS_WAITING_PER_ACCOUNT_MAX) {
      connection.finish(TRY_AGAIN_LATER, STORE_BEHIND);
      return onOver();
    }
    this.#count(connection, 1);
    const read = (snapshot: StateSnapshot | null): void => {
      this.#count(connection, -1);
      try {
        if (connection.isEnding) return;
        if (snapshot === null) connection.finish(TRY_AGAIN_LATER, STORE_BEHIND);
        else run(snapshot);
      } finally {
        onOver();
      }
    };
    const client = { fail: (error: unknown): void => this.#parts.onFailure(connection, error) };
    this.#parts.whenComplete(read, { account: connection.account, client });
  }

  #count(connection: Connection, change: 1 | -1): void {
    this.#waitingCounts.add(connection.account, change);
    connection.waitingCount += change;
  }
}
