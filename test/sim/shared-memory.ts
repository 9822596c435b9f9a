import { createDepthSlate } from '../../src/wire/depth-slate.js';
import { createBell } from '../../src/wire/doorbell.js';
import { createRing } from '../../src/wire/ring.js';
import { createSlate } from '../../src/wire/slate.js';
import { TapeClaims } from '../../src/wire/tape-claims.js';
import { CATALOGUE } from './listed.js';
import type { Profile } from './profile.js';

export interface ShardRings {
  readonly commands: SharedArrayBuffer;
  readonly events: SharedArrayBuffer;
  readonly requests: SharedArrayBuffer;
  readonly reports: SharedArrayBuffer;
}

type RingSizes = Pick<Profile, 'mainRingBytes' | 'venueRingBytes' | 'tellsPast'>;

/** A quarter of it holds a page of candles. */
const PAST_RING_BYTES = 2 ** 18;

/** What the threads of one process share; it is gone with the process. */
export class SharedMemory {
  readonly shards: ShardRings[];
  /** Readers: the shards, then the main thread. */
  readonly slate: SharedArrayBuffer;
  /** Books; the same readers. */
  readonly depth: SharedArrayBuffer;
  readonly tapeClaims = TapeClaims.create(CATALOGUE.instruments.length);
  /** One for all: nobody sleeps here. */
  readonly bell = createBell();
  readonly #sizes: RingSizes;

  constructor(shardCount: number, sizes: RingSizes) {
    this.#sizes = sizes;
    this.slate = createSlate(CATALOGUE.instruments.length, shardCount + 1);
    this.depth = createDepthSlate(CATALOGUE.instruments.length, shardCount + 1);
    this.shards = Array.from({ length: shardCount }, () => ({
      ...this.#mainRings(),
      requests: createRing(sizes.venueRingBytes),
      reports: createRing(sizes.tellsPast ? PAST_RING_BYTES : sizes.venueRingBytes),
    }));
  }

  /** For a shard that starts again: what its predecessor had not taken is thrown away; the rings to the venue stay. */
  renew(shard: number): void {
    this.shards[shard] = { ...(this.shards[shard] as ShardRings), ...this.#mainRings() };
  }

  #mainRings(): Pick<ShardRings, 'commands' | 'events'> {
    return { commands: createRing(this.#sizes.mainRingBytes), events: createRing(this.#sizes.mainRingBytes) };
  }
}
