import type { HttpResponse } from 'uWebSockets.js';
import { Call } from '../../src/http/call.js';
import { AnswerMeters } from '../../src/http/metrics/answer-meter.js';

/** What of a request its call keeps. The default is a request of this machine without a body. */
interface SampleHead {
  readonly host?: string;
  readonly authorization?: string;
  readonly contentLength?: number;
}

/** Records everything that is written to one response. The peer has any address. */
export class FakeResponse {
  head = '';
  body = '';
  /** Pauses and ends of a pause, in their order. */
  readonly reading: ('pause' | 'resume')[] = [];
  readonly #address: readonly number[];
  #onEnded: () => void = () => undefined;
  /** Resolves when the response is complete. */
  readonly ended = new Promise<void>((resolve) => {
    this.#onEnded = resolve;
  });

  constructor(address: readonly number[]) {
    this.#address = address;
  }

  /** The calls that the service makes of the library's response. */
  get response(): HttpResponse {
    const response = {
      getRemoteAddress: () => new Uint8Array(this.#address).buffer,
      onAborted: () => response,
      onWritable: () => response,
      pause: () => this.reading.push('pause'),
      resume: () => this.reading.push('resume'),
      cork: (write: () => void) => write(),
      writeStatus: (text: string) => (this.head = text),
      end: (body: string) => this.#end(body),
      tryEnd: (bytes: Buffer) => {
        this.#end(bytes.toString());
        return [true, true];
      },
    };
    return response as unknown as HttpResponse;
  }

  /** A request that this response answers. */
  call(head: SampleHead = {}): Call {
    const credentials = { apiKey: '', timestamp: '', signature: '', recvWindow: '', version: '', nonce: '' };
    const request = { path: '/', query: '', host: 'localhost:8080', authorization: '', contentLength: 0, ...head };
    return new Call({
      res: this.response,
      head: { isHead: false, credentials, framingFailure: null, ...request },
      requestId: 'request-1',
      log: { error: () => undefined },
      meter: new AnswerMeters().of('/'),
      monotonicMs: () => 0,
      onOver: () => undefined,
    });
  }

  #end(body: string): void {
    this.body = body;
    this.#onEnded();
  }
}
