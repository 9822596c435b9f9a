import { WebSocket, type ClientOptions } from 'ws';
import { eventually } from '../../system/eventually.js';
import type { Trader } from './trader.js';

/** A parsed frame without checks. */
export type Frame = Readonly<Record<string, unknown>>;

/** The answer to a request. */
export interface StreamAnswer {
  readonly code: number;
  readonly message: string;
}

/** A WebSocket client that is written from the contract and keeps all received frames. */
export class StreamClient {
  readonly frames: Frame[] = [];
  readonly answers: StreamAnswer[] = [];
  /** Close code; null while it is open. */
  closeCode: number | null = null;
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Frame;
      if ('code' in frame) this.answers.push(frame as unknown as StreamAnswer);
      else this.frames.push(frame);
    });
    socket.on('close', (code) => {
      this.closeCode = code;
    });
  }

  /** Connects with a new listen key of the trader. */
  static async of(trader: Trader): Promise<StreamClient> {
    const { body } = await trader.get<string>('/api/v2/trading/listenKey');
    return StreamClient.at(`${streamUrl(trader)}?listenKey=${body}`);
  }

  /** Rejects when the handshake is refused. */
  static at(url: string, options: ClientOptions = {}): Promise<StreamClient> {
    const socket = new WebSocket(url, options);
    const client = new StreamClient(socket);
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(client));
      socket.once('error', reject);
    });
  }

  /** Sends a text unchanged, another value as JSON. */
  send(message: unknown): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Sends a request and resolves with its answer. Requests are answered in order. */
  async ask(message: unknown): Promise<StreamAnswer> {
    const place = this.answers.length;
    this.send(message);
    await eventually(
      () => this.answers.length,
      (count) => count > place,
    );
    return this.answers[place] as StreamAnswer;
  }

  /** Subscribes. Throws when the subscription is not acknowledged. */
  async follow(topic: string, extras: object = {}): Promise<void> {
    const { code, message } = await this.ask({ topic, exchange: 'BINANCE', method: 'subscribe', ...extras });
    if (code !== 0) throw new Error(`${topic}: ${code} ${message}`);
  }

  /** All received frames of a topic. */
  of(topic: string): readonly Frame[] {
    return this.frames.filter((frame) => frame['topic'] === topic);
  }

  /** Resolves with the first frame of a topic that matches. */
  async frame(topic: string, isWanted: (frame: Frame) => boolean = () => true): Promise<Frame> {
    const found = await eventually(
      () => this.of(topic).find(isWanted) ?? null,
      (frame) => frame !== null,
    );
    return found as Frame;
  }

  close(): void {
    this.#socket.terminate();
  }
}

export function streamUrl(trader: Trader): string {
  return `${trader.url.replace('http', 'ws')}/api/v2/ws`;
}

/** HTTP status of a handshake: 101 when it is accepted. */
export async function handshakeStatus(url: string, options: ClientOptions = {}): Promise<number> {
  try {
    (await StreamClient.at(url, options)).close();
    return 101;
  } catch (error) {
    return Number(/\d{3}/.exec((error as Error).message)?.[0]);
  }
}
