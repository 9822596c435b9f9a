import type { FeedRequest } from './feed.js';
import { FeedStream, type FeedStreamOptions } from './feed-stream.js';
import { nodeSockets } from './node-socket.js';
import type { FrameOf, Topic } from './wire.js';

export interface StreamClientOptions extends FeedStreamOptions {
  /** Base address of the service, http or ws, for example http://127.0.0.1:8080. */
  readonly url: string;
}

/**
 * Client of the WebSocket streams. It reconnects automatically and resumes each account feed after its latest frame.
 * A consumer receives every frame once and in order. A feed without a frame and without resumeFrom begins with the
 * first new frame.
 */
export class StreamClient {
  readonly #stream: FeedStream;

  constructor({ url, ...options }: StreamClientOptions) {
    this.#stream = new FeedStream({ ...options, openSocket: nodeSockets(streamUrl(url)) });
  }

  /** Resolves when connected. Rejects with SluiceError when this attempt fails. Lost connections are retried. */
  connect(): Promise<void> {
    return this.#stream.connect();
  }

  /** Resolves on the acknowledgement. Rejects with SluiceError; its code is 7001, 7002 or 8054 from the service. */
  subscribe<Name extends Topic>(
    request: FeedRequest & { readonly topic: Name },
    onFrame: (frame: FrameOf<Name>) => void,
  ): Promise<void> {
    return this.#stream.subscribe(request, onFrame);
  }

  unsubscribe(request: FeedRequest): Promise<void> {
    return this.#stream.unsubscribe(request);
  }

  /** Closes the connection and stops reconnecting. */
  close(): void {
    this.#stream.close();
  }
}

function streamUrl(base: string): string {
  return `${base.replace(/^http/, 'ws').replace(/\/$/, '')}/api/v2/ws`;
}
