import { Backoff } from './retry.js';
import { type EndedFeed, Feed, feedKeyOf, type FeedRequest, keyOfEnded } from './feed.js';
import type { Frame, FrameOf, Topic } from './wire.js';
import { SluiceError } from './sluice-error.js';
import { type OpenSocket, POLICY_VIOLATION, streamFailure, StreamSocket } from './stream-socket.js';

export interface FeedStreamOptions {
  /** Called before each connection, because a listen key expires after one hour. */
  readonly listenKey: () => Promise<string>;
  /** `cause`: what has ended the connection; null with UP. */
  readonly onConnection?: (state: 'UP' | 'DOWN', cause: unknown) => void;
  /** Called after each failed reconnect, with a SluiceError or with the error of `listenKey`. */
  readonly onReconnectFailed?: (error: unknown) => void;
  /** Called when a feed cannot resume after a reconnect: frames are missing, or the feed has ended. */
  readonly onFeedLost?: (request: FeedRequest, error: SluiceError) => void;
}

export interface FeedStreamParts extends FeedStreamOptions {
  readonly openSocket: OpenSocket;
  /** The service has ended a feed. The stream subscribes to it again after a delay. */
  readonly onFeedEnded?: (error: SluiceError) => void;
  /**
   * Called when all feeds are subscribed to, after each connect and after the restart of an ended feed: frames may have
   * been missed before. When it rejects, the stream replaces the connection.
   */
  readonly onSubscribed?: () => Promise<void>;
}

/** Wait after a close for too many messages. */
const REFUSED_AGAIN_MS = 5_000;
/** Error code: the service no longer keeps the frames after `resume_from`. */
export const NOT_RESUMABLE = '7001';

/**
 * Feeds over one connection at a time, in Node and in browsers. A lost connection is replaced, and each account feed
 * resumes after its latest frame, so that a consumer receives every frame once and in order.
 */
export class FeedStream {
  readonly #parts: FeedStreamParts;
  readonly #feeds = new Map<string, Feed>();
  readonly #backoff = new Backoff();
  #socket: StreamSocket | null = null;
  #heardAtMs = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(parts: FeedStreamParts) {
    this.#parts = parts;
  }

  /** Time of the latest message, epoch milliseconds; 0 before the first connection. */
  get heardAtMs(): number {
    return this.#socket?.heardAtMs ?? this.#heardAtMs;
  }

  /** Connects, and tries again until it succeeds. */
  start(): void {
    this.#connectLater(0);
  }

  /** Resolves when connected. Rejects when this attempt fails. Lost connections are retried. */
  async connect(): Promise<void> {
    const listenKey = await this.#parts.listenKey();
    if (this.#isClosed) return;
    const socket = await StreamSocket.open(this.#parts.openSocket, listenKey, {
      frame: (frame) => this.#onFrame(frame),
      ended: (feed, error) => this.#onEnded(feed, error),
      closed: (code, cause) => this.#onClosed(code, cause),
    });
    // Lost at once: it is replaced already.
    if (!socket.isOpen) return;
    this.#socket = socket;
    if (this.#isClosed) return socket.close();
    this.#parts.onConnection?.('UP', null);
    await Promise.all([...this.#feeds.values()].map((feed) => this.#resume(socket, feed)));
    await this.#onSubscribed(socket);
  }

  /** Resolves on the acknowledgement. Rejects with SluiceError; its code is 7001, 7002 or 8054 from the service. */
  async subscribe<Name extends Topic>(
    request: RequestOf<Name>,
    onFrame: (frame: FrameOf<Name>) => void,
  ): Promise<void> {
    const feed = this.#add(request, onFrame);
    try {
      await this.#connected().request(feed.subscription());
    } catch (error) {
      this.#feeds.delete(feed.key);
      throw error;
    }
  }

  /** Subscribes now, or once there is a connection. A refusal is reported as a lost feed. */
  follow<Name extends Topic>(request: RequestOf<Name>, onFrame: (frame: FrameOf<Name>) => void): void {
    const feed = this.#add(request, onFrame);
    if (this.#socket !== null) void this.#resume(this.#socket, feed);
  }

  async unsubscribe(request: FeedRequest): Promise<void> {
    const feed = new Feed(request, () => undefined);
    clearTimeout(this.#feeds.get(feed.key)?.restart);
    this.#feeds.delete(feed.key);
    await this.#connected().request(feed.unsubscription());
  }

  /** Unsubscribes, where there is a connection. */
  unfollow(request: FeedRequest): void {
    this.unsubscribe(request).catch(() => undefined);
  }

  /** Closes the connection and stops reconnecting. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    for (const { restart } of this.#feeds.values()) clearTimeout(restart);
    this.#feeds.clear();
    this.#socket?.close();
  }

  #add<Name extends Topic>(request: RequestOf<Name>, onFrame: (frame: FrameOf<Name>) => void): Feed {
    const feed = new Feed(request, onFrame as (frame: Frame) => void);
    this.#feeds.set(feed.key, feed);
    return feed;
  }

  #isFollowed(socket: StreamSocket, feed: Feed): boolean {
    return this.#socket === socket && this.#feeds.get(feed.key) === feed;
  }

  #connected(): StreamSocket {
    if (this.#socket !== null) return this.#socket;
    throw streamFailure(0, 'the stream is not connected');
  }

  #onFrame(frame: Frame): void {
    const feed = this.#feeds.get(feedKeyOf(frame));
    if (feed === undefined) return;
    const verdict = feed.judge(frame);
    if (verdict === 'DELIVER') feed.deliver(frame);
    // The service sends feeds without gaps. If one appears, a new connection resumes before it.
    if (verdict === 'GAP') this.#socket?.terminate(streamFailure(0, `frames of ${frame.topic} are missing`));
  }

  /** Subscribes again after a delay: a venue that is down ends each new subscription at once. */
  #onEnded(ended: EndedFeed, error: SluiceError): void {
    const socket = this.#socket;
    const feed = this.#feeds.get(keyOfEnded(ended));
    if (socket === null || feed === undefined) return;
    this.#parts.onFeedEnded?.(error);
    const restart = async (): Promise<void> => {
      if (!this.#isFollowed(socket, feed)) return;
      await this.#resume(socket, feed);
      await this.#onSubscribed(socket);
    };
    feed.restart = setTimeout(() => void restart(), feed.backoff.nextMs(Math.random()));
  }

  async #resume(socket: StreamSocket, feed: Feed): Promise<void> {
    try {
      await socket.request(feed.subscription());
    } catch (error) {
      if (!(error instanceof SluiceError) || (error.status === 0 && error.code === 'NETWORK_ERROR')) return;
      if (!this.#isFollowed(socket, feed)) return;
      this.#parts.onFeedLost?.(feed.request, error);
      if (error.code !== NOT_RESUMABLE) return void this.#feeds.delete(feed.key);
      feed.forgetPosition();
      await this.#resume(socket, feed);
    }
  }

  async #onSubscribed(socket: StreamSocket): Promise<void> {
    try {
      if (this.#socket !== socket) return;
      await this.#parts.onSubscribed?.();
      if (this.#socket === socket) this.#backoff.reset();
    } catch (error) {
      if (this.#socket === socket) socket.terminate(error);
    }
  }

  #onClosed(code: number, cause: unknown): void {
    this.#heardAtMs = this.heardAtMs;
    this.#socket = null;
    this.#parts.onConnection?.('DOWN', cause);
    if (this.#isClosed) return;
    // A connection that begins at once would end in the same way.
    this.#connectLater(code === POLICY_VIOLATION ? REFUSED_AGAIN_MS : this.#backoff.nextMs(Math.random()));
  }

  #connectLater(waitMs: number): void {
    this.#retry = setTimeout(() => {
      this.connect().catch((error: unknown) => {
        if (this.#isClosed) return;
        this.#parts.onReconnectFailed?.(error);
        this.#connectLater(this.#backoff.nextMs(Math.random()));
      });
    }, waitMs);
  }
}

type RequestOf<Name extends Topic> = FeedRequest & { readonly topic: Name };
