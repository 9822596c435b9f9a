import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Answer, readAnswer, readAnswers } from './http-answer.js';

/** How an exchange ended. `before`: earlier bytes on the connection, which may be the cause of a close. */
export type Outcome =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly tookMs: number }
  | { readonly kind: 'closed'; readonly before: Buffer }
  | { readonly kind: 'late' }
  | { readonly kind: 'garbled'; readonly line: string };

export interface Address {
  readonly host: string;
  readonly port: number;
}

const PAUSE_MS = 5;
const QUIET_MS = 120;

/** A connection for consecutive requests. */
export class WireConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #sentBefore: Buffer = Buffer.alloc(0);
  #onChange: () => void = () => undefined;
  #usedAtMs = performance.now();

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#onChange();
    });
    socket.on('close', () => this.#onChange());
  }

  static async open(address: Address): Promise<WireConnection> {
    return new WireConnection(await openSocket(address));
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** Time since it was opened or answered. */
  get idleMs(): number {
    return performance.now() - this.#usedAtMs;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Sends a request and waits for its answer. Closes the connection unless another request may follow. */
  async exchange(bytes: Buffer, isHead: boolean, waitMs: number): Promise<Outcome> {
    const startMs = performance.now();
    this.#socket.write(bytes);
    const outcome = await new Promise<Outcome>((resolve) => {
      const timer = setTimeout(() => resolve({ kind: 'late' }), waitMs);
      this.#onChange = () => {
        const reading = readAnswer(this.#received, isHead);
        if (reading.kind === 'incomplete' && this.isOpen) return;
        clearTimeout(timer);
        if (reading.kind === 'incomplete') return resolve({ kind: 'closed', before: this.#sentBefore });
        if (reading.kind === 'garbled') return resolve(reading);
        this.#received = reading.rest;
        resolve({ kind: 'answer', answer: reading.answer, tookMs: performance.now() - startMs });
      };
    });
    this.#onChange = () => undefined;
    this.#usedAtMs = performance.now();
    this.#sentBefore = bytes;
    const isKept = outcome.kind === 'answer' && outcome.answer.headers.get('connection') !== 'close';
    if (!isKept) this.close();
    return outcome;
  }
}

/** Writes pieces on a new connection. Resolves with all answers when it closes or is silent. */
export async function sendPieces(
  address: Address,
  pieces: readonly Buffer[],
  end: 'wait' | 'half close' | 'cut off',
): Promise<{ answers: readonly Answer[]; garbled: string | null }> {
  const socket = await openSocket(address);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  const over = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.setTimeout(QUIET_MS, () => resolve());
  });
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (socket.writable) socket.write(piece);
  }
  if (end === 'half close') socket.end();
  if (end === 'wait' || end === 'half close') await over;
  socket.destroy();
  return readAnswers(Buffer.concat(chunks), false);
}

async function openSocket({ host, port }: Address): Promise<Socket> {
  const socket = connect(port, host);
  socket.setNoDelay(true);
  await once(socket, 'connect');
  // The server's answer to a broken request may reset the connection, which counts as a close.
  socket.on('error', () => undefined);
  return socket;
}
