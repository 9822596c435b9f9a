import type { HttpResponse } from 'uWebSockets.js';
import {
  errorText,
  isUnavailability,
  JSON_ANSWER_HEADERS,
  OK,
  RETRY_AFTER_HEADER,
  statusLineOf,
} from '../api/field/error-code.js';
import { ANSWER_BYTES_AT_ONCE_MAX } from '../domain/limits/clients.js';
import type { Rejection } from '../domain/rejection.js';
import type { ReadStream } from '../intake/read-queue.js';
import type { RouteMeter } from './metrics/answer-meter.js';
import type { RequestHead } from './request-head.js';
import type { StaticFile } from './static-files.js';

/** An answer of unknown length. It is sent part by part, each when the socket has taken the part before. */
export class AnswerStream {
  readonly #res: HttpResponse;
  readonly #top: string;
  readonly #onEnd: () => void;
  #hasBegun = false;
  #isClogged = false;
  #isOver = false;

  /** `top`: status and headers. `onDrained`: called when the socket has taken all written bytes. */
  constructor(res: HttpResponse, top: string, onDrained: () => void, onEnd: () => void) {
    this.#res = res;
    this.#top = top;
    this.#onEnd = onEnd;
    res.onWritable(() => {
      if (this.#isOver || !this.#isClogged) return true;
      this.#isClogged = false;
      onDrained();
      return true;
    });
  }

  /** True while the socket has not taken the written bytes. The caller should wait for `onDrained`. */
  get isClogged(): boolean {
    return this.#isClogged;
  }

  write(bytes: Uint8Array): void {
    if (this.#isOver || bytes.byteLength === 0) return;
    this.#res.cork(() => {
      if (!this.#hasBegun) this.#res.writeStatus(this.#top);
      this.#hasBegun = true;
      this.#isClogged = !this.#res.write(bytes);
    });
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#res.cork(() => void this.#res.end());
    this.#onEnd();
  }

  /** Closes the connection before the end, so that the client does not take the part for the whole. */
  cut(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // The library calls the abort handler within this call.
    this.#res.close();
  }
}

const JSON_HEADERS = JSON_ANSWER_HEADERS.map(([name, value]) => `\r\n${name}: ${value}`).join('');

/** Logs faults of request handlers. */
export interface RequestLog {
  error(context: object, message: string): void;
}

interface CallParts {
  readonly res: HttpResponse;
  readonly head: RequestHead;
  readonly requestId: string;
  readonly log: RequestLog;
  /** Counts the answer. */
  readonly meter: RouteMeter;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonicMs: () => number;
  /** Called once, after the answer or when the client has disconnected. */
  readonly onOver: () => void;
}

/** One request and its one answer, as the endpoints see it: over HTTP, or in a session. */
export abstract class RequestCall {
  abstract readonly head: Pick<RequestHead, 'path' | 'query' | 'credentials'>;
  readonly requestId: string;
  /** Header lines of the caller's budget, each preceded by a line break; '' when limits are off. */
  budgetHeaders = '';
  readonly #log: RequestLog;

  constructor(requestId: string, log: RequestLog) {
    this.requestId = requestId;
    this.#log = log;
  }

  /** True after the answer, or when the client has disconnected. */
  abstract readonly isOver: boolean;

  /** The address as the socket reports it: 4 bytes of IPv4 or 16 of IPv6. Only before the answer. */
  abstract remoteAddress(): ArrayBuffer;

  /** Sends a JSON text. `extraHeaders`: header lines, each preceded by a line break. */
  abstract answer(statusLine: string, body: string, extraHeaders?: string): void;

  /** Begins a 200 with a JSON text that is sent in parts; null when the call is over. */
  abstract stream(onDrained: () => void): ReadStream | null;

  /** Calls `listener` when the connection is lost before the answer is complete. */
  abstract onGone(listener: () => void): void;

  /** Sends an error body. The status is that of the code unless another one is given. */
  refuse(rejection: Rejection, statusLine: string = statusLineOf(rejection.code), extraHeaders = ''): void {
    const retryHeader = isUnavailability(rejection.code) ? RETRY_AFTER_HEADER : '';
    this.answer(statusLine, errorText(rejection, this.requestId), retryHeader + extraHeaders);
  }

  /** Wraps a function: an exception is logged and answered with 500 instead of ending the process. */
  guarded<Parameters extends unknown[]>(
    action: (...parameters: Parameters) => void,
  ): (...parameters: Parameters) => void {
    return (...parameters) => {
      try {
        action(...parameters);
      } catch (error) {
        this.fail(error);
      }
    };
  }

  /** Handles an internal error: the log gets all details, the client only the request id. */
  fail(error: unknown): void {
    this.#log.error({ err: error, requestId: this.requestId, path: this.head.path }, 'a request failed');
    const message = 'the service failed to handle this request; its log names the request id';
    this.refuse({ code: 'SYSTEM_ERROR', message });
  }
}

/** A request over HTTP. A second answer, or an answer to a disconnected client, does nothing. */
export class Call extends RequestCall {
  readonly head: RequestHead;
  /** The request changes something. Its answer is handed over whole, so that the next request cannot cut it. */
  isChange = false;
  readonly #res: HttpResponse;
  readonly #meter: RouteMeter;
  readonly #monotonicMs: () => number;
  readonly #beganAtMs: number;
  readonly #onOver: () => void;
  #onGone: (() => void) | null = null;
  #isOver = false;
  #isReadingPaused = false;
  #hasBegunAnswer = false;
  #alsoWhenOver: (() => void) | null = null;

  constructor({ res, head, requestId, log, meter, monotonicMs, onOver }: CallParts) {
    super(requestId, log);
    this.#res = res;
    this.head = head;
    this.#meter = meter;
    this.#monotonicMs = monotonicMs;
    this.#beganAtMs = monotonicMs();
    this.#onOver = onOver;
    // uWebSockets ends the process when a handler returns without an answer and without this handler.
    res.onAborted(() => {
      this.#end();
      this.#onGone?.();
    });
  }

  /** True after the answer, or when the client has disconnected. */
  get isOver(): boolean {
    return this.#isOver;
  }

  onGone(listener: () => void): void {
    this.#onGone = listener;
  }

  /**
   * Reads nothing more of the connection until the answer begins. uWebSockets would close the connection at the next
   * request, and the answer would be lost. The end of the connection is not noticed meanwhile.
   */
  readNothingMore(): void {
    // A paused socket would not report that it takes bytes again.
    if (this.#isOver || this.#hasBegunAnswer) return;
    this.#isReadingPaused = true;
    this.#res.pause();
  }

  stream(onDrained: () => void): AnswerStream | null {
    if (this.#isOver) return null;
    this.#beginAnswer();
    this.#meter.note(OK, this.#monotonicMs() - this.#beganAtMs);
    return new AnswerStream(this.#res, this.#topOf(OK, ''), onDrained, () => this.#end());
  }

  remoteAddress(): ArrayBuffer {
    return this.#res.getRemoteAddress();
  }

  /** Runs when the call is over; at most one function. */
  whenOver(run: () => void): void {
    this.#alsoWhenOver = run;
  }

  /** Closes the connection without an answer. */
  cut(): void {
    if (!this.#isOver) this.#res.close();
  }

  answer(statusLine: string, body: string, extraHeaders = ''): void {
    this.#send(statusLine, body, extraHeaders, false);
  }

  /** Sends a file. */
  answerFile({ headers, bytes }: Pick<StaticFile, 'headers' | 'bytes'>): void {
    if (this.#isOver) return;
    this.#beginAnswer();
    this.#meter.note(OK, this.#monotonicMs() - this.#beganAtMs);
    const top = `${OK}${headers}\r\nX-Request-Id: ${this.requestId}`;
    if (!this.head.isHead) return this.#sendGradually(top, bytes);
    // With a length argument, endWithoutBody waits for a body that never comes, and the connection is lost.
    this.#res.cork(() => {
      this.#res.writeStatus(`${top}\r\nContent-Length: ${bytes.byteLength}`);
      this.#res.endWithoutBody();
    });
    this.#end();
  }

  /** Sends an error body and closes the connection: later bytes on it cannot be trusted. */
  refuseAndClose(rejection: Rejection, statusLine: string = statusLineOf(rejection.code)): void {
    this.#send(statusLine, errorText(rejection, this.requestId), '', true);
  }

  #send(statusLine: string, body: string, extraHeaders: string, isClosing: boolean): void {
    if (this.#isOver) return;
    this.#beginAnswer();
    this.#meter.note(statusLine, this.#monotonicMs() - this.#beganAtMs);
    const res = this.#res;
    const top = this.#topOf(statusLine, extraHeaders);
    const isGradual = body.length > ANSWER_BYTES_AT_ONCE_MAX && !this.head.isHead && !this.isChange;
    if (isGradual) return this.#sendGradually(top, Buffer.from(body));
    res.cork(() => {
      res.writeStatus(top);
      if (!this.head.isHead) res.end(body, isClosing);
      else if (isClosing) res.endWithoutBody(0, true);
      else res.endWithoutBody();
    });
    this.#end();
  }

  /** Joins status and headers into one native call, which saves a tenth of the cost of a small request. */
  #topOf(statusLine: string, extraHeaders: string): string {
    return `${statusLine}${JSON_HEADERS}\r\nX-Request-Id: ${this.requestId}${this.budgetHeaders}${extraHeaders}`;
  }

  /** Sends a large body as the socket drains, without a second copy of it inside uWebSockets. */
  #sendGradually(top: string, bytes: Buffer): void {
    const res = this.#res;
    const total = bytes.byteLength;
    const isOver = (isDone: boolean): void => {
      if (isDone) this.#end();
    };
    res.onWritable((offset) => {
      if (this.#isOver) return true;
      const [isTaken, isDone] = res.tryEnd(bytes.subarray(offset), total);
      isOver(isDone);
      return isTaken;
    });
    res.cork(() => {
      res.writeStatus(top);
      isOver(res.tryEnd(bytes, total)[1]);
    });
  }

  /** Reading goes on before the first byte is written: the library forgets a paused socket that has bytes to send. */
  #beginAnswer(): void {
    this.#hasBegunAnswer = true;
    if (!this.#isReadingPaused) return;
    this.#isReadingPaused = false;
    this.#res.resume();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#alsoWhenOver?.();
    this.#onOver();
  }
}
