import { Backoff } from './backoff.js';
import { Feed, feedKeyOf } from './feed.js';
import type { FeedRequest } from './feed.js';
import type { Frame, FrameOf, Topic } from './frames.js';
import { SluiceError } from './sluice-error.js';
import { StreamSocket } from './stream-socket.js';

export interface StreamClientOptions {
  /** Base address of the service, http or ws, for example http://127.0.0.1:8080. */
  readonly url: string;
  /** Called before each connection: a listen key is good for one hour only. */
  readonly listenKey: () => Promise<string>;
  readonly onConnection?: (state: 'UP' | 'DOWN') => void;
  /** It could not come back this time, with SluiceError from the service or what `listenKey` rejected with. */
  readonly onReconnectFailed?: (error: unknown) => void;
  /** After a reconnect the service could not go on where the feed had stopped: frames are missing, or the feed ended. */
  readonly onFeedLost?: (request: FeedRequest, error: SluiceError) => void;
}

/** The code of "what you ask to resume from is not kept any more". */
const NOT_RESUMABLE = '7001';

/**
 * Follows the streams. It reconnects by itself and resumes each account feed behind the last frame seen, so that a
 * consumer sees every frame once and in order. A feed that has shown no frame yet and was subscribed without
 * resumeFrom has no place to resume from: it begins with what is new.
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

  /** Resolves once connected. Rejects with SluiceError when the first connection fails; later ones are tried again. */
  async connect(): Promise<void> {
    const listenKey = await this.#options.listenKey();
    const socket = await StreamSocket.open(streamUrl(this.#options.url), listenKey, {
      frame: (frame) => this.#onFrame(frame),
      closed: () => this.#onClosed(),
    });
    if (this.#isClosed) return socket.terminate();
    this.#socket = socket;
    this.#backoff.reset();
    this.#options.onConnection?.('UP');
    await Promise.all([...this.#feeds.values()].map((feed) => this.#resume(socket, feed)));
  }

  /** Resolves once acknowledged; rejects with SluiceError whose code is the service's (7001, 7002, 8054). */
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

  /** Ends the connection for good. */
  close(): void {
    this.#isClosed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#socket?.close();
  }

  #connected(): StreamSocket {
    if (this.#socket !== null) return this.#socket;
    throw new SluiceError({
      status: 0,
      code: 'NETWORK_ERROR',
      message: 'the stream is not connected',
      requestId: null,
    });
  }

  #onFrame(frame: Frame): void {
    const feed = this.#feeds.get(feedKeyOf(frame));
    if (feed === undefined) return;
    const verdict = feed.judge(frame);
    if (verdict === 'DELIVER') feed.deliver(frame);
    // The service promises that there is no gap. Should there be one, a new connection resumes before it.
    if (verdict === 'GAP') this.#socket?.terminate();
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

  #onClosed(): void {
    this.#socket = null;
    this.#options.onConnection?.('DOWN');
    if (!this.#isClosed) this.#reconnectLater();
  }

  #reconnectLater(): void {
    this.#retry = setTimeout(() => {
      this.connect().catch((error: unknown) => {
        if (this.#isClosed) return;
        this.#options.onReconnectFailed?.(error);
        this.#reconnectLater();
      });
    }, this.#backoff.nextMs(Math.random()));
  }
}

function streamUrl(base: string): string {
  return `${base.replace(/^http/, 'ws').replace(/\/$/, '')}/api/v2/ws`;
}
