import type { Venue } from '../model/exchange.js';
import type { Instrument, InstrumentCatalogue } from '../model/instrument.js';
import type { ParentOrder } from '../model/order.js';
import type { EpochMs } from '../model/time.js';
import type { VenueRequest } from '../model/venue-message.js';
import type { AdmissionGrounds, OrderInput } from '../order/decide.js';
import type { Actor } from './actor.js';
import type { FundsView } from './funds.js';
import type { MarketView } from './port.js';
import { NOT_A_COMMAND } from './turn-batch.js';

export interface AdmissionParts {
  readonly catalogue: InstrumentCatalogue;
  readonly market: MarketView;
  readonly funds: FundsView;
  readonly isVenueUp: (venue: Venue) => boolean;
  /** Lists a request for release after this turn's commit, or, when `atMs` lies ahead, for a later turn. */
  readonly send: (request: VenueRequest, atMs: EpochMs) => void;
}

/** Gathers by what an order is admitted: of a pair, for both of its legs. */
export class Admission {
  readonly #parts: AdmissionParts;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /** The input that decides; null while balances are not known, which are then asked for. */
  inputOf(actor: Actor, nowMs: EpochMs): OrderInput | null {
    const { account, pair } = actor.state.order;
    const { catalogue } = this.#parts;
    const instruments = pair === null ? [actor.instrument] : pair.legs.map((leg) => catalogue.at(leg.instrument));
    if (!this.#areFundsKnown(actor, instruments, nowMs)) return null;
    if (pair === null) return { kind: 'Admit', ...this.groundsOf(account, actor.instrument) };
    const legs = instruments.map((instrument) => ({ instrument, ...this.groundsOf(account, instrument) }));
    return { kind: 'AdmitPair', legs };
  }

  /** Asks all venues that have not told the balances yet; none when one of them is down, for that is reason enough. */
  #areFundsKnown(actor: Actor, instruments: readonly Instrument[], nowMs: EpochMs): boolean {
    const { funds, isVenueUp, send } = this.#parts;
    const { account } = actor.state.order;
    if (!instruments.every(({ venue }) => isVenueUp(venue))) return true;
    const unknown = instruments.filter(({ venue, quote }) => funds.free(account, venue, quote) === null);
    for (const { venue } of unknown) {
      if (!funds.wait(actor, venue, nowMs)) continue;
      send({ kind: 'QueryFunds', correlationId: NOT_A_COMMAND, account, venue }, nowMs);
    }
    return unknown.length === 0;
  }

  /** What is known now of the venue, its market and the account's balances there. */
  groundsOf(account: ParentOrder['account'], { venue, index }: Instrument): AdmissionGrounds {
    const { funds, isVenueUp, market } = this.#parts;
    return {
      isVenueUp: isVenueUp(venue),
      market: market.read(index),
      freeOf: (asset) => funds.free(account, venue, asset),
    };
  }
}
