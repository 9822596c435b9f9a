import { Backoff } from '../client/backoff.js';
import { Feed, feedKeyOf, type FeedRequest } from '../client/feed.js';
import type { Frame, FrameOf, Topic } from '../client/frames.js';

/** What the stream needs of a WebSocket. */
export interface Socket {
  addEventListener(type: 'open' | 'message' | 'close', listener: (event: { readonly data?: unknown }) => void): void;
  send(text: string): void;
  close(): void;
}

export interface LiveStreamParts {
  readonly openSocket: (listenKey: string) => Socket;
  /** Asked for before each connection. */
  readonly listenKey: () => Promise<string>;
  readonly nowMs: () => number;
  /** In [0, 1). */
  readonly chance: () => number;
  /** Every feed is subscribed to. When this rejects, the connection is given up and tried again. */
  readonly onUp: () => Promise<void>;
  /** Nothing comes any more. Told again with each attempt that fails. */
  readonly onDown: (why: string) => void;
  /** The service does not know such a feed, or has no room for it. */
  readonly onRefused: (request: FeedRequest, why: string) => void;
}

/** The answer to a request: code 0 acknowledges, anything else refuses. */
interface Acknowledgement {
  readonly code: number;
  readonly message: string;
}

/** What concerns the connection itself. `server` tells that the service is about to close it. */
type Notice = { readonly topic: 'ping' } | { readonly topic: 'pong' } | { readonly topic: 'server' };

/** A request that waits for its answer; null: nothing hangs on it. */
type Asked = Feed | null;

const PING_MS = 5_000;
/** After so long without a word, twice asked for, the connection is dead whatever the socket says. */
const SILENCE_MS = 12_500;
const NOT_RESUMABLE = 7001;

/**
 * Follows feeds over one connection at a time. A lost one is replaced, and each feed goes on behind the last frame
 * seen, so that every frame is delivered once and in order.
 */
export class LiveStream {
  readonly #parts: LiveStreamParts;
  readonly #feeds = new Map<string, Feed>();
  readonly #backoff = new Backoff();
  /** Requests are answered in the order in which they were sent. */
  readonly #asked: Asked[] = [];
  #socket: Socket | null = null;
  #isOpen = false;
  #isUp = false;
  #isClosed = false;
  #heardAtMs = 0;
  #pulse: ReturnType<typeof setInterval> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: LiveStreamParts) {
    this.#parts = parts;
  }

  /** When something was heard last, by the clock that was given; 0: never. */
  get heardAtMs(): number {
    return this.#heardAtMs;
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
    this.#asked.push(null);
    this.#socket?.send(feed.unsubscription());
  }

  async #connect(): Promise<void> {
    try {
      const listenKey = await this.#parts.listenKey();
      if (!this.#isClosed) this.#attach(this.#parts.openSocket(listenKey));
    } catch (error) {
      this.#lost(messageOf(error));
    }
  }

  #attach(socket: Socket): void {
    this.#socket = socket;
    this.#hear();
    this.#pulse = setInterval(() => this.#beat(), PING_MS);
    // Nothing that a socket says counts once it has been given up.
    const isCurrent = (): boolean => this.#socket === socket;
    socket.addEventListener('open', () => isCurrent() && this.#onOpen());
    socket.addEventListener('message', ({ data }) => isCurrent() && this.#onMessage(String(data)));
    socket.addEventListener('close', () => isCurrent() && this.#lost('the connection to the service is lost'));
  }

  #onOpen(): void {
    this.#isOpen = true;
    for (const feed of this.#feeds.values()) this.#subscribe(feed);
    this.#upWhenAnswered();
  }

  #subscribe(feed: Feed): void {
    this.#asked.push(feed);
    this.#socket?.send(feed.subscription());
  }

  #onMessage(text: string): void {
    this.#hear();
    const message = JSON.parse(text) as Frame | Acknowledgement | Notice;
    if ('code' in message) return this.#onAnswer(message);
    if (message.topic === 'ping') return this.#socket?.send('{"topic":"pong"}');
    if (message.topic !== 'pong' && message.topic !== 'server') this.#onFrame(message);
  }

  #onAnswer({ code, message }: Acknowledgement): void {
    const feed = this.#asked.shift();
    // A refusal that nobody waits for says that a feed ended: a new connection subscribes to all of them again.
    if (feed === undefined) return this.#lost(message);
    if (feed !== null && code !== 0) {
      if (code === NOT_RESUMABLE) this.#beginAnew(feed);
      else this.#refuse(feed, message);
    }
    this.#upWhenAnswered();
  }

  /** What is missing in between is asked for once all feeds are up. */
  #beginAnew(feed: Feed): void {
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
    // The service promises that there is no gap. Should there be one, a new connection resumes before it.
    if (verdict === 'GAP') this.#lost(`frames of ${frame.topic} are missing`);
  }

  #upWhenAnswered(): void {
    if (this.#isUp || this.#asked.length > 0) return;
    this.#isUp = true;
    const socket = this.#socket;
    this.#parts.onUp().then(
      () => this.#backoff.reset(),
      (error: unknown) => {
        if (this.#socket === socket) this.#lost(messageOf(error));
      },
    );
  }

  #hear(): void {
    this.#heardAtMs = this.#parts.nowMs();
  }

  #beat(): void {
    if (this.#parts.nowMs() - this.#heardAtMs > SILENCE_MS) return this.#lost('the service has gone silent');
    if (this.#isOpen) this.#socket?.send('{"topic":"ping"}');
  }

  #lost(why: string): void {
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
    this.#asked.length = 0;
    socket?.close();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
