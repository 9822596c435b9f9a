import { once } from 'node:events';
import type { Socket } from 'node:net';
import WebSocket from 'ws';
import type { AnswerSchemas } from './answer-schemas.js';
import type { StreamPlan } from './stream-plan.js';

const PING = '{"topic":"ping"}';
const PONG = '{"topic":"pong"}';
/** Close code for a slow reader, which the service may always send. */
const TOO_FAR_BEHIND = 1013;

/** A stream client that validates every frame. */
export class StreamVisitor {
  readonly #socket: WebSocket;
  readonly #schemas: AnswerSchemas;
  #wire: Socket | null = null;
  #pongs = 0;
  #closeCode = 0;
  #complaint: string | null = null;
  #onChange: () => void = () => undefined;

  private constructor(socket: WebSocket, schemas: AnswerSchemas) {
    this.#socket = socket;
    this.#schemas = schemas;
    socket.on('error', () => undefined);
    socket.once('upgrade', (response) => (this.#wire = response.socket));
    socket.on('message', (data: Buffer) => this.#onFrame(data.toString()));
    socket.once('close', (code) => {
      this.#closeCode = code;
      this.#onChange();
    });
  }

  /** Rejects when the handshake is rejected. `url` includes the listen key. */
  static async open(url: string, schemas: AnswerSchemas, waitMs: number): Promise<StreamVisitor> {
    const socket = new WebSocket(url, { handshakeTimeout: waitMs });
    const visitor = new StreamVisitor(socket, schemas);
    await once(socket, 'open');
    return visitor;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  close(): void {
    this.#socket.terminate();
  }

  /** Executes a plan, then pings. Resolves with a complaint, or null. */
  async act(plan: StreamPlan, waitMs: number): Promise<string | null> {
    for (const { data, isLast = true } of plan.frames) this.#socket.send(data, { fin: isLast });
    const pongs = this.#pongs;
    if (plan.raw === null) this.#socket.send(PING);
    else this.#wire?.write(plan.raw, () => this.#socket.send(PING));
    const isOver = (): boolean => this.#pongs > pongs || !this.isOpen;
    await this.#until(isOver, plan.isBeyondLimits ? Math.min(waitMs, QUIET_MS) : waitMs);
    return this.#complaint ?? this.#ending(plan, pongs);
  }

  /** An incomplete frame swallows the ping, so silence is correct. */
  #ending({ isBeyondLimits }: StreamPlan, pongs: number): string | null {
    if (isBeyondLimits) {
      this.close();
      return null;
    }
    if (this.#pongs > pongs || this.#closeCode === TOO_FAR_BEHIND) return null;
    return this.isOpen ? 'no pong came in time' : `the connection closed with ${this.#closeCode}`;
  }

  #onFrame(text: string): void {
    if (text === PONG) {
      this.#pongs += 1;
      return this.#onChange();
    }
    const complaint = this.#schemas.frameComplaint(text);
    if (complaint !== '') this.#complaint ??= `${complaint}: ${text.slice(0, 300)}`;
  }

  #until(isSo: () => boolean, waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.#onChange = () => {
        if (!isSo()) return;
        clearTimeout(timer);
        resolve();
      };
      this.#onChange();
    });
  }
}

const QUIET_MS = 100;
