import { CountByKey } from '../domain/count-by-key.js';
import {
  SESSION_AUTH_MS_MAX,
  SESSIONS_UNPROVEN_MAX,
  SESSIONS_UNPROVEN_PER_ADDRESS_MAX,
  WS_END_MS,
} from '../domain/limits/clients.js';
import { POLICY_VIOLATION, TRY_AGAIN_LATER } from './outbox.js';
import type { Timers } from './port.js';
import type { Session } from './session.js';

/** The network of one subscriber. null: this machine, where a proxy may connect for all clients. */
export type Subscriber = number | bigint | null;

/**
 * The sessions that have not authenticated. Each may hold an incomplete frame of the largest size. At a bound the
 * oldest one is closed, so that idle sockets cannot keep clients with a key out.
 */
export class UnprovenSessions {
  /** The oldest first. */
  readonly #subscribers = new Map<Session, Subscriber>();
  readonly #bySubscriber = new Map<Subscriber, Set<Session>>();
  /** Sessions that their clients have closed, whose memory and descriptor the library may still keep. */
  readonly #left = new CountByKey<Subscriber>();
  readonly #timers: Timers;
  readonly #onEvicted: () => void;

  constructor(timers: Timers, onEvicted: () => void) {
    this.#timers = timers;
    this.#onEvicted = onEvicted;
  }

  get size(): number {
    return this.#subscribers.size;
  }

  add(session: Session, subscriber: Subscriber): void {
    this.#subscribers.set(session, subscriber);
    const own = this.#bySubscriber.get(subscriber) ?? new Set<Session>();
    this.#bySubscriber.set(subscriber, own.add(session));
    if (subscriber !== null && own.size > SESSIONS_UNPROVEN_PER_ADDRESS_MAX) {
      this.#evict(own, `${SESSIONS_UNPROVEN_PER_ADDRESS_MAX} later sessions of this address have not authenticated`);
    }
    if (this.size > SESSIONS_UNPROVEN_MAX) {
      this.#evict(this.#subscribers.keys(), `${SESSIONS_UNPROVEN_MAX} later sessions have not authenticated`);
    }
  }

  delete(session: Session): void {
    const subscriber = this.#subscribers.get(session);
    if (subscriber === undefined) return;
    this.#subscribers.delete(session);
    const own = this.#bySubscriber.get(subscriber);
    own?.delete(session);
    if (own?.size === 0) this.#bySubscriber.delete(subscriber);
  }

  /** Counts a session that its client has closed with a close frame: it may keep the connection, and its memory. */
  onLeft(subscriber: Subscriber): void {
    if (subscriber === null) return;
    this.#left.add(subscriber);
    this.#timers.after(WS_END_MS, () => void this.#left.add(subscriber, -1));
  }

  /** False while so many sessions of the address may still be kept after their close. */
  hasRoom(subscriber: Subscriber): boolean {
    return this.#left.of(subscriber) < SESSIONS_UNPROVEN_PER_ADDRESS_MAX;
  }

  /** Closes the sessions that have had their time to authenticate. */
  closeOverdue(nowMs: number): void {
    for (const session of this.#subscribers.keys()) {
      if (session.openedAtMs > nowMs - SESSION_AUTH_MS_MAX) return;
      session.finish(POLICY_VIOLATION, `no auth within ${SESSION_AUTH_MS_MAX} ms`);
    }
  }

  #evict(sessions: Iterable<Session>, why: string): void {
    this.#onEvicted();
    const [oldest] = sessions;
    oldest?.finish(TRY_AGAIN_LATER, why);
  }
}
