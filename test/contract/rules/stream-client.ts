import { WebSocket, type ClientOptions } from 'ws';
import { eventually } from '../../system/eventually.js';
import type { Trader } from './trader.js';

/** A frame as it came, parsed and not judged. */
export type Frame = Readonly<Record<string, unknown>>;

/** The answer to a request. */
export interface StreamAnswer {
  readonly code: number;
  readonly message: string;
}

/** A WebSocket that knows the contract only, and keeps all that it was sent. */
export class StreamClient {
  readonly frames: Frame[] = [];
  readonly answers: StreamAnswer[] = [];
  /** Close code, once it is closed. */
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

  /** With a fresh listen key of the trader. */
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

  /** A text is sent as it stands. */
  send(message: unknown): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Sends a request and resolves with its answer: every one is answered, in order. */
  async ask(message: unknown): Promise<StreamAnswer> {
    const place = this.answers.length;
    this.send(message);
    await eventually(
      () => this.answers.length,
      (count) => count > place,
    );
    return this.answers[place] as StreamAnswer;
  }

  /** Subscribes; throws when that is not acknowledged. */
  async follow(topic: string, extras: object = {}): Promise<void> {
    const { code, message } = await this.ask({ topic, exchange: 'BINANCE', method: 'subscribe', ...extras });
    if (code !== 0) throw new Error(`${topic}: ${code} ${message}`);
  }

  /** Every frame of a topic so far. */
  of(topic: string): readonly Frame[] {
    return this.frames.filter((frame) => frame['topic'] === topic);
  }

  /** The first frame of a topic that is as wanted, once it is there. */
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

/** HTTP status of a refused handshake; 101 for one that is not refused. */
export async function handshakeStatus(url: string, options: ClientOptions = {}): Promise<number> {
  try {
    (await StreamClient.at(url, options)).close();
    return 101;
  } catch (error) {
    return Number(/\d{3}/.exec((error as Error).message)?.[0]);
  }
}
