import type { Venue } from '../domain/exchange.js';
import { instrumentFor } from '../domain/exchange-rules.js';
import { type AccountId, accountSlot, ownerOf } from '../domain/ids.js';
import type { Instrument, InstrumentCatalogue } from '../domain/instrument.js';
import { ANSWER_SILENCE_MS_MAX } from '../domain/limits/trading.js';
import type { Leg, ParentOrder } from '../domain/order.js';
import { type Amount, ZERO_AMOUNT } from '../domain/quantity.js';
import type { EpochMs } from '../domain/time.js';
import type { VenueRequest } from '../domain/venue-message.js';
import type { FundsReport, PositionsReport } from '../domain/venue-report.js';
import type { AdmissionGrounds, OrderInput } from '../order/decide.js';
import type { AdmissionPositions } from './admission-positions.js';
import type { Actor } from './actor.js';
import type { MarketView } from './port.js';
import { NOT_A_COMMAND, type TurnBatch } from './turn-batch.js';
import { mapLegs, type PerLeg } from '../domain/pair.js';
import type { IsLinked } from './venue-watch.js';

interface AccountFunds {
  /** Version of the venue's latest change; -1 before the first answer. */
  version: number;
  askedAtMs: number;
  readonly free: Map<string, Amount>;
  /** Orders that wait for the first answer. */
  readonly waiting: Set<Actor>;
}

/**
 * Stores the free balances that the venue last reported. Admission uses them to refuse an order without cover. The
 * venue still decides on every child.
 */
export class FundsView {
  readonly #accounts = new Map<string, AccountFunds>();

  /** Free balance of an asset. Returns null before the venue's first answer for the account. */
  free(account: AccountId, venue: Venue, asset: string): Amount | null {
    const funds = this.#accounts.get(keyOf(account, venue));
    if (funds === undefined || funds.version < 0) return null;
    return funds.free.get(asset) ?? ZERO_AMOUNT;
  }

  /**
   * Adds the actor to those that wait for their account's balances. Returns true when a request to the venue is due.
   */
  wait(actor: Actor, venue: Venue, nowMs: EpochMs): boolean {
    const key = keyOf(actor.state.order.account, venue);
    const funds = this.#accounts.get(key);
    if (funds === undefined) {
      this.#accounts.set(key, { version: -1, askedAtMs: nowMs, free: new Map(), waiting: new Set([actor]) });
      return true;
    }
    funds.waiting.add(actor);
    if (nowMs - funds.askedAtMs < ANSWER_SILENCE_MS_MAX) return false;
    funds.askedAtMs = nowMs;
    return true;
  }

  /** Applies a report. Returns the actors that waited for it. */
  apply(report: FundsReport): readonly Actor[] {
    const funds = this.#accounts.get(keyOf(report.account, report.venue));
    if (funds === undefined || report.version < funds.version) return [];
    // A change before the first full answer lacks the other assets.
    if (funds.version < 0 && !report.isSnapshot) return [];
    funds.version = report.version;
    if (report.isSnapshot) funds.free.clear();
    for (const { asset, free } of report.balances) funds.free.set(asset, free);
    const waiting = [...funds.waiting];
    funds.waiting.clear();
    return waiting;
  }

  /**
   * Removes the balances at one venue, or at all, of one account, or of all, after the connection is lost. Returns the
   * actors that waited.
   */
  forget(venue: Venue | null, account: AccountId | null): readonly Actor[] {
    const waiting: Actor[] = [];
    for (const [key, funds] of this.#accounts) {
      if (venue !== null && !key.startsWith(`${venue}/`)) continue;
      if (venue !== null && account !== null && key !== keyOf(account, venue)) continue;
      waiting.push(...funds.waiting);
      this.#accounts.delete(key);
    }
    return waiting;
  }
}

function keyOf(account: AccountId, venue: Venue): string {
  return `${venue}/${account}`;
}

export interface AdmissionParts {
  readonly catalogue: InstrumentCatalogue;
  readonly market: MarketView;
  readonly funds: FundsView;
  readonly positions: AdmissionPositions;
  readonly isVenueUp: IsLinked;
  /** Until when a new order waits for a connection that was cut; -Infinity: it does not wait. */
  readonly venueWaitUntilMs: (venue: Venue, account: AccountId) => number;
  /** Lists a request for release after this turn's commit, or for a later turn when `atMs` is in the future. */
  readonly send: (request: VenueRequest, atMs: EpochMs) => void;
}

/** Collects the inputs for the admission of an order. For a pair it collects them for both legs. */
export class Admission {
  readonly #parts: AdmissionParts;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /** Until when the order waits for connections that were cut; a past time or -Infinity: it does not wait. */
  waitUntilMs({ legs, account }: ParentOrder): number {
    const { catalogue, venueWaitUntilMs } = this.#parts;
    return Math.max(...legs.map(({ instrument }) => venueWaitUntilMs(catalogue.at(instrument).venue, account)));
  }

  /**
   * Returns the admission input. Returns null while a connection may come back, and while balances or positions are
   * missing; requests these.
   */
  inputOf(actor: Actor, nowMs: EpochMs): OrderInput | null {
    const { order } = actor.state;
    if (nowMs < this.waitUntilMs(order)) return null;
    const legs = this.groundsOf(order);
    const instruments = legs.map(({ instrument }) => instrument);
    if (!this.#areFundsKnown(actor, instruments, nowMs)) return null;
    if (order.reduceOnly && !this.#isPositionKnown(actor, legs, nowMs)) return null;
    return { kind: 'Admit', legs };
  }

  /** Requests the position that the order reduces. Returns true when it is known, and when the venue is down. */
  #isPositionKnown(actor: Actor, legs: PerLeg<AdmissionGrounds>, nowMs: EpochMs): boolean {
    const { positions, send } = this.#parts;
    const { account } = actor.state.order;
    const [{ instrument, isVenueUp, reducible }] = legs;
    if (!isVenueUp || reducible !== null) return true;
    const { venue } = instrument;
    if (positions.wait(actor, venue, nowMs)) {
      send({ kind: 'QueryPositions', correlationId: NOT_A_COMMAND, account, venue }, nowMs);
    }
    return false;
  }

  /**
   * Returns true when all balances are known, and requests the missing ones. Also returns true when a venue is down:
   * admission then rejects the order.
   */
  #areFundsKnown(actor: Actor, instruments: readonly Instrument[], nowMs: EpochMs): boolean {
    const { funds, isVenueUp, send } = this.#parts;
    const { account } = actor.state.order;
    if (!instruments.every(({ venue }) => isVenueUp(venue, account))) return true;
    const unknown = instruments.filter(({ venue, quote }) => funds.free(account, venue, quote) === null);
    for (const { venue } of unknown) {
      if (!funds.wait(actor, venue, nowMs)) continue;
      send({ kind: 'QueryFunds', correlationId: NOT_A_COMMAND, account, venue }, nowMs);
    }
    return unknown.length === 0;
  }

  /** Of each leg: the venue's connection, its market and the account's balances and position there, as known now. */
  groundsOf(order: ParentOrder): PerLeg<AdmissionGrounds> {
    return mapLegs(order.legs, (leg) => this.#groundsAt(order, leg));
  }

  #groundsAt(order: ParentOrder, leg: Leg): AdmissionGrounds {
    const { catalogue, funds, positions, isVenueUp, market } = this.#parts;
    const { account } = order;
    const instrument = instrumentFor(order, catalogue.at(leg.instrument));
    const { venue } = instrument;
    return {
      instrument,
      isVenueUp: isVenueUp(venue, account),
      market: market.read(leg.instrument),
      freeOf: (asset) => funds.free(account, venue, asset),
      reducible: order.reduceOnly ? positions.reducible(order, leg) : null,
    };
  }
}

interface AccountRecordParts {
  readonly batch: TurnBatch;
  readonly catalogue: InstrumentCatalogue;
  readonly shard: number;
  readonly shardCount: number;
}

/**
 * Journals the changes of accounts. One shard records each account at a venue, so the changes stay in the venue's
 * order. The other shards receive the same reports and ignore them. A snapshot is no change, so it is not recorded.
 */
export class AccountRecord {
  readonly #parts: AccountRecordParts;

  constructor(parts: AccountRecordParts) {
    this.#parts = parts;
  }

  onFunds(report: FundsReport): void {
    const slot = this.#slotOf(report);
    if (slot === null) return;
    const { account, venue, version, causedBy: orderId, atMs } = report;
    for (const { asset, total, free } of report.balances) {
      const event = { kind: 'BalanceChanged', venue, asset, total, free, version } as const;
      this.#parts.batch.addAccountEvent(event, { slot, account, orderId, atMs });
    }
  }

  onPositions(report: PositionsReport): void {
    const slot = this.#slotOf(report);
    if (slot === null) return;
    const { batch, catalogue } = this.#parts;
    const { account, venue, version, atMs } = report;
    for (const position of report.positions) {
      const { symbol, quantityPrecision, pricePrecision, quantityStep, priceStep } = catalogue.at(position.instrument);
      const grid = { quantityPrecision, pricePrecision, quantityStep, priceStep };
      const event = { kind: 'PositionChanged', venue, symbol, position, version, ...grid } as const;
      batch.addAccountEvent(event, { slot, account, orderId: null, atMs });
    }
  }

  /** Slot for the record. Returns null when this shard does not record the report. */
  #slotOf({ isSnapshot, account, venue }: FundsReport | PositionsReport): number | null {
    if (isSnapshot) return null;
    const slot = accountSlot(account, venue);
    return ownerOf(slot, this.#parts.shardCount) === this.#parts.shard ? slot : null;
  }
}
