import { KEY_LOOK_MS, WS_REVOKED_WAIT_MS_MAX } from '../model/limits.js';
import type { Connection } from './connection.js';
import type { StreamDeps } from './port.js';
import { POLICY_VIOLATION } from './socket.js';

/**
 * Closes the connections of API keys that are not good any more: revoked, expired, or bound to other networks. A listen
 * key lends what its API key may do, so what it has opened ends with the API key.
 */
export class KeyWatch {
  readonly #parts: Pick<StreamDeps, 'keyFailure' | 'timers'>;
  readonly #connections: ReadonlySet<Connection>;

  constructor(parts: Pick<StreamDeps, 'keyFailure' | 'timers'>, connections: ReadonlySet<Connection>) {
    this.#parts = parts;
    this.#connections = connections;
  }

  /** Looks at all connections every KEY_LOOK_MS until the returned function is called. */
  start(): () => void {
    return this.#parts.timers.every(KEY_LOOK_MS, () => {
      const nowMs = this.#parts.timers.nowMs();
      for (const connection of this.#connections) {
        if (this.hasEnded(connection)) connection.cutWhenOverdue(nowMs);
      }
    });
  }

  /** True when the connection is being closed because its key is not good; begins to close it. */
  hasEnded(connection: Connection): boolean {
    const failure = this.#parts.keyFailure(connection.holder);
    if (failure === null) return false;
    connection.finish(POLICY_VIOLATION, failure, WS_REVOKED_WAIT_MS_MAX);
    return true;
  }
}
