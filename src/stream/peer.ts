import { KEY_CHECK_MS, WS_CLOSE_WAIT_MS_MAX, WS_REVOKED_WAIT_MS_MAX } from '../domain/limits/clients.js';
import { PING_FRAME } from '../api/stream/stream-request.js';
import { type FlushSoon, GOING_AWAY, Outbox, POLICY_VIOLATION, type Socket, TRY_AGAIN_LATER } from './outbox.js';
import type { StreamDeps, StreamHolder, StreamSettings, Timers } from './port.js';

interface PeerParts {
  readonly socket: Socket;
  readonly nowMs: () => number;
  /** Bytes of frames that may wait for the socket; a larger backlog closes it with 1013. */
  readonly backlogBytesMax: number;
  /** Reason of that close. */
  readonly tooSlow: string;
  /** Sends the waiting frames; by default at the end of the present callback. */
  readonly flushSoon?: FlushSoon;
}

/** One WebSocket: its outbound queue, the time of its last message, and its end. */
export abstract class Peer {
  /** null: the client has not authenticated. */
  abstract readonly holder: StreamHolder | null;
  readonly outbox: Outbox;
  heardAtMs: number;
  pingedAtMs: number;
  readonly #socket: Socket;
  readonly #nowMs: () => number;
  #ending: { readonly code: number; readonly reason: string; readonly deadlineMs: number } | null = null;
  #isClosed = false;

  constructor({ socket, nowMs, backlogBytesMax, tooSlow, flushSoon }: PeerParts) {
    this.#socket = socket;
    this.#nowMs = nowMs;
    this.heardAtMs = this.pingedAtMs = nowMs();
    this.outbox = new Outbox(socket, () => this.finish(TRY_AGAIN_LATER, tooSlow), backlogBytesMax, flushSoon);
  }

  /** True while it is closing, or closed. */
  get isEnding(): boolean {
    return this.#ending !== null || this.#isClosed;
  }

  /** The code that it was closed with; null: it is open, or its client has closed it. */
  get endCode(): number | null {
    return this.#ending?.code ?? null;
  }

  /**
   * Closes with a code. The socket drops a close frame after a long backlog. A slow client therefore first gets at most
   * `waitMs` to read the backlog; then the socket is terminated. 0: a socket with a backlog is terminated at once.
   */
  finish(code: number, reason: string, waitMs: number = WS_CLOSE_WAIT_MS_MAX): void {
    if (this.isEnding) return;
    this.outbox.flush();
    this.#ending = { code, reason, deadlineMs: this.#nowMs() + waitMs };
    this.outbox.close();
    this.onEnding();
    this.#endWhenDrained();
  }

  /** Ends at once without a close frame. The code is only counted. */
  cut(code: number): void {
    if (this.isEnding) return;
    this.outbox.flush();
    this.#ending = { code, reason: '', deadlineMs: this.#nowMs() };
    this.outbox.close();
    this.onEnding();
    if (!this.#isClosed) this.#socket.close();
  }

  /** Terminates a closing socket after its deadline; called at an interval. */
  cutWhenOverdue(nowMs: number): void {
    if (this.#ending !== null && nowMs >= this.#ending.deadlineMs && !this.#isClosed) this.#socket.close();
  }

  onDrain(): void {
    if (this.#ending !== null) this.#endWhenDrained();
    else this.outbox.onDrain();
  }

  /** The socket is closed and must not be used. */
  onClosed(): void {
    this.#isClosed = true;
    this.outbox.close();
    if (this.#ending === null) this.onEnding();
  }

  /** Releases what the peer holds; called once. */
  protected abstract onEnding(): void;

  #endWhenDrained(): void {
    if (this.#ending === null || this.#isClosed) return;
    if (this.#socket.getBufferedAmount() > 0) return this.cutWhenOverdue(this.#nowMs());
    this.#socket.end(this.#ending.code, this.#ending.reason);
  }
}

const PING = Buffer.from(PING_FRAME);

export type Intervals = Pick<StreamSettings, 'pingMs' | 'silenceMs'>;

/** Number of sweeps within the shorter of the two intervals, and the bounds of their interval. */
const SWEEPS_PER_INTERVAL = 20;
const SWEEP_MS_MIN = 5;
const SWEEP_MS_MAX = 1_000;

/**
 * Pings every peer and closes silent ones. One sweep over all peers replaces a timer for each. The pings of many peers
 * spread over the interval like their openings.
 */
export class KeepAlive {
  readonly #settings: Intervals;
  readonly #peers: ReadonlySet<Peer>;
  readonly #timers: Timers;

  constructor(settings: Intervals, peers: ReadonlySet<Peer>, timers: Timers) {
    this.#settings = settings;
    this.#peers = peers;
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
    for (const peer of this.#peers) this.#visit(peer, nowMs);
  }

  #visit(peer: Peer, nowMs: number): void {
    const { pingMs, silenceMs } = this.#settings;
    if (peer.isEnding) return peer.cutWhenOverdue(nowMs);
    if (nowMs - peer.heardAtMs >= silenceMs) {
      return peer.finish(GOING_AWAY, `no client message for ${silenceMs} ms`);
    }
    if (nowMs - peer.pingedAtMs < pingMs) return;
    peer.pingedAtMs = nowMs;
    // A clogged socket has enough to send; a ping would not reach its client.
    if (!peer.outbox.isClogged) peer.outbox.push(PING);
  }
}

/**
 * Closes the peers of API keys that are no longer valid: revoked, expired, or bound to other networks. A listen key has
 * the permissions of its API key, so its connections end with the API key.
 */
export class KeyWatch {
  readonly #parts: Pick<StreamDeps, 'keyFailure' | 'timers'>;
  readonly #peers: ReadonlySet<Peer>;

  constructor(parts: Pick<StreamDeps, 'keyFailure' | 'timers'>, peers: ReadonlySet<Peer>) {
    this.#parts = parts;
    this.#peers = peers;
  }

  /** Checks all peers every KEY_CHECK_MS until the returned function is called. */
  start(): () => void {
    return this.#parts.timers.every(KEY_CHECK_MS, () => {
      const nowMs = this.#parts.timers.nowMs();
      for (const peer of this.#peers) if (this.hasEnded(peer)) peer.cutWhenOverdue(nowMs);
    });
  }

  /** True when the key of the peer is not valid; starts to close it. */
  hasEnded(peer: Peer): boolean {
    const failure = peer.holder === null ? null : this.#parts.keyFailure(peer.holder);
    if (failure === null) return false;
    peer.finish(POLICY_VIOLATION, failure, WS_REVOKED_WAIT_MS_MAX);
    return true;
  }
}
