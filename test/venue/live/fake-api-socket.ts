import type { ApiSocket, SocketAnswer } from '../../../src/venue/live/transport/api-socket.js';

/** A socket without a connection. It records each message that would be sent. The test gives the answers. */
export class FakeApiSocket implements Pick<ApiSocket, 'isOpen' | 'request' | 'reopen'> {
  isOpen = true;
  /** null: no answer comes. */
  answer: SocketAnswer | null = null;
  reopened = 0;
  readonly sent: string[] = [];
  #lastId = 0;

  request(write: (id: string) => string): Promise<SocketAnswer | null> {
    this.#lastId += 1;
    this.sent.push(write(String(this.#lastId)));
    return Promise.resolve(this.answer);
  }

  reopen(): void {
    this.reopened += 1;
  }
}
