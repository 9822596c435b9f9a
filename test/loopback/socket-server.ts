import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { faultOf, type FaultScript } from './faults.js';

const PAYLOAD_BYTES_MAX = 256 * 1024;
/** A client that reads slower than this is disconnected. */
const UNSENT_BYTES_MAX = 16 * 1024 * 1024;
const REORDER_MS = 50;
const POLICY_VIOLATION = 1008;

/** One WebSocket of a client. All frames leave through `send`, which applies the faults. */
export class SocketSession {
  readonly address: string;
  readonly #socket: WebSocket;
  readonly #faults: FaultScript;
  #heldBack: string | null = null;
  #unansweredPings = 0;

  constructor(socket: WebSocket, { faults, address }: { faults: FaultScript; address: string }) {
    this.#socket = socket;
    this.#faults = faults;
    this.address = address;
    // A reset of the connection ends the session by its close event.
    socket.on('error', () => socket.terminate());
    socket.on('pong', () => {
      this.#unansweredPings = 0;
    });
  }

  onMessage(listener: (text: string) => void): void {
    this.#socket.on('message', (data) => listener((data as Buffer).toString('utf8')));
  }

  onClose(listener: () => void): void {
    this.#socket.on('close', listener);
  }

  /** Sends an event of a stream; the name selects fault rules. */
  send(name: string, frame: unknown): void {
    const faults = this.#faults.take(name);
    const whole = JSON.stringify(frame);
    const text = faultOf(faults, 'half') === undefined ? whole : whole.slice(0, whole.length / 2);
    if (faultOf(faults, 'cut') !== undefined) return this.cut();
    if (faultOf(faults, 'lose') !== undefined) return;
    const delay = faultOf(faults, 'delay');
    if (delay !== undefined) setTimeout(() => this.write(text), delay.ms).unref();
    else if (faultOf(faults, 'reorder') !== undefined) this.#holdBack(text);
    else this.#writeInOrder(text);
    if (faultOf(faults, 'duplicate') !== undefined) this.write(text);
  }

  /** Sends without faults. */
  write(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(text);
    if (this.#socket.bufferedAmount > UNSENT_BYTES_MAX) this.#socket.terminate();
  }

  /** Sends a ping. Ends the connection of a client that left too many pings unanswered. */
  ping(unansweredMax: number): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#unansweredPings >= unansweredMax) return this.cut();
    this.#unansweredPings += 1;
    this.#socket.ping(String(Date.now()));
  }

  close(reason: string): void {
    this.#socket.close(POLICY_VIOLATION, reason);
  }

  cut(): void {
    this.#socket.terminate();
  }

  #writeInOrder(text: string): void {
    this.write(text);
    this.#release();
  }

  #holdBack(text: string): void {
    this.#release();
    this.#heldBack = text;
    setTimeout(() => this.#release(), REORDER_MS).unref();
  }

  #release(): void {
    if (this.#heldBack === null) return;
    this.write(this.#heldBack);
    this.#heldBack = null;
  }
}

/** Accepts the WebSockets of one host and pings them. */
export class SocketServer {
  readonly sessions = new Set<SocketSession>();
  /** Number of connections so far. */
  openedCount = 0;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: PAYLOAD_BYTES_MAX });
  readonly #faults: FaultScript;
  readonly #timer: NodeJS.Timeout;

  constructor({
    faults,
    pingEveryMs,
    unansweredPingsMax,
  }: {
    faults: FaultScript;
    pingEveryMs: number;
    unansweredPingsMax: number;
  }) {
    this.#faults = faults;
    this.#timer = setInterval(() => {
      for (const session of this.sessions) session.ping(unansweredPingsMax);
    }, pingEveryMs).unref();
  }

  accept(
    request: IncomingMessage,
    { socket, head }: { socket: Duplex; head: Buffer },
    opened: (session: SocketSession) => void,
  ): void {
    const address = request.socket.remoteAddress ?? '';
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const session = new SocketSession(webSocket, { faults: this.#faults, address });
      this.openedCount += 1;
      this.sessions.add(session);
      session.onClose(() => this.sessions.delete(session));
      opened(session);
    });
  }

  cutAll(): void {
    for (const session of this.sessions) session.cut();
  }

  close(): void {
    clearInterval(this.#timer);
    this.cutAll();
  }
}
