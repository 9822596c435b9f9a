import { POSITION_RISK_MS, POSITION_RISK_QUESTIONS_MAX } from '../model/limits.js';
import type { PositionState } from '../model/position.js';
import { isRejected } from '../model/rejection.js';
import type { PositionsReport } from '../model/venue-message.js';
import type { Feed } from './feed.js';
import type { StreamDeps } from './port.js';
import { positionSnapshotFrame } from './topics/position.js';

/** What is known of one followed feed. */
interface Look {
  isAsked: boolean;
  /** The frame after which the account had no position left: until the next one there is nothing to ask for. */
  flatAfter: number | null;
  /** What each position was last told to be worth. */
  told: ReadonlyMap<string, string>;
}

/**
 * Tells who follows `position_risk` how positions stand while nothing but their mark prices moves:
 *
 *     each second ─▶ feeds with followers and an open position ─▶ QueryPositions ─▶ what has another value: a snapshot
 *
 * Such a frame has no number of its own and is kept nowhere: the journal does not grow by prices. It carries that of the
 * last frame; an answer that a numbered frame has overtaken is dropped, for it may be older than that.
 */
export class RiskWatch {
  readonly #deps: Pick<StreamDeps, 'positions' | 'catalogue' | 'timers'>;
  /** Those asked for last stand last. */
  readonly #looks = new Map<Feed, Look>();
  #askedCount = 0;

  constructor(deps: Pick<StreamDeps, 'positions' | 'catalogue' | 'timers'>) {
    this.#deps = deps;
  }

  /** Watches until the returned function is called. */
  start(): () => void {
    return this.#deps.timers.every(POSITION_RISK_MS, () => this.look());
  }

  /** A feed has a new subscription; it is left when it has none. */
  follow(feed: Feed): void {
    if (!this.#looks.has(feed)) this.#looks.set(feed, { isAsked: false, flatAfter: null, told: new Map() });
  }

  look(): void {
    for (const [feed, look] of this.#looks) {
      if (feed.subscriptionCount === 0) this.#looks.delete(feed);
      else if (!look.isAsked && look.flatAfter !== feed.last) {
        if (this.#askedCount >= POSITION_RISK_QUESTIONS_MAX) return;
        this.#ask(feed, look);
      }
    }
  }

  #ask(feed: Feed, look: Look): void {
    const { account, venue } = feed.key;
    const askedAfter = feed.last;
    this.#looks.delete(feed);
    this.#looks.set(feed, look);
    look.isAsked = true;
    this.#askedCount += 1;
    this.#deps.positions(account, venue, (result) => {
      look.isAsked = false;
      this.#askedCount -= 1;
      if (isRejected(result) || feed.last !== askedAfter || feed.hasGap) return;
      this.#tell(feed, look, result);
    });
  }

  #tell(feed: Feed, look: Look, { positions, atMs }: PositionsReport): void {
    const open = positions.filter(({ net }) => net !== 0);
    look.flatAfter = open.length === 0 ? feed.last : null;
    const before = look.told;
    look.told = new Map(open.map((position) => [nameOf(position), worthOf(position)]));
    for (const position of open) {
      if (before.get(nameOf(position)) === worthOf(position)) continue;
      const grid = this.#deps.catalogue.at(position.instrument);
      const standing = { seq: feed.last, venue: feed.key.venue, position, symbol: grid.symbol, grid, atMs };
      feed.show(Buffer.from(positionSnapshotFrame('position_risk', standing)));
    }
  }
}

function nameOf({ instrument, positionSide }: PositionState): string {
  return `${instrument} ${positionSide}`;
}

/** With CROSS other positions' prices count too: the same mark price may stand for another collateral. */
function worthOf({ net, markPrice, collateral }: PositionState): string {
  return `${net} ${markPrice} ${collateral}`;
}
