import {
  SESSION_FRAME_BYTES_MAX,
  SESSION_REFUSALS_IN_A_ROW_MAX,
  SESSION_UNPAID_FRAMES_PER_SECOND,
  SESSION_UNPROVEN_FRAMES_MAX,
} from '../domain/limits/clients.js';
import { TokenBucket } from '../domain/token-bucket.js';
import type { SessionHolder } from './port.js';
import type { UnpaidFrames } from './unpaid-frames.js';

/**
 * Counts the frames of one session, also the pings and pongs of the WebSocket protocol:
 *
 *     until the authentication is answered   SESSION_UNPROVEN_FRAMES_MAX in all
 *     after it, an accepted request          the budgets of the key (REST counts them too)
 *               any other frame              the session's own share, then the bucket of its key and of its account
 *
 * Each method returns the reason to close the session; null: the frame is within the bound.
 */
export class SessionFrames {
  readonly #shared: UnpaidFrames;
  readonly #own = new TokenBucket(1000 / SESSION_UNPAID_FRAMES_PER_SECOND, 1000);
  #unprovenCount = 0;
  #refusalsInARow = 0;

  constructor(shared: UnpaidFrames, nowMs: number) {
    this.#shared = shared;
    // A full share for each new connection would be a new burst.
    this.#own.charge(SESSION_UNPAID_FRAMES_PER_SECOND - 1, nowMs);
  }

  /** Counts a frame of a client without a proven key. */
  takeUnproven(): string | null {
    this.#unprovenCount += 1;
    if (this.#unprovenCount <= SESSION_UNPROVEN_FRAMES_MAX) return null;
    return `more than ${SESSION_UNPROVEN_FRAMES_MAX} frames before the answer to auth`;
  }

  /** Counts `count` frames that no budget counts, at `nowMs`, which never steps back. */
  takeUnpaid(holder: SessionHolder, count: number, nowMs: number): string | null {
    return this.#own.take(count, nowMs) ? null : this.#shared.take(holder, count, nowMs);
  }

  /** Counts the answer of a request. */
  noteAnswer(status: number, holder: SessionHolder, nowMs: number): string | null {
    if (!isRefusal(status)) {
      this.#refusalsInARow = 0;
      return null;
    }
    this.#refusalsInARow += 1;
    if (this.#refusalsInARow < SESSION_REFUSALS_IN_A_ROW_MAX) return this.takeUnpaid(holder, 1, nowMs);
    return `${SESSION_REFUSALS_IN_A_ROW_MAX} requests in a row were refused`;
  }
}

/** Unpaid frames of a frame of this size beside its first SESSION_FRAME_BYTES_MAX: a large one takes longer to read. */
export function furtherUnits(bytes: number): number {
  return Math.max(0, Math.ceil(bytes / SESSION_FRAME_BYTES_MAX) - 1);
}

/** A refusal that the client causes. A busy service (503) is not its fault. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500;
}
