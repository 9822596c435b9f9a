import type { Socket } from '../../src/stream/outbox.js';

/** A socket whose client reads only when the test allows it. */
export class FakeSocket implements Socket {
  /** Bytes that the kernel accepts before frames wait in the socket. */
  room = Number.POSITIVE_INFINITY;
  backlogBytesMax = 64 * 1024;
  readonly sent: string[] = [];
  readonly frames: Uint8Array[] = [];
  readonly topics = new Set<string>();
  closed: { readonly code: number; readonly reason: string } | null = null;
  corkCount = 0;
  #buffered = 0;

  send(frame: Uint8Array): number {
    if (this.closed !== null) throw new Error('the socket was used after its close');
    if (this.#buffered > this.backlogBytesMax) return 2;
    this.frames.push(frame);
    this.sent.push(Buffer.from(frame).toString());
    this.room -= frame.byteLength;
    if (this.room >= 0) return 1;
    this.#buffered -= this.room;
    this.room = 0;
    return 0;
  }

  cork(run: () => void): void {
    this.corkCount += 1;
    run();
  }

  getBufferedAmount(): number {
    return this.#buffered;
  }

  /** The client reads all waiting bytes, and `room` more bytes when they come. */
  read(room = Number.POSITIVE_INFINITY): void {
    this.#buffered = 0;
    this.room = room;
  }

  subscribe(topic: string): boolean {
    this.topics.add(topic);
    return true;
  }

  unsubscribe(topic: string): boolean {
    return this.topics.delete(topic);
  }

  end(code: number, reason: string): void {
    this.closed = { code, reason };
  }

  close(): void {
    this.closed = { code: 1006, reason: '' };
  }
}
