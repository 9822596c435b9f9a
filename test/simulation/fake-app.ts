import type { HttpRequest, HttpResponse, TemplatedApp, WebSocket, WebSocketBehavior } from 'uWebSockets.js';

type Handler = (res: HttpResponse, req: HttpRequest) => void;

export interface FakeRequest {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly query?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const LOOPBACK = new Uint8Array([127, 0, 0, 1]).buffer;

/** One HTTP request for the handlers, and its answer. */
export class FakeExchange {
  status = 0;
  body = '';
  isAnswered = false;
  readonly #onAnswer: (exchange: FakeExchange) => void;
  #onAborted: () => void = () => undefined;

  constructor(onAnswer: (exchange: FakeExchange) => void) {
    this.#onAnswer = onAnswer;
  }

  /** The client has closed its connection. */
  abort(): void {
    if (!this.isAnswered) this.#onAborted();
  }

  /** The part of a response that the handlers use. */
  responseTo(request: FakeRequest): HttpResponse {
    const written: Uint8Array[] = [];
    // A part of the body is only valid until the call returns.
    const write = (part: string | Uint8Array): void => void written.push(Buffer.from(part as string));
    const end = (text: string | Uint8Array = ''): void => {
      write(text);
      this.body = Buffer.concat(written).toString('utf8');
      this.isAnswered = true;
      this.#onAnswer(this);
    };
    const response = {
      getRemoteAddress: () => LOOPBACK,
      onAborted: (run: () => void) => void (this.#onAborted = run),
      onWritable: () => response,
      pause: () => response,
      resume: () => response,
      onData: (take: (chunk: ArrayBuffer, isLast: boolean) => void) => {
        const bytes = new TextEncoder().encode(request.body ?? '');
        take(bytes.buffer, true);
      },
      cork: (write: () => void) => write(),
      writeStatus: (line: string) => {
        this.status = Number.parseInt(line, 10);
        return response;
      },
      writeHeader: () => response,
      write: (part: string | Uint8Array) => {
        write(part);
        return true;
      },
      close: () => this.abort(),
      end,
      endWithoutBody: () => end(),
      tryEnd: (bytes: Uint8Array) => {
        end(bytes);
        return [true, true];
      },
    };
    return response as unknown as HttpResponse;
  }
}

/** A server without sockets. The real routes are registered on it and called in the same way as by the library. */
export class FakeApp {
  readonly #routes = new Map<string, Handler>();
  #streams: WebSocketBehavior<unknown> | null = null;

  /** The code that registers routes accepts it as the library's application. */
  get app(): TemplatedApp {
    const on =
      (method: string) =>
      (path: string, handler: Handler): void =>
        void this.#routes.set(`${method} ${path}`, handler);
    const app = {
      get: on('get'),
      post: on('post'),
      head: on('head'),
      any: on('any'),
      ws: (_path: string, behavior: WebSocketBehavior<unknown>) => void (this.#streams = behavior),
      publish: () => true,
    };
    return app as unknown as TemplatedApp;
  }

  /** Calls the handler of the request's path; the answer may come later. */
  request(request: FakeRequest, onAnswer: (exchange: FakeExchange) => void): FakeExchange {
    const handler = this.#routes.get(`${request.method} ${request.path}`);
    if (handler === undefined) throw new Error(`no route for ${request.method} ${request.path}`);
    const exchange = new FakeExchange(onAnswer);
    const headers = { host: 'localhost', ...request.headers };
    const read = {
      getMethod: () => request.method,
      getUrl: () => request.path,
      getQuery: () => request.query ?? '',
      getHeader: (name: string) => (headers as Record<string, string>)[name] ?? '',
      forEach: (take: (name: string, value: string) => void) => {
        for (const [name, value] of Object.entries(headers)) take(name, value);
        if (request.body !== undefined) take('content-length', String(Buffer.byteLength(request.body)));
      },
    };
    handler(exchange.responseTo(request), read as unknown as HttpRequest);
    return exchange;
  }

  /** Opens a WebSocket by its handshake; null when it is refused. */
  connect(listenKey: string, onFrame: (text: string) => void): FakeSocket | null {
    const streams = this.#streams;
    if (streams?.upgrade === undefined) throw new Error('no WebSocket route');
    const socket = new FakeSocket(streams, onFrame);
    const res = {
      getRemoteAddress: () => LOOPBACK,
      onAborted: () => undefined,
      writeStatus: () => res,
      writeHeader: () => res,
      end: () => undefined,
      upgrade: (userData: unknown) => socket.open(userData),
    };
    const req = { getQuery: () => listenKey, getHeader: () => '' };
    void streams.upgrade(res as unknown as HttpResponse, req as unknown as HttpRequest, {});
    return socket.isOpen ? socket : null;
  }
}

/** One WebSocket. Messages wait while its client does not read. */
export class FakeSocket {
  isOpen = false;
  /** The close code; null while it is open. */
  code: number | null = null;
  readonly #streams: WebSocketBehavior<unknown>;
  readonly #onFrame: (text: string) => void;
  #userData: unknown = null;
  #waiting: Uint8Array[] = [];
  #isRead = true;

  constructor(streams: WebSocketBehavior<unknown>, onFrame: (text: string) => void) {
    this.#streams = streams;
    this.#onFrame = onFrame;
  }

  open(userData: unknown): void {
    this.#userData = userData;
    this.isOpen = true;
    void this.#streams.open?.(this.#socket);
  }

  send(text: string): void {
    const bytes = new TextEncoder().encode(text);
    if (this.isOpen) void this.#streams.message?.(this.#socket, bytes.buffer, false);
  }

  /** Lets the client start or stop reading. */
  setReading(isRead: boolean): void {
    this.#isRead = isRead;
    if (!isRead) return;
    for (const frame of this.#waiting.splice(0)) this.#onFrame(Buffer.from(frame).toString('utf8'));
    if (this.isOpen) this.#streams.drain?.(this.#socket);
  }

  /** The connection breaks; frames that were not read are lost. */
  cut(code = 1006): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.code = code;
    this.#waiting = [];
    this.#streams.close?.(this.#socket, code, new ArrayBuffer(0));
  }

  readonly #socket = {
    getUserData: () => this.#userData,
    getBufferedAmount: () => this.#waiting.reduce((sum, { byteLength }) => sum + byteLength, 0),
    send: (frame: Uint8Array) => {
      if (!this.isOpen) throw new Error('a frame is sent on a closed socket');
      if (this.#isRead) {
        this.#onFrame(Buffer.from(frame).toString('utf8'));
        return 1;
      }
      this.#waiting.push(Uint8Array.from(frame));
      return 0;
    },
    cork: (run: () => void) => run(),
    subscribe: () => true,
    unsubscribe: () => true,
    end: (code: number) => {
      for (const frame of this.#waiting.splice(0)) this.#onFrame(Buffer.from(frame).toString('utf8'));
      this.cut(code);
    },
    close: () => this.cut(),
  } as unknown as WebSocket<unknown>;
}
