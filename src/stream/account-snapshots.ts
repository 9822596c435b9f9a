import { balanceSnapshotFrame, positionSnapshotFrame } from '../api/account/account-frame.js';
import type { AccountTopic, FeedKey } from '../domain/event.js';
import { POSITION_RISK_MS, POSITION_RISK_REQUESTS_MAX } from '../domain/limits/clients.js';
import type { PositionState } from '../domain/position.js';
import { isRejected, type OrRejection } from '../domain/rejection.js';
import type { PositionsReport } from '../domain/venue-report.js';
import type { StreamDeps } from './port.js';
import type { Feed } from './feed.js';

/** State of one subscribed feed. */
interface FeedState {
  isAsked: boolean;
  /** Number of the frame after which the account had no position. Until the next frame there is nothing to request. */
  flatAfter: number | null;
  /** Last sent worth of each position. */
  sent: ReadonlyMap<string, string>;
}

/**
 * Sends subscribers of `position_risk` the positions while only their mark prices change:
 *
 *     each second ─▶ feeds with subscribers and an open position ─▶ QueryPositions ─▶ snapshots of changed values
 *
 * Such a frame has no number of its own and is not stored, so the journal does not grow by prices. It carries the
 * number of the last frame. An answer that is older than a numbered frame is dropped.
 */
export class RiskWatch {
  readonly #deps: Pick<StreamDeps, 'positions' | 'catalogue' | 'timers'>;
  /** In the order of the latest requests, the most recent last. */
  readonly #feeds = new Map<Feed, FeedState>();
  #askedCount = 0;

  constructor(deps: Pick<StreamDeps, 'positions' | 'catalogue' | 'timers'>) {
    this.#deps = deps;
  }

  /** Runs until the returned function is called. */
  start(): () => void {
    return this.#deps.timers.every(POSITION_RISK_MS, () => this.check());
  }

  /** Adds a feed with a new subscription. A feed without subscriptions is removed. */
  follow(feed: Feed): void {
    if (!this.#feeds.has(feed)) this.#feeds.set(feed, { isAsked: false, flatAfter: null, sent: new Map() });
  }

  check(): void {
    for (const [feed, state] of this.#feeds) {
      if (feed.subscriptionCount === 0) this.#feeds.delete(feed);
      else if (!state.isAsked && state.flatAfter !== feed.last) {
        if (this.#askedCount >= POSITION_RISK_REQUESTS_MAX) return;
        this.#ask(feed, state);
      }
    }
  }

  #ask(feed: Feed, state: FeedState): void {
    const { account, venue } = feed.key;
    const askedAfter = feed.last;
    this.#feeds.delete(feed);
    this.#feeds.set(feed, state);
    state.isAsked = true;
    this.#askedCount += 1;
    this.#deps.positions(account, venue, (result) => {
      state.isAsked = false;
      this.#askedCount -= 1;
      if (isRejected(result) || feed.last !== askedAfter || feed.hasGap) return;
      this.#sendChanged(feed, state, result);
    });
  }

  #sendChanged(feed: Feed, state: FeedState, { positions, atMs }: PositionsReport): void {
    const open = positions.filter(({ net }) => net !== 0);
    state.flatAfter = open.length === 0 ? feed.last : null;
    const before = state.sent;
    state.sent = new Map(open.map((position) => [nameOf(position), worthOf(position)]));
    for (const position of open) {
      if (before.get(nameOf(position)) === worthOf(position)) continue;
      const grid = this.#deps.catalogue.at(position.instrument);
      const shown = { seq: feed.last, venue: feed.key.venue, position, symbol: grid.symbol, grid, atMs };
      feed.show(Buffer.from(positionSnapshotFrame('position_risk', shown)));
    }
  }
}

function nameOf({ instrument, positionSide }: PositionState): string {
  return `${instrument} ${positionSide}`;
}

/** With CROSS the prices of other positions count too: the collateral may change at the same mark price. */
function worthOf({ net, markPrice, collateral }: PositionState): string {
  return `${net} ${markPrice} ${collateral}`;
}

type SnapshotsParts = Pick<StreamDeps, 'balances' | 'positions' | 'clock' | 'catalogue'>;
type SnapshotTopic = Extract<AccountTopic, 'balance' | 'position' | 'position_risk'>;
type SnapshotKey = FeedKey & { readonly topic: SnapshotTopic };
type Answer = (frames: OrRejection<readonly string[]>) => void;

/** True for topics with a state, where the changes alone are not enough. */
export function hasSnapshot(key: FeedKey): key is SnapshotKey {
  return key.topic === 'balance' || key.topic === 'position' || key.topic === 'position_risk';
}

/** Requests the account's state from the venue for a new subscription. Omits zero values. */
export class Snapshots {
  readonly #parts: SnapshotsParts;

  constructor(parts: SnapshotsParts) {
    this.#parts = parts;
  }

  /** `seq`: the last frame of the feed. The snapshot carries it. */
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
