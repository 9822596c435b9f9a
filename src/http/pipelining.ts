import { HELD_BODY_BYTES_MAX } from '../domain/limits/clients.js';
import type { Call } from './call.js';

/** Begins one request. `body`: the bytes of a POST; empty for a GET. */
export type BeginRequest = (call: Call, body: Buffer) => void;

interface WaitingRequest {
  readonly call: Call;
  readonly body: Buffer;
  readonly begin: BeginRequest;
}

/**
 * Keeps pipelined requests apart, so that no order is placed whose answer is lost. uWebSockets closes a connection as
 * soon as it parses a request while the one before has no answer. A request that changes something therefore begins
 * after all bytes of its read are parsed, and nothing more is read until its answer:
 *
 *     create and ping in one read    the connection closes at the ping, and the create never begins
 *     create, later a ping           the create begins, reading pauses, the answer is sent, the ping is read
 *     create, answered in its turn   nothing is read in between, so reading does not pause
 */
export class Pipelining {
  readonly #atEndOfTurn: (run: () => void) => void;
  #waiting: WaitingRequest[] = [];
  #heldBytes = 0;

  /** `atEndOfTurn`: calls back when the event loop has read from its sockets, and in the same turn what that adds. */
  constructor(atEndOfTurn: (run: () => void) => void) {
    this.#atEndOfTurn = atEndOfTurn;
  }

  /**
   * Begins the request after this read, unless its connection closes before. False: the waiting bodies would exceed
   * HELD_BODY_BYTES_MAX.
   */
  begin(call: Call, body: Buffer, begin: BeginRequest): boolean {
    if (this.#heldBytes + body.byteLength > HELD_BODY_BYTES_MAX) return false;
    this.#heldBytes += body.byteLength;
    if (this.#waiting.push({ call, body, begin }) === 1) this.#atEndOfTurn(this.#beginWaiting);
    return true;
  }

  readonly #beginWaiting = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#heldBytes = 0;
    for (const { call, body, begin } of waiting) {
      if (call.isOver) continue;
      call.isChange = true;
      try {
        begin(call, body);
      } catch (error) {
        call.fail(error);
      }
    }
    // Nothing is read before the turn ends. A call that is answered by then needs no pause, which would cost three
    // system calls and a turn of the event loop. So is a create that the main thread writes itself.
    this.#atEndOfTurn(() => {
      for (const { call } of waiting) call.readNothingMore();
    });
  };
}
