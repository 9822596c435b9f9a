import {
  ACCOUNT_UNPAID_FRAMES_PER_SECOND,
  BUDGET_KEYS_MAX,
  BURST_SECONDS,
  KEY_UNPAID_FRAMES_PER_SECOND,
} from '../domain/limits/clients.js';
import { TokenBucket } from '../domain/token-bucket.js';
import type { StreamHolder } from './port.js';

type Sender = Pick<StreamHolder, 'account' | 'apiKey'>;

/**
 * The frames that no budget of a key counts, of all sessions. The sessions of one key have one bucket, and the keys of
 * one account have one more. The buckets outlive the sessions, so that a new connection gives no new burst.
 */
export class UnpaidFrames {
  readonly #byKey = new BucketTable(KEY_UNPAID_FRAMES_PER_SECOND);
  readonly #byAccount = new BucketTable(ACCOUNT_UNPAID_FRAMES_PER_SECOND);

  /**
   * Takes `count` frames at `nowMs`, which never steps back. Returns the reason when they do not fit; null: they do.
   */
  take({ apiKey, account }: Sender, count: number, nowMs: number): string | null {
    if (!this.#byKey.take(apiKey, count, nowMs)) return reasonOf(KEY_UNPAID_FRAMES_PER_SECOND, 'key');
    if (!this.#byAccount.take(account, count, nowMs)) return reasonOf(ACCOUNT_UNPAID_FRAMES_PER_SECOND, 'account');
    return null;
  }
}

function reasonOf(rate: number, holder: string): string {
  return `more than ${rate} pings and refused requests a second of this ${holder}`;
}

/** One token bucket for each id. */
class BucketTable {
  readonly #rate: number;
  readonly #buckets = new Map<string, TokenBucket>();
  #sweepAtCount = BUDGET_KEYS_MAX;

  /** `rate`: tokens per second. A full bucket holds BURST_SECONDS of it. */
  constructor(rate: number) {
    this.#rate = rate;
  }

  take(id: string, count: number, nowMs: number): boolean {
    return (this.#buckets.get(id) ?? this.#open(id, nowMs)).take(count, nowMs);
  }

  #open(id: string, nowMs: number): TokenBucket {
    if (this.#buckets.size >= this.#sweepAtCount) this.#forgetFull(nowMs);
    const bucket = new TokenBucket(1000 / this.#rate, 1000 * BURST_SECONDS);
    this.#buckets.set(id, bucket);
    return bucket;
  }

  #forgetFull(nowMs: number): void {
    for (const [id, bucket] of this.#buckets) if (bucket.owed(nowMs) === 0) this.#buckets.delete(id);
    // With more used buckets than that, a sweep at each new id would cost more than it frees.
    this.#sweepAtCount = Math.max(BUDGET_KEYS_MAX, 2 * this.#buckets.size);
  }
}
