import type { Connection } from './connection.js';
import type { StreamSettings, Timers } from './port.js';
import { GOING_AWAY } from './socket.js';
import { PING_FRAME } from './topics/control.js';

const PING = Buffer.from(PING_FRAME);

type Intervals = Pick<StreamSettings, 'pingMs' | 'silenceMs'>;

/** The sweep runs so often within the shorter of the two intervals, and at most and at least so often in time. */
const SWEEPS_PER_INTERVAL = 20;
const SWEEP_MS_MIN = 5;
const SWEEP_MS_MAX = 1_000;

/**
 * Pings every connection and closes those that say nothing. One sweep over all instead of a timer for each; the
 * pings of many connections spread over the interval as their openings did.
 */
export class KeepAlive {
  readonly #settings: Intervals;
  readonly #connections: ReadonlySet<Connection>;
  readonly #timers: Timers;

  constructor(settings: Intervals, connections: ReadonlySet<Connection>, timers: Timers) {
    this.#settings = settings;
    this.#connections = connections;
    this.#timers = timers;
  }

  /** Sweeps until the returned function is called. */
  start(): () => void {
    const shortestMs = Math.min(this.#settings.pingMs, this.#settings.silenceMs);
    const intervalMs = Math.min(SWEEP_MS_MAX, Math.max(SWEEP_MS_MIN, shortestMs / SWEEPS_PER_INTERVAL));
    return this.#timers.every(intervalMs, () => this.sweep());
  }

  sweep(): void {
    const nowMs = this.#timers.nowMs();
    for (const connection of this.#connections) this.#visit(connection, nowMs);
  }

  #visit(connection: Connection, nowMs: number): void {
    const { pingMs, silenceMs } = this.#settings;
    if (connection.isEnding) return connection.cutWhenOverdue(nowMs);
    if (nowMs - connection.heardAtMs >= silenceMs) {
      return connection.finish(GOING_AWAY, `no client message for ${silenceMs} ms`);
    }
    if (nowMs - connection.pingedAtMs < pingMs) return;
    connection.pingedAtMs = nowMs;
    // A clogged socket has enough to send; one more frame would tell its client nothing.
    if (!connection.outbox.isClogged) connection.outbox.push(PING);
  }
}
