import type { ApiKeyId } from '../domain/ids.js';
import {
  BURST_SECONDS,
  SESSION_FRAME_BYTES_MAX,
  SESSION_FRAMES_PER_SECOND,
  SESSION_OTHER_FRAMES_BURST_SECONDS,
  SESSION_OTHER_FRAMES_PER_SECOND,
  SESSION_REFUSALS_IN_A_ROW_MAX,
  SESSION_UNPROVEN_FRAMES_MAX,
  SESSIONS_PER_ACCOUNT_MAX,
} from '../domain/limits/clients.js';
import { TokenBucket } from '../domain/token-bucket.js';

/**
 * Counts the frames of one session, also the pings and pongs of the WebSocket protocol:
 *
 *     until the authentication is answered   SESSION_UNPROVEN_FRAMES_MAX in all
 *     after it                               the budgets of the key and SESSION_FRAMES_PER_SECOND
 *       frames that no budget counts         of these at most SESSION_OTHER_FRAMES_PER_SECOND
 *
 * A frame counts once for each SESSION_FRAME_BYTES_MAX begun.
 */
export class SessionFrames {
  /** null: the budgets of keys are off, and so is the bound of their frames. */
  readonly #all: TokenBucket | null;
  readonly #others = new TokenBucket(1000 / SESSION_OTHER_FRAMES_PER_SECOND, 1000 * SESSION_OTHER_FRAMES_BURST_SECONDS);
  #unprovenCount = 0;
  #refusalsInARow = 0;

  /** `requestRate`: requests per second that all budgets of a key allow together; null: a budget is off. */
  constructor(requestRate: number | null) {
    const rate = requestRate === null ? null : requestRate + SESSION_FRAMES_PER_SECOND;
    this.#all = rate === null ? null : new TokenBucket(1000 / rate, 1000 * BURST_SECONDS);
  }

  /** Counts one frame at `nowMs`, which never steps back. False: it is beyond the bound. */
  take(bytes: number, isProven: boolean, nowMs: number): boolean {
    if (isProven) return this.#all?.take(unitsOf(bytes), nowMs) ?? true;
    this.#unprovenCount += 1;
    return this.#unprovenCount <= SESSION_UNPROVEN_FRAMES_MAX;
  }

  /** Counts the same frame as one that no request budget counts. False: it is beyond the bound. */
  takeOther(bytes: number, nowMs: number): boolean {
    return this.#others.take(unitsOf(bytes), nowMs);
  }

  /** Counts refusals from zero. */
  beginRow(): void {
    this.#refusalsInARow = 0;
  }

  /** Counts the answer of a request. False: too many requests in a row were refused. */
  noteAnswer(status: number): boolean {
    this.#refusalsInARow = isRefusal(status) ? this.#refusalsInARow + 1 : 0;
    return this.#refusalsInARow < SESSION_REFUSALS_IN_A_ROW_MAX;
  }
}

/**
 * The counts of sessions that were closed because their clients sent too much. The next session of the key continues one of
 * them, so that a new connection gives no new burst. Other sessions of the key keep their own.
 */
export class FrameDebts {
  readonly #byKey = new Map<ApiKeyId, SessionFrames[]>();

  leave(apiKey: ApiKeyId, frames: SessionFrames): void {
    const left = this.#byKey.get(apiKey) ?? [];
    this.#byKey.set(apiKey, [frames, ...left].slice(0, SESSIONS_PER_ACCOUNT_MAX));
  }

  take(apiKey: ApiKeyId): SessionFrames | null {
    const [frames = null, ...others] = this.#byKey.get(apiKey) ?? [];
    if (others.length > 0) this.#byKey.set(apiKey, others);
    else this.#byKey.delete(apiKey);
    frames?.beginRow();
    return frames;
  }
}

function unitsOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / SESSION_FRAME_BYTES_MAX));
}

/** A refusal that the client causes. A busy service (503) is not its fault. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500;
}
