import { leadingLeg } from '../domain/order-legs.js';
import type { AccountQuery } from './account-query.js';
import type { MarketDataQuery } from './market-query.js';
import { previewOf, type Preview } from '../pretrade/preview.js';
import { SeenVolumes } from '../pretrade/seen-volume.js';
import type { StateReader } from '../journal/port.js';
import { type Depth, isTwoSided, type Market, NO_MARKET } from '../domain/market.js';
import type { Venue } from '../domain/exchange.js';
import { instrumentFor } from '../domain/exchange-rules.js';
import type { ApiKeyId, OrderId } from '../domain/ids.js';
import type { Instrument, InstrumentCatalogue } from '../domain/instrument.js';
import type { VolumeProfile } from '../domain/intent.js';
import type { ParentOrder, ParentOrderDraft } from '../domain/order.js';
import { type PositionState, reducibleLots } from '../domain/position.js';
import { isRejected, type OrRejection, type Rejection } from '../domain/rejection.js';
import type { Clock } from '../domain/time.js';
import type { AssetBalance } from '../domain/venue-report.js';
import { refusalsOf } from '../order/admission.js';
import type { AdmissionGrounds } from '../order/decision.js';
import type { WhenComplete } from '../journal/complete-reads.js';
import { earlierOrder } from './idempotency.js';
import type { Sender } from './order-placement.js';
import { isUnavailability } from '../api/field/error-code.js';
import { checkOrderRequest } from '../api/order/order-parser.js';
import { draftOf, digestOf } from '../api/order/order-parser.js';
import { checkClock } from '../api/order/trade-times.js';

/** Checks a draft against the trading gate and the risk limits. */
export interface OrderReview {
  /** All refusals of the order at this moment. Places nothing. Answers once. */
  review(draft: ParentOrderDraft, by: ApiKeyId, answer: (refusals: readonly Rejection[]) => void): void;
}

export interface OrderPreviewerParts {
  readonly catalogue: InstrumentCatalogue;
  readonly reader: StateReader;
  readonly whenComplete: WhenComplete;
  readonly accounts: Pick<AccountQuery, 'balances' | 'positions'>;
  readonly market: Pick<MarketDataQuery, 'market' | 'book' | 'volume'>;
  readonly reviews: OrderReview;
  readonly isVenueUp: (venue: Venue) => boolean;
  /** Service time. */
  readonly clock: Clock;
}

/** The expected result of a create. */
export interface OrderPreview {
  /** null: the form of the request is invalid. */
  readonly instrument: Instrument | null;
  /** The existing order with the same client_order_id; a create would return it. */
  readonly existingOrderId: OrderId | null;
  /** In the order in which a create reports them; empty: a create would be accepted. */
  readonly rejections: readonly Rejection[];
  /** null: the order could not trade, or the market has no price. */
  readonly preview: Preview | null;
}

/** Answers once; a rejection: the preview is not available now. */
export type PreviewAnswer = (result: OrRejection<OrderPreview>) => void;

/** The order with the client order id of the request, or the refusal of a different order. */
interface EarlierOrder {
  readonly orderId: OrderId | null;
  readonly refusal: Rejection | null;
}

const NO_EARLIER: EarlierOrder = { orderId: null, refusal: null };

/** Data for one preview. */
interface PreviewFacts {
  readonly earlier: EarlierOrder;
  readonly market: Market | null;
  readonly balances: OrRejection<readonly AssetBalance[]>;
  /** null: the order may also open a position. */
  readonly positions: OrRejection<readonly PositionState[]> | null;
  readonly profile: VolumeProfile | null;
  readonly depth: Depth | null;
  /** Violations of the risk limits of the account and the key. */
  readonly refusals: readonly Rejection[];
}

/**
 * Checks a create without placing it. It uses the code that checks creates: the parsers for the form, the store for the
 * client order id, the clock for the times, the risk gate for the limits, the order admission for exchange and funds.
 * It also returns the plan of the strategy.
 *
 *     body ─▶ form ─▶ id, times ─▶ market · balances · volume · book · risk limits ─▶ admission ─▶ preview
 */
export class OrderPreviewer {
  readonly #parts: OrderPreviewerParts;
  /** Volume since earlier previews, for an instrument without a profile. */
  readonly #seen = new SeenVolumes();

  constructor(parts: OrderPreviewerParts) {
    this.#parts = parts;
  }

  preview(sender: Sender, body: unknown, answer: PreviewAnswer): void {
    const { catalogue, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const { request, violations } = checkOrderRequest(body, catalogue);
    if (request === null)
      return answer({ instrument: null, existingOrderId: null, rejections: violations, preview: null });
    const { instrument: listed } = request;
    const instrument = instrumentFor(request.values, listed);
    const digest = digestOf(request);
    const clockRefusal = checkClock(request.values, nowMs);
    const order = draftOf(request, digest, sender.account, nowMs);
    this.#gather(order, sender, instrument, (facts) => {
      const { balances, market, earlier } = facts;
      if (isRejected(balances) && isUnavailability(balances.rejection.code)) return answer(balances);
      const grounds = [this.#groundsOf(order, instrument, facts)] as const;
      const atCreate = refusalsOf('create', order, grounds, nowMs);
      const judged = [clockRefusal, ...atCreate, ...facts.refusals, ...refusalsOf('admission', order, grounds, nowMs)];
      const isWorkable = clockRefusal === null && market !== null && isTwoSided(market) && atCreate.length === 0;
      const seen = market === null ? null : this.#seen.see(instrument.index, market);
      answer({
        instrument,
        existingOrderId: earlier.orderId,
        // A create would return the existing order without these checks.
        rejections: [earlier.refusal, ...(earlier.orderId === null ? judged : [])].filter((one) => one !== null),
        preview: isWorkable ? previewOf({ order, instrument, nowMs, ...facts, market, seen }) : null,
      });
    });
  }

  /** Finds the order that a create of this order would return. */
  #findEarlier(
    { account, clientOrderId, requestDigest: digest, createdAtMs }: ParentOrder,
    { call }: Sender,
    found: (earlier: EarlierOrder) => void,
  ): void {
    if (clientOrderId === null) return found(NO_EARLIER);
    const { reader, whenComplete } = this.#parts;
    whenComplete(
      (snapshot) => {
        const name = { account, clientOrderId, digest };
        const summary = earlierOrder(snapshot ?? reader.recent(), name, createdAtMs);
        if (summary === null) return found(NO_EARLIER);
        found({ orderId: summary.orderId, refusal: summary.status === 'REJECTED' ? summary.outcome : null });
      },
      { account, client: call },
    );
  }

  /** Grounds of the admission checks. An exchange that does not answer with balances counts as unavailable. */
  #groundsOf(
    order: ParentOrder,
    instrument: Instrument,
    { market, balances, positions }: PreviewFacts,
  ): AdmissionGrounds {
    const free = new Map(isRejected(balances) ? [] : balances.map((balance) => [balance.asset, balance.free]));
    const isPositionKnown = positions !== null && !isRejected(positions);
    return {
      instrument,
      isVenueUp: this.#parts.isVenueUp(instrument.venue) && !isRejected(balances),
      market: market ?? NO_MARKET,
      freeOf: (asset: string) => free.get(asset) ?? null,
      reducible: isPositionKnown ? reducibleLots(positions, instrument.index, leadingLeg(order).side) : null,
    };
  }

  /** Requests all data at the same time. */
  #gather(order: ParentOrder, sender: Sender, instrument: Instrument, done: (ground: PreviewFacts) => void): void {
    const { accounts, market, reviews } = this.#parts;
    const { account } = order;
    const { strategy } = leadingLeg(order);
    const facts: { -readonly [Name in keyof PreviewFacts]?: PreviewFacts[Name] } = {};
    const isComplete = (): boolean => PARTS.every((part) => part in facts);
    const take = (part: Partial<PreviewFacts>): void => {
      Object.assign(facts, part);
      if (isComplete()) done(facts as PreviewFacts);
    };
    this.#findEarlier(order, sender, (earlier) => take({ earlier }));
    market.market(instrument, (quoted) => take({ market: isRejected(quoted) ? null : quoted }));
    accounts.balances(account, instrument.venue, (balances) => take({ balances }));
    if (!order.reduceOnly) take({ positions: null });
    else {
      accounts.positions(account, instrument.venue, (report) =>
        take({ positions: isRejected(report) ? report : report.positions }),
      );
    }
    reviews.review(order, sender.apiKey, (refusals) => take({ refusals }));
    market.volume(instrument, account, (profile) => take({ profile }));
    // Only orders that may take at once need the full book.
    if (strategy !== 'MARKET' && strategy !== 'LIMIT') take({ depth: null });
    else market.book(instrument, (depth) => take({ depth }));
  }
}

const PARTS: readonly (keyof PreviewFacts)[] = [
  'earlier',
  'market',
  'balances',
  'positions',
  'profile',
  'depth',
  'refusals',
];
