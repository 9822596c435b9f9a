import { assert } from '../../src/domain/rejection.js';
import type { Chance } from './chance.js';
import type { FakeSocket } from './fake-app.js';
import { feedName, type FeedLog, type FeedName } from './feed-log.js';
import { CATALOGUE } from './listed.js';
import type { SimulatedMain } from './simulated-main.js';

const TOPICS = ['order', 'child_order', 'trade', 'balance', 'position'] as const;
const VENUES = [...new Set(CATALOGUE.instruments.map(({ venue }) => venue))];

/** Position of the client in one feed. */
interface Place {
  readonly topic: string;
  readonly venue: string;
  /** Number of the latest received frame. */
  cursor: number;
  isSubscribed: boolean;
}

interface Frame {
  readonly topic?: string;
  readonly seq?: number;
  readonly exchange_name?: string;
  readonly snapshot?: true;
  readonly code?: number;
  readonly message?: string;
}

/** Follows all feeds of one account: every frame once, in sequence, across restarts and lost connections. */
export class StreamClient {
  readonly account: string;
  readonly #log: FeedLog;
  readonly #places = new Map<FeedName, Place>();
  #socket: FakeSocket | null = null;

  constructor(account: string, log: FeedLog) {
    this.account = account;
    this.#log = log;
    for (const topic of TOPICS) {
      for (const venue of VENUES) {
        this.#places.set(feedName(account, topic, venue), { topic, venue, cursor: 0, isSubscribed: false });
      }
    }
  }

  get isConnected(): boolean {
    return this.#socket?.isOpen === true;
  }

  /** Connects when it is not connected, and resumes every feed that it does not follow. */
  follow(main: SimulatedMain): void {
    if (!this.isConnected) {
      for (const place of this.#places.values()) place.isSubscribed = false;
      this.#socket = main.connect(this.account, (text) => this.#onFrame(text));
    }
    for (const place of this.#places.values()) {
      if (place.isSubscribed || this.#socket?.isOpen !== true) continue;
      const { topic, venue, cursor } = place;
      place.isSubscribed = true;
      this.#socket.send(JSON.stringify({ method: 'subscribe', topic, exchange: venue, resume_from: cursor }));
    }
  }

  /** Draws an event of the connections. */
  disturb(chance: Chance): void {
    const socket = this.#socket;
    if (socket === null || !socket.isOpen) return;
    if (chance.hits(0.3)) socket.cut();
    else socket.setReading(chance.hits(0.5));
  }

  endFaults(): void {
    this.#socket?.setReading(true);
  }

  /** The process has ended. */
  onProcessEnd(): void {
    this.#socket = null;
  }

  /** After a restore: the feeds of the backup. */
  goBack(): void {
    for (const [feed, place] of this.#places) place.cursor = Math.min(place.cursor, this.#log.headOf(feed));
    this.#socket = null;
  }

  /** Expects that it has every frame when no thread has work. */
  check(): void {
    for (const [feed, { cursor }] of this.#places) {
      const head = this.#log.headOf(feed);
      assert(cursor === head, `a client of ${feed} has ${cursor} of ${head} frames`);
    }
  }

  #onFrame(text: string): void {
    const frame = JSON.parse(text) as Frame;
    if (frame.code !== undefined) return this.#onAnswer(frame);
    if (frame.seq === undefined || frame.snapshot === true) return;
    const feed = feedName(this.account, frame.topic ?? '', frame.exchange_name ?? '');
    const place = this.#places.get(feed);
    assert(place !== undefined, `a frame of ${feed} was not asked for`);
    assert(frame.seq === place.cursor + 1, `frame ${frame.seq} of ${feed} follows frame ${place.cursor}`);
    this.#log.check(feed, frame.seq, text);
    place.cursor = frame.seq;
  }

  #onAnswer({ code, message = '' }: Frame): void {
    if (code === 0) return;
    throw new Error(`a stream of ${this.account} is answered ${code}: ${message}`);
  }
}
