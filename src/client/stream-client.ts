import { Backoff } from './retry.js';
import { type EndedFeed, Feed, feedKeyOf, type FeedRequest, keyOfEnded } from './feed.js';
import type { Frame, FrameOf, Topic } from './wire.js';
import { SluiceError } from './sluice-error.js';
import { POLICY_VIOLATION, streamFailure, StreamSocket } from './stream-socket.js';

export interface StreamClientOptions {
  /** Base address of the service, http or ws, for example http://127.0.0.1:8080. */
  readonly url: string;
  /** Called before each connection, because a listen key expires after one hour. */
  readonly listenKey: () => Promise<string>;
  readonly onConnection?: (state: 'UP' | 'DOWN') => void;
  /** Called after each failed reconnect, with a SluiceError or with the error of `listenKey`. */
  readonly onReconnectFailed?: (error: unknown) => void;
  /** Called when a feed cannot resume after a reconnect: frames are missing, or the feed has ended. */
  readonly onFeedLost?: (request: FeedRequest, error: SluiceError) => void;
}

/** Wait after a close for too many messages. */
const REFUSED_AGAIN_MS = 5_000;
/** Error code: the service no longer keeps the frames after `resume_from`. */
const NOT_RESUMABLE = '7001';

/**
 * Client of the WebSocket streams. It reconnects automatically and resumes each account feed after its latest frame.
 * A consumer receives every frame once and in order. A feed without a frame and without resumeFrom begins with the
 * first new frame.
 */
export class StreamClient {
  readonly #options: StreamClientOptions;
  readonly #feeds = new Map<string, Feed>();
  readonly #backoff = new Backoff();
  #socket: StreamSocket | null = null;
  #retry: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: StreamClientOptions) {
    this.#options = options;
  }

  /** Resolves when connected. Rejects with SluiceError when this attempt fails. Lost connections are retried. */
  async connect(): Promise<void> {
    const listenKey = await this.#options.listenKey();
    const socket = await StreamSocket.open(streamUrl(this.#options.url), listenKey, {
      frame: (frame) => this.#onFrame(frame),
      ended: (feed) => this.#onEnded(feed),
      closed: (code) => this.#onClosed(code),
    });
    if (this.#isClosed) return socket.terminate();
    this.#socket = socket;
    this.#backoff.reset();
    this.#options.onConnection?.('UP');
    await Promise.all([...this.#feeds.values()].map((feed) => this.#resume(socket, feed)));
  }

  /** Resolves on the acknowledgement. Rejects with SluiceError; its code is 7001, 7002 or 8054 from the service. */
  async subscribe<Name extends Topic>(
    request: FeedRequest & { readonly topic: Name },
    onFrame: (frame: FrameOf<Name>) => void,
  ): Promise<void> {
    const feed = new Feed(request, onFrame as (frame: Frame) => void);
    this.#feeds.set(feed.key, feed);
    try {
      await this.#connected().request(feed.subscription());
    } catch (error) {
      this.#feeds.delete(feed.key);
      throw error;
    }
  }

  async unsubscribe(request: FeedRequest): Promise<void> {
    const feed = new Feed(request, () => undefined);
    this.#feeds.delete(feed.key);
    await this.#connected().request(feed.unsubscription());
  }

  /** Closes the connection and stops reconnecting. */
  close(): void {
    this.#isClosed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#socket?.close();
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
    if (verdict === 'GAP') this.#socket?.terminate();
  }

  /** Subscribes again after a delay: a venue that is down ends each new subscription at once. */
  #onEnded(ended: EndedFeed): void {
    const socket = this.#socket;
    const feed = this.#feeds.get(keyOfEnded(ended));
    if (socket === null || feed === undefined) return;
    const restart = (): void => {
      if (this.#socket === socket && this.#feeds.get(feed.key) === feed) void this.#resume(socket, feed);
    };
    setTimeout(restart, feed.restarts.nextMs(Math.random())).unref();
  }

  async #resume(socket: StreamSocket, feed: Feed): Promise<void> {
    try {
      await socket.request(feed.subscription());
    } catch (error) {
      if (!(error instanceof SluiceError) || (error.status === 0 && error.code === 'NETWORK_ERROR')) return;
      this.#options.onFeedLost?.(feed.request, error);
      if (error.code !== NOT_RESUMABLE) return void this.#feeds.delete(feed.key);
      feed.forgetPosition();
      await this.#resume(socket, feed);
    }
  }

  #onClosed(code: number): void {
    this.#socket = null;
    this.#options.onConnection?.('DOWN');
    if (this.#isClosed) return;
    // A connection that begins at once would end in the same way.
    this.#reconnectLater(code === POLICY_VIOLATION ? REFUSED_AGAIN_MS : undefined);
  }

  #reconnectLater(waitMs = this.#backoff.nextMs(Math.random())): void {
    this.#retry = setTimeout(() => {
      this.connect().catch((error: unknown) => {
        if (this.#isClosed) return;
        this.#options.onReconnectFailed?.(error);
        this.#reconnectLater();
      });
    }, waitMs);
  }
}

function streamUrl(base: string): string {
  return `${base.replace(/^http/, 'ws').replace(/\/$/, '')}/api/v2/ws`;
}
