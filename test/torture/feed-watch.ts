import WebSocket from 'ws';
import type { SluiceClient } from '../../src/client/index.js';

const TOPICS = ['order', 'child_order', 'trade', 'balance'] as const;
type Topic = (typeof TOPICS)[number];

interface Frame {
  readonly topic?: string;
  readonly seq?: number;
  readonly snapshot?: boolean;
  readonly code?: number;
  readonly message?: string;
}

/**
 * Follows an account's feeds over many lives of the service: every frame once, in order, without a gap, and the same
 * text whenever it is sent again.
 */
export class FeedWatch {
  readonly #texts = new Map<Topic, string[]>(TOPICS.map((topic) => [topic, []]));
  readonly problems: string[] = [];

  /** Number of the last frame seen of a topic. */
  head(topic: Topic): number {
    return this.#texts.get(topic)?.length ?? 0;
  }

  get frameCount(): number {
    return TOPICS.reduce((sum, topic) => sum + this.head(topic), 0);
  }

  /** Follows the feeds from where they were left; resolves when subscribed. The socket dies with the service. */
  async follow(client: SluiceClient, port: number): Promise<WebSocket> {
    return this.#open(
      client,
      port,
      (topic) => this.head(topic),
      (topic, frame, text) => this.#take(topic, frame, text),
    );
  }

  /** Asks for everything again, from the first frame, and compares with what was seen. */
  async compareReplay(client: SluiceClient, port: number, waitMs: number): Promise<void> {
    const next = new Map<Topic, number>(TOPICS.map((topic) => [topic, 0]));
    const socket = await this.#open(
      client,
      port,
      () => 0,
      (topic, frame, text) => {
        const index = next.get(topic) ?? 0;
        next.set(topic, index + 1);
        if (frame.seq !== index + 1) this.problems.push(`replay of ${topic}: ${frame.seq} instead of ${index + 1}`);
        const seen = this.#texts.get(topic)?.[index];
        if (seen !== undefined && seen !== text)
          this.problems.push(`replay of ${topic} ${frame.seq} differs:\n${seen}\n${text}`);
      },
    );
    const endMs = Date.now() + waitMs;
    while (Date.now() < endMs && TOPICS.some((topic) => (next.get(topic) ?? 0) < this.head(topic))) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    socket.terminate();
    for (const topic of TOPICS) {
      const count = next.get(topic) ?? 0;
      if (count < this.head(topic)) this.problems.push(`replay of ${topic} ended at ${count} of ${this.head(topic)}`);
    }
  }

  #take(topic: Topic, frame: Frame, text: string): void {
    const texts = this.#texts.get(topic) as string[];
    if (frame.seq !== texts.length + 1) {
      this.problems.push(`${topic}: frame ${frame.seq} after ${texts.length}`);
      return;
    }
    texts.push(text);
  }

  async #open(
    client: SluiceClient,
    port: number,
    from: (topic: Topic) => number,
    take: (topic: Topic, frame: Frame, text: string) => void,
  ): Promise<WebSocket> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v2/ws?listenKey=${await client.listenKey()}`);
    socket.on('error', () => undefined);
    let acknowledged = 0;
    const subscribed = new Promise<void>((resolve, reject) => {
      socket.once('close', (code, reason) => {
        reject(new Error(`the stream closed with ${code} ${reason.toString()} before it was subscribed`));
      });
      socket.on('message', (data: Buffer) => {
        const text = data.toString();
        const frame = JSON.parse(text) as Frame;
        if (frame.code !== undefined) {
          if (frame.code !== 0) this.problems.push(`subscription refused: ${text}`);
          acknowledged += 1;
          if (acknowledged === TOPICS.length) resolve();
        } else if (frame.snapshot !== true && TOPICS.includes(frame.topic as Topic)) {
          take(frame.topic as Topic, frame, text);
        }
      });
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    for (const topic of TOPICS) {
      socket.send(JSON.stringify({ method: 'subscribe', topic, exchange: 'BINANCE', resume_from: from(topic) }));
    }
    await subscribed;
    return socket;
  }
}
