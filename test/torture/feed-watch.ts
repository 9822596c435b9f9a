import WebSocket from 'ws';
import type { SluiceClient } from '../../src/client/index.js';
import { pause } from './actor.js';

/** The reason with which the service closes a stream that it would begin with old events. */
const STILL_STORED = /1013 the latest events are still being stored; subscribe again/;
const ATTEMPTS_MAX = 30;
const AGAIN_MS = 500;
const TOPICS = ['order', 'child_order', 'trade', 'balance'] as const;

/** `topic exchange` */
type Feed = string;

interface Frame {
  readonly topic?: string;
  readonly exchange_name?: string;
  readonly seq?: number;
  readonly snapshot?: boolean;
  readonly code?: number;
  readonly message?: string;
}

/**
 * Follows an account's feeds over many runs of the service. Each frame must arrive once, in order and without a gap,
 * and have the same text when it is sent again.
 */
export class FeedWatch {
  readonly #feeds: readonly Feed[];
  readonly #texts: ReadonlyMap<Feed, string[]>;
  readonly problems: string[] = [];

  constructor(exchanges: readonly string[]) {
    this.#feeds = exchanges.flatMap((exchange) => TOPICS.map((topic) => `${topic} ${exchange}`));
    this.#texts = new Map(this.#feeds.map((feed) => [feed, []]));
  }

  /** Forgets all frames after a restore: the feeds continue from their end at the backup, with other frames. */
  restart(): void {
    for (const texts of this.#texts.values()) texts.length = 0;
  }

  get frameCount(): number {
    return this.#feeds.reduce((sum, feed) => sum + this.#head(feed), 0);
  }

  /** Resumes the feeds and resolves when subscribed. The socket closes with the service. */
  async follow(client: SluiceClient, port: number): Promise<void> {
    await this.#open(
      client,
      port,
      (feed) => this.#head(feed),
      (feed, frame, text) => this.#take(feed, frame, text),
    );
  }

  /**
   * Requests all frames from the first one and compares them with those received. Ends when no frame has arrived for
   * `silenceMs`.
   */
  async compareReplay(client: SluiceClient, port: number, silenceMs: number): Promise<void> {
    let heardAtMs = Date.now();
    const next = new Map<Feed, number>(this.#feeds.map((feed) => [feed, 0]));
    const socket = await this.#open(
      client,
      port,
      () => 0,
      (feed, frame, text) => {
        heardAtMs = Date.now();
        const index = next.get(feed) ?? 0;
        next.set(feed, index + 1);
        if (frame.seq !== index + 1) this.problems.push(`resume of ${feed}: ${frame.seq} instead of ${index + 1}`);
        const seen = this.#texts.get(feed)?.[index];
        if (seen !== undefined && seen !== text)
          this.problems.push(`resume of ${feed} ${frame.seq} differs:\n${seen}\n${text}`);
      },
    );
    const isMissing = (feed: Feed): boolean => (next.get(feed) ?? 0) < this.#head(feed);
    while (this.#feeds.some(isMissing) && Date.now() < heardAtMs + silenceMs) await pause(20);
    socket.terminate();
    for (const feed of this.#feeds.filter(isMissing)) {
      this.problems.push(`resume of ${feed} ended at ${next.get(feed)} of ${this.#head(feed)}`);
    }
  }

  /** Number of the last received frame of a feed. */
  #head(feed: Feed): number {
    return this.#texts.get(feed)?.length ?? 0;
  }

  #take(feed: Feed, frame: Frame, text: string): void {
    const texts = this.#texts.get(feed) as string[];
    if (frame.seq === texts.length + 1) texts.push(text);
    else this.problems.push(`${feed}: frame ${frame.seq} after ${texts.length}`);
  }

  /** Subscribes to all feeds; again while the service asks for that, because it still stores the latest events. */
  async #open(
    client: SluiceClient,
    port: number,
    from: (feed: Feed) => number,
    take: (feed: Feed, frame: Frame, text: string) => void,
  ): Promise<WebSocket> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#subscribe(client, port, from, take);
      } catch (error) {
        if (attempt === ATTEMPTS_MAX || !STILL_STORED.test(String(error))) throw error;
        await pause(AGAIN_MS);
      }
    }
  }

  async #subscribe(
    client: SluiceClient,
    port: number,
    from: (feed: Feed) => number,
    take: (feed: Feed, frame: Frame, text: string) => void,
  ): Promise<WebSocket> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v2/ws?listenKey=${await client.listenKey()}`);
    socket.on('error', () => undefined);
    let acknowledged = 0;
    const subscribed = new Promise<void>((resolve, reject) => {
      socket.once('close', (code, reason) => {
        reject(new Error(`the stream closed with ${code} ${reason.toString()} before the acknowledgement`));
      });
      socket.on('message', (data: Buffer) => {
        const text = data.toString();
        const frame = JSON.parse(text) as Frame;
        const feed = `${frame.topic} ${frame.exchange_name}`;
        if (frame.code !== undefined) {
          if (frame.code !== 0) this.problems.push(`subscription rejected: ${text}`);
          acknowledged += 1;
          if (acknowledged === this.#feeds.length) resolve();
        } else if (frame.snapshot !== true && this.#texts.has(feed)) {
          take(feed, frame, text);
        }
      });
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    for (const feed of this.#feeds) {
      const [topic, exchange] = feed.split(' ');
      socket.send(JSON.stringify({ method: 'subscribe', topic, exchange, resume_from: from(feed) }));
    }
    await subscribed;
    return socket;
  }
}
