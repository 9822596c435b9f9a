import type { Socket, SocketListener } from '../../src/client/stream-socket.js';

const LOST = 1006;

/** A connection that the test drives from the side of the service. */
export class FakeSocket implements Socket {
  readonly sent: Record<string, unknown>[] = [];
  isOpen = false;
  readonly #listener: SocketListener;

  constructor(listener: SocketListener) {
    this.#listener = listener;
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }

  close(): void {
    this.isOpen = false;
  }

  terminate(): void {
    this.drop();
  }

  open(): void {
    this.isOpen = true;
    this.#listener.opened();
  }

  receive(message: object): void {
    this.#listener.received(JSON.stringify(message));
  }

  /** Answers the oldest request; resolves when the client has seen it. */
  async acknowledge(code = 0): Promise<void> {
    this.receive({ code, message: String(code) });
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  }

  drop(code = LOST): void {
    this.isOpen = false;
    this.#listener.closed(code, null);
  }
}
