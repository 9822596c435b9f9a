import { Backoff } from '../../client/retry.js';
import { type Acknowledgement, Feed, feedKeyOf, type FeedRequest } from '../../client/feed.js';
import type { Frame, FrameOf, Topic } from '../../client/wire.js';
import { reasonOf } from '../view/figures.js';

/** The part of a WebSocket that the stream uses. */
export interface LiveSocket {
  addEventListener(type: 'open' | 'message' | 'close', listener: (event: { readonly data?: unknown }) => void): void;
  send(text: string): void;
  close(): void;
}

export interface LiveStreamParts {
  readonly openSocket: (listenKey: string) => LiveSocket;
  /** Called before each connection. */
  readonly listenKey: () => Promise<string>;
  readonly nowMs: () => number;
  /** In [0, 1). */
  readonly chance: () => number;
  /** Every feed is subscribed. When it rejects, the stream drops the connection and tries again. */
  readonly onUp: () => Promise<void>;
  /** The connection is lost. Called again after each attempt that fails. */
  readonly onDown: (why: string) => void;
  /** The service refuses a feed: it is unknown, or a limit is reached. */
  readonly onRefused: (request: FeedRequest, why: string) => void;
}

/** Messages about the connection itself. `server`: the service is about to close it. */
type Notice = { readonly topic: 'ping' } | { readonly topic: 'pong' } | { readonly topic: 'server' };

/** A request without an answer yet; null when its answer does not matter. */
type Pending = Feed | null;

const PING_MS = 5_000;
/** After this silence, with two pings unanswered, the connection is dead. */
const SILENCE_MS = 12_500;
const NOT_RESUMABLE = 7001;

/**
 * Follows feeds over one connection at a time. It replaces a lost connection and resumes each feed after its last frame,
 * so that every frame is delivered once and in order.
 */
export class LiveStream {
  readonly #parts: LiveStreamParts;
  readonly #feeds = new Map<string, Feed>();
  readonly #backoff = new Backoff();
  /** The service answers requests in the order in which they were sent. */
  readonly #pending: Pending[] = [];
  #socket: LiveSocket | null = null;
  #isOpen = false;
  #isUp = false;
  #isClosed = false;
  #receivedAtMs = 0;
  #pulse: ReturnType<typeof setInterval> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: LiveStreamParts) {
    this.#parts = parts;
  }

  /** Time of the last message by the injected clock; 0 before the first. */
  get receivedAtMs(): number {
    return this.#receivedAtMs;
  }

  start(): void {
    void this.#connect();
  }

  /** Ends the connection for good. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#drop();
  }

  follow<Name extends Topic>(
    request: FeedRequest & { readonly topic: Name },
    deliver: (frame: FrameOf<Name>) => void,
  ): void {
    const feed = new Feed(request, deliver as (frame: Frame) => void);
    this.#feeds.set(feed.key, feed);
    if (this.#isOpen) this.#subscribe(feed);
  }

  unfollow(request: FeedRequest): void {
    const feed = new Feed(request, () => undefined);
    if (!this.#feeds.delete(feed.key) || !this.#isOpen) return;
    this.#pending.push(null);
    this.#socket?.send(feed.unsubscription());
  }

  async #connect(): Promise<void> {
    try {
      const listenKey = await this.#parts.listenKey();
      if (!this.#isClosed) this.#attach(this.#parts.openSocket(listenKey));
    } catch (error) {
      this.#reconnect(reasonOf(error));
    }
  }

  #attach(socket: LiveSocket): void {
    this.#socket = socket;
    this.#noteMessage();
    this.#pulse = setInterval(() => this.#beat(), PING_MS);
    // Events of a dropped socket are ignored.
    const isCurrent = (): boolean => this.#socket === socket;
    socket.addEventListener('open', () => isCurrent() && this.#onOpen());
    socket.addEventListener('message', ({ data }) => isCurrent() && this.#onMessage(String(data)));
    socket.addEventListener('close', () => isCurrent() && this.#reconnect('the connection to the service is lost'));
  }

  #onOpen(): void {
    this.#isOpen = true;
    for (const feed of this.#feeds.values()) this.#subscribe(feed);
    this.#upWhenAnswered();
  }

  #subscribe(feed: Feed): void {
    this.#pending.push(feed);
    this.#socket?.send(feed.subscription());
  }

  #onMessage(text: string): void {
    this.#noteMessage();
    const message = JSON.parse(text) as Frame | Acknowledgement | Notice;
    if ('code' in message) return this.#onAnswer(message);
    if (message.topic === 'ping') return this.#socket?.send('{"topic":"pong"}');
    if (message.topic !== 'pong' && message.topic !== 'server') this.#onFrame(message);
  }

  #onAnswer({ code, message, ended }: Acknowledgement): void {
    // A new connection subscribes to all feeds again, and `onUp` reads what they have missed.
    if (ended !== undefined) return this.#reconnect(message);
    const feed = this.#pending.shift();
    if (feed === undefined) return this.#reconnect(message);
    if (feed !== null && code !== 0) {
      if (code === NOT_RESUMABLE) this.#restart(feed);
      else this.#refuse(feed, message);
    }
    this.#upWhenAnswered();
  }

  /** The frames in between are lost: `onUp` reads the present state once all feeds are subscribed. */
  #restart(feed: Feed): void {
    feed.forgetPosition();
    this.#subscribe(feed);
  }

  #refuse(feed: Feed, why: string): void {
    this.#feeds.delete(feed.key);
    this.#parts.onRefused(feed.request, why);
  }

  #onFrame(frame: Frame): void {
    const feed = this.#feeds.get(feedKeyOf(frame));
    const verdict = feed?.judge(frame);
    if (verdict === 'DELIVER') feed?.deliver(frame);
    // The service promises no gaps. After a gap a new connection resumes before it.
    if (verdict === 'GAP') this.#reconnect(`frames of ${frame.topic} are missing`);
  }

  #upWhenAnswered(): void {
    if (this.#isUp || this.#pending.length > 0) return;
    this.#isUp = true;
    const socket = this.#socket;
    this.#parts.onUp().then(
      () => this.#backoff.reset(),
      (error: unknown) => {
        if (this.#socket === socket) this.#reconnect(reasonOf(error));
      },
    );
  }

  #noteMessage(): void {
    this.#receivedAtMs = this.#parts.nowMs();
  }

  #beat(): void {
    if (this.#parts.nowMs() - this.#receivedAtMs > SILENCE_MS) return this.#reconnect('the service has gone silent');
    if (this.#isOpen) this.#socket?.send('{"topic":"ping"}');
  }

  #reconnect(why: string): void {
    this.#drop();
    if (this.#isClosed) return;
    this.#parts.onDown(why);
    this.#retry = setTimeout(() => void this.#connect(), this.#backoff.nextMs(this.#parts.chance()));
  }

  #drop(): void {
    clearInterval(this.#pulse);
    clearTimeout(this.#retry);
    const socket = this.#socket;
    this.#socket = null;
    this.#isOpen = false;
    this.#isUp = false;
    this.#pending.length = 0;
    socket?.close();
  }
}
