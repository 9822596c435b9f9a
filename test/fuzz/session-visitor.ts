import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';
import { digestOf, newNonce, requestText, signerOf } from '../../src/client/signature.js';
import { SESSION_FAULTY_FRAMES_MAX, SESSION_REFUSALS_IN_A_ROW_MAX } from '../../src/domain/limits/clients.js';
import type { AnswerSchemas } from './answer-schemas.js';
import type { Operation } from './api-document.js';
import type { Key } from './request-head.js';
import type { SessionPlan } from './session-plan.js';
import type { Address } from './wire-connection.js';

const PATH = '/api/v2/ws/trade';
const RECV_WINDOW_MS = 5_000;
const AGAIN_MS = 250;
const QUIET_MS = 100;
const POLICY_VIOLATION = 1008;
/** Close code for a slow reader, and for the oldest session without authentication. */
const TRY_AGAIN_LATER = 1013;
const REFUSED: ReadonlySet<number> = new Set([429, 503]);

interface SessionFrame {
  readonly id: string | null;
  readonly op: string | null;
  readonly status: number;
  readonly data?: unknown;
  readonly error?: unknown;
}

interface VisitorParts {
  readonly address: Address;
  readonly key: Key;
  readonly schemas: AnswerSchemas;
  readonly waitMs: number;
  /** Called with each created order. */
  readonly onCreated: (status: number, data: unknown) => void;
}

/** A client of order entry that validates every answer. */
export class SessionVisitor {
  readonly #parts: VisitorParts;
  readonly #socket: WebSocket;
  /** Requests without an answer: their operations by id. */
  readonly #open = new Map<string, (Operation | null)[]>();
  readonly #pongs = new Set<string>();
  #wire: Socket | null = null;
  #closeCode = 0;
  #pingCount = 0;
  #faultyCount = 0;
  #refusalsInARow = 0;
  #isLoose = false;
  #complaint: string | null = null;
  #onChange: () => void = () => undefined;
  #onStart: ((frame: SessionFrame) => void) | null = null;

  private constructor(parts: VisitorParts) {
    this.#parts = parts;
    const { host, port } = parts.address;
    this.#socket = new WebSocket(`ws://${host}:${port}${PATH}`, { handshakeTimeout: parts.waitMs });
    this.#socket.on('error', () => undefined);
    this.#socket.once('upgrade', (response) => (this.#wire = response.socket));
    this.#socket.on('message', (data: Buffer) => this.#onFrame(data.toString()));
    this.#socket.once('close', (code) => {
      this.#closeCode = code;
      this.#onChange();
    });
  }

  /** Opens a connection without authentication. */
  static async open(parts: VisitorParts): Promise<SessionVisitor> {
    for (;;) {
      const visitor = new SessionVisitor(parts);
      try {
        await once(visitor.#socket, 'open');
        return visitor;
      } catch (error) {
        // An address above its rate.
        if (!/Unexpected server response: (429|503)/.test(String(error))) throw error;
        await sleep(AGAIN_MS);
      }
    }
  }

  /** Opens a session. Tries again while the service refuses it temporarily. */
  static async start(parts: VisitorParts): Promise<SessionVisitor> {
    for (;;) {
      const visitor = await SessionVisitor.open(parts);
      const { status, error } = await visitor.#authenticated();
      if (status === 200) return visitor;
      visitor.close();
      if (!REFUSED.has(status)) throw new Error(`a session was refused with ${status}: ${JSON.stringify(error)}`);
      await sleep(AGAIN_MS);
    }
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  close(): void {
    this.#socket.terminate();
  }

  /** Executes a plan, then pings. Resolves with a complaint, or null. */
  async act(plan: SessionPlan): Promise<string | null> {
    this.#isLoose = plan.isBeyondLimits;
    this.#faultyCount += plan.faultyCount;
    for (const { id, operation } of plan.asked) this.#open.set(id, [...(this.#open.get(id) ?? []), operation]);
    for (const { data, isLast = true } of plan.frames) this.#socket.send(data, { fin: isLast });
    this.#pingCount += 1;
    const ping = `ping-${this.#pingCount}`;
    const text = JSON.stringify({ id: ping, op: 'ping' });
    if (plan.raw === null) this.#socket.send(text);
    else this.#wire?.write(plan.raw, () => this.#socket.send(text));
    const isDone = (): boolean => this.#pongs.has(ping) && this.#open.size === 0;
    const { waitMs } = this.#parts;
    await this.#until(() => isDone() || !this.isOpen, plan.isBeyondLimits ? QUIET_MS : waitMs);
    return this.#complaint ?? this.#ending(plan, isDone());
  }

  #ending({ isBeyondLimits }: SessionPlan, isDone: boolean): string | null {
    if (isBeyondLimits) {
      this.close();
      return null;
    }
    if (isDone || this.#closeCode === TRY_AGAIN_LATER) return null;
    if (this.#closeCode === POLICY_VIOLATION && this.#hasSentTooMuch) return null;
    if (!this.isOpen) return `the session closed with ${this.#closeCode}`;
    return `no answer in time to ${[...this.#open.keys()].slice(0, 3).join()} or the ping`;
  }

  /** The service closes such a session. */
  get #hasSentTooMuch(): boolean {
    return this.#faultyCount >= SESSION_FAULTY_FRAMES_MAX || this.#refusalsInARow >= SESSION_REFUSALS_IN_A_ROW_MAX;
  }

  #authenticated(): Promise<SessionFrame> {
    return new Promise((resolve, reject) => {
      this.#onStart = resolve;
      this.#onChange = () => {
        if (!this.isOpen) reject(new Error(`a session closed with ${this.#closeCode} at its start`));
      };
      this.#socket.send(JSON.stringify({ id: 'start', op: 'auth', args: this.#credentials() }));
    });
  }

  #credentials(): Record<string, unknown> {
    const { apiKey, apiSecret } = this.#parts.key;
    const [timestampMs, nonce] = [Date.now(), newNonce()];
    const line = {
      method: 'POST' as const,
      path: PATH,
      query: '',
      timestampMs,
      apiKey,
      recvWindowMs: RECV_WINDOW_MS,
      nonce,
    };
    const sign = signerOf(apiSecret)(requestText({ ...line, bodyDigest: digestOf('') }));
    return { api_key: apiKey, timestamp: timestampMs, recv_window: RECV_WINDOW_MS, sign_version: '2', nonce, sign };
  }

  #onFrame(text: string): void {
    if (text.startsWith('{"topic":')) return;
    const complaint = this.#parts.schemas.sessionComplaint(text);
    if (complaint !== '') {
      this.#complaint ??= `${complaint}: ${text.slice(0, 300)}`;
      return this.#onChange();
    }
    const frame = JSON.parse(text) as SessionFrame;
    if (this.#onStart !== null) {
      this.#onStart(frame);
      this.#onStart = null;
    } else if (frame.op === 'pong') this.#pongs.add(frame.id ?? '');
    else this.#onAnswer(frame);
    this.#onChange();
  }

  #onAnswer({ id, status, data, error }: SessionFrame): void {
    this.#parts.onCreated(status, data);
    this.#refusalsInARow = status >= 400 && status < 500 ? this.#refusalsInARow + 1 : 0;
    const waiting = this.#open.get(id ?? '') ?? [];
    const [operation, ...others] = waiting;
    if (operation === undefined) {
      if (!this.#isLoose) this.#complaint ??= `an answer to ${String(id)}, which was not asked or was answered before`;
      return;
    }
    if (others.length === 0) this.#open.delete(id ?? '');
    else this.#open.set(id ?? '', others);
    const body = JSON.stringify(data ?? error);
    if (status >= 500 && status !== 503) this.#complaint ??= `${status}: ${body.slice(0, 300)}`;
    if (operation === null) return;
    const complaint = this.#parts.schemas.complaint(operation, status, body);
    if (complaint !== '') this.#complaint ??= `${status}: ${complaint}: ${body.slice(0, 300)}`;
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
