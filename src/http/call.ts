import type { HttpResponse } from 'uWebSockets.js';
import { ANSWER_BYTES_AT_ONCE_MAX } from '../model/limits.js';
import type { Rejection } from '../model/rejection.js';
import { AnswerStream } from './answer-stream.js';
import { OK, RETRY_AFTER_HEADER, errorText, isUnavailability, statusLineOf } from './errors.js';
import type { StaticFile } from './docs-files.js';
import type { RouteMeter } from './metrics/answer-meter.js';
import type { HttpLog } from './port.js';
import type { RequestHead } from './request-head.js';

export interface CallParts {
  readonly res: HttpResponse;
  readonly head: RequestHead;
  readonly requestId: string;
  readonly log: HttpLog;
  /** Told of the answer. */
  readonly meter: RouteMeter;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonicMs: () => number;
  /** Called once, when it is answered or the client has gone. */
  readonly onOver: () => void;
}

/** One request and its one answer. Answering a client that has gone, or twice, does nothing. */
export class Call {
  readonly head: RequestHead;
  readonly requestId: string;
  /** Header lines of the caller's budget, each with its line break before it; '' while limits are off. */
  budgetHeaders = '';
  readonly #res: HttpResponse;
  readonly #log: HttpLog;
  readonly #meter: RouteMeter;
  readonly #monotonicMs: () => number;
  readonly #beganAtMs: number;
  readonly #onOver: () => void;
  #onGone: () => void = () => undefined;
  #isOver = false;
  #alsoWhenOver: (() => void) | null = null;

  constructor({ res, head, requestId, log, meter, monotonicMs, onOver }: CallParts) {
    this.#res = res;
    this.head = head;
    this.requestId = requestId;
    this.#log = log;
    this.#meter = meter;
    this.#monotonicMs = monotonicMs;
    this.#beganAtMs = monotonicMs();
    this.#onOver = onOver;
    // uWebSockets ends the process when a handler returns without an answer and without this.
    res.onAborted(() => {
      this.#end();
      this.#onGone();
    });
  }

  /** True once it is answered, or the client has gone. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** `listener` is called when the connection is lost before the answer is complete. */
  onGone(listener: () => void): void {
    this.#onGone = listener;
  }

  /** Begins a 200 with a JSON text that is sent in parts; null when the call is over. */
  stream(onDrained: () => void): AnswerStream | null {
    if (this.#isOver) return null;
    this.#meter.note(OK, this.#monotonicMs() - this.#beganAtMs);
    return new AnswerStream(this.#res, this.#topOf(OK, ''), onDrained, () => this.#end());
  }

  /** As the socket has it: 4 bytes of IPv4 or 16 of IPv6. Only while the call is not answered. */
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

  /** Sends a JSON text. `extraHeaders`: header lines, each with its line break before it. */
  answer(statusLine: string, body: string, extraHeaders = ''): void {
    this.#send(statusLine, body, extraHeaders, false);
  }

  /** Sends a file. */
  answerFile({ headers, bytes }: Pick<StaticFile, 'headers' | 'bytes'>): void {
    if (this.#isOver) return;
    this.#meter.note(OK, this.#monotonicMs() - this.#beganAtMs);
    const top = `${OK}${headers}\r\nX-Request-Id: ${this.requestId}`;
    if (!this.head.isHead) return this.#sendGradually(top, bytes);
    // With a length of its own, endWithoutBody waits for a body that never comes, and the connection is lost.
    this.#res.cork(() => {
      this.#res.writeStatus(`${top}\r\nContent-Length: ${bytes.byteLength}`);
      this.#res.endWithoutBody();
    });
    this.#end();
  }

  /** Sends an error body; the status is the code's own unless another one is given. */
  refuse(rejection: Rejection, statusLine: string = statusLineOf(rejection.code), extraHeaders = ''): void {
    const retryHeader = isUnavailability(rejection.code) ? RETRY_AFTER_HEADER : '';
    this.answer(statusLine, errorText(rejection, this.requestId), retryHeader + extraHeaders);
  }

  /** Sends an error body and closes the connection: nothing that follows on it can be trusted. */
  refuseAndClose(rejection: Rejection, statusLine: string = statusLineOf(rejection.code)): void {
    this.#send(statusLine, errorText(rejection, this.requestId), '', true);
  }

  /** The same function, except that what it throws is logged and answered 500 instead of ending the process. */
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

  /** A bug of ours: told to the log in full and to the client by its request id alone. */
  fail(error: unknown): void {
    this.#log.error({ err: error, requestId: this.requestId, path: this.head.path }, 'a request failed');
    const message = 'the service failed to handle this request; its log names the request id';
    this.refuse({ code: 'SYSTEM_ERROR', message });
  }

  #send(statusLine: string, body: string, extraHeaders: string, isClosing: boolean): void {
    if (this.#isOver) return;
    this.#meter.note(statusLine, this.#monotonicMs() - this.#beganAtMs);
    const res = this.#res;
    const top = this.#topOf(statusLine, extraHeaders);
    if (body.length > ANSWER_BYTES_AT_ONCE_MAX && !this.head.isHead) return this.#sendGradually(top, Buffer.from(body));
    res.cork(() => {
      res.writeStatus(top);
      if (!this.head.isHead) res.end(body, isClosing);
      else if (isClosing) res.endWithoutBody(0, true);
      else res.endWithoutBody();
    });
    this.#end();
  }

  /** One native call for status and headers instead of one each: a tenth of the cost of a small request. */
  #topOf(statusLine: string, extraHeaders: string): string {
    return `${statusLine}\r\nContent-Type: application/json\r\nX-Request-Id: ${this.requestId}${this.budgetHeaders}${extraHeaders}`;
  }

  /** Hands a large body to the socket as it drains, without a second copy of it inside uWebSockets. */
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

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#alsoWhenOver?.();
    this.#onOver();
  }
}
