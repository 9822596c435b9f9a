import type { Venue } from '../domain/exchange.js';
import type { AccountId } from '../domain/ids.js';
import { ANSWER_SILENCE_MS_MAX } from '../domain/limits/trading.js';
import type { Leg, ParentOrder } from '../domain/order.js';
import { reducibleLots, type PositionState } from '../domain/position.js';
import type { Lots } from '../domain/quantity.js';
import type { EpochMs } from '../domain/time.js';
import type { PositionsReport } from '../domain/venue-report.js';
import type { Actor } from './actor.js';

interface AskedPositions {
  /** Time of the last request. */
  askedAtMs: number;
  /** Answer to the last request. null: none yet. */
  positions: readonly PositionState[] | null;
  /** Orders that wait for the answer. */
  waiting: Actor[];
}

/**
 * Positions for the admission of orders that may only reduce one. They are requested for each such order, because fills
 * change them. Orders that come before the answer share it.
 */
export class AdmissionPositions {
  readonly #accounts = new Map<string, AskedPositions>();

  /** Lots that the order may reduce. null: no answer to a request after its create is known. */
  reducible({ account, createdAtMs }: ParentOrder, { venue, instrument, side }: Leg): Lots | null {
    const asked = this.#accounts.get(keyOf(account, venue));
    if (asked === undefined || asked.positions === null || asked.askedAtMs < createdAtMs) return null;
    return reducibleLots(asked.positions, instrument, side);
  }

  /** Adds the actor to those that wait for positions. Returns true when a request to the venue is due. */
  wait(actor: Actor, venue: Venue, nowMs: EpochMs): boolean {
    const key = keyOf(actor.state.order.account, venue);
    let asked = this.#accounts.get(key);
    if (asked === undefined) this.#accounts.set(key, (asked = { askedAtMs: -Infinity, positions: [], waiting: [] }));
    if (!asked.waiting.includes(actor)) asked.waiting.push(actor);
    if (asked.positions === null && nowMs - asked.askedAtMs < ANSWER_SILENCE_MS_MAX) return false;
    asked.askedAtMs = nowMs;
    asked.positions = null;
    return true;
  }

  /** Applies an answer. Returns the actors that waited for it. */
  apply({ account, venue, isSnapshot, positions }: PositionsReport): readonly Actor[] {
    const asked = this.#accounts.get(keyOf(account, venue));
    if (asked === undefined || !isSnapshot) return [];
    asked.positions = positions;
    return asked.waiting.splice(0);
  }

  /** Forgets all answers after a connection is lost. Returns the actors that waited. */
  forget(): readonly Actor[] {
    const waiting = [...this.#accounts.values()].flatMap((asked) => asked.waiting);
    this.#accounts.clear();
    return waiting;
  }
}

function keyOf(account: AccountId, venue: Venue): string {
  return `${venue}/${account}`;
}
