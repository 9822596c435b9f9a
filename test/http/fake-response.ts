import type { HttpResponse } from 'uWebSockets.js';

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

  #end(body: string): void {
    this.body = body;
    this.#onEnded();
  }
}
