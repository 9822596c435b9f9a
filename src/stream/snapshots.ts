import type { AccountTopic } from '../model/feed.js';
import { isRejected, type OrRejection } from '../model/rejection.js';
import type { FeedKey } from './feed.js';
import type { StreamDeps } from './port.js';
import { balanceSnapshotFrame } from './topics/balance.js';
import { positionSnapshotFrame } from './topics/position.js';

type SnapshotsParts = Pick<StreamDeps, 'balances' | 'positions' | 'clock' | 'catalogue'>;
type SnapshotTopic = Extract<AccountTopic, 'balance' | 'position' | 'position_risk'>;
type SnapshotKey = FeedKey & { readonly topic: SnapshotTopic };
type Answer = (frames: OrRejection<readonly string[]>) => void;

/** True for topics that tell how things stand, so that the changes alone would tell nothing. */
export function hasSnapshot(key: FeedKey): key is SnapshotKey {
  return key.topic === 'balance' || key.topic === 'position' || key.topic === 'position_risk';
}

/** Asks the venue how an account stands, for who begins to follow its changes. What is 0 is left out. */
export class Snapshots {
  readonly #parts: SnapshotsParts;

  constructor(parts: SnapshotsParts) {
    this.#parts = parts;
  }

  /** `seq`: the last frame of the feed, which the snapshot carries. */
  ask(key: SnapshotKey, seq: number, answer: Answer): void {
    if (key.topic === 'balance') this.#askBalances(key, seq, answer);
    else this.#askPositions(key.topic, key, seq, answer);
  }

  #askBalances({ account, venue }: FeedKey, seq: number, answer: Answer): void {
    this.#parts.balances(account, venue, (result) => {
      if (isRejected(result)) return answer(result);
      const atMs = this.#parts.clock.nowMs();
      const held = result.filter(({ total }) => total !== 0n);
      answer(held.map((balance) => balanceSnapshotFrame({ seq, venue, balance, atMs })));
    });
  }

  #askPositions(topic: 'position' | 'position_risk', { account, venue }: FeedKey, seq: number, answer: Answer): void {
    this.#parts.positions(account, venue, (result) => {
      if (isRejected(result)) return answer(result);
      const { positions, atMs } = result;
      const open = positions.filter(({ net }) => net !== 0);
      answer(
        open.map((position) => {
          const grid = this.#parts.catalogue.at(position.instrument);
          return positionSnapshotFrame(topic, { seq, venue, position, symbol: grid.symbol, grid, atMs });
        }),
      );
    });
  }
}
