import { previewOf, type Preview } from '../analytics/preview.js';
import type { StateReader } from '../journal/port.js';
import type { Depth } from '../model/depth.js';
import type { Venue } from '../model/exchange.js';
import type { AccountId, ApiKeyId, OrderId } from '../model/ids.js';
import type { Instrument, InstrumentCatalogue } from '../model/instrument.js';
import type { VolumeProfile } from '../model/intent.js';
import { isTwoSided, NO_MARKET, type Market } from '../model/market.js';
import type { ParentOrder } from '../model/order.js';
import { isRejected, type OrRejection, type Rejection } from '../model/rejection.js';
import type { Clock, EpochMs } from '../model/time.js';
import type { AssetBalance } from '../model/venue-message.js';
import { refusalOf } from '../order/admission.js';
import { earlierOrder } from './earlier-order.js';
import { isUnavailability } from './errors.js';
import { findingsOf } from './parse/order-findings.js';
import { draftOf } from './parse/order-draft.js';
import type { OrderRequest } from './parse/order-request.js';
import { digestOf } from './parse/request-digest.js';
import { untimelinessOf } from './parse/trade-times.js';
import type { BalanceDesk, MarketSight, OrderReview } from './port.js';

export interface OrderPreviewParts {
  readonly catalogue: InstrumentCatalogue;
  readonly reader: StateReader;
  readonly balances: BalanceDesk;
  readonly sight: MarketSight;
  readonly reviews: OrderReview;
  readonly isVenueUp: (venue: Venue) => boolean;
  /** Service time. */
  readonly clock: Clock;
}

/** What a create would come to. */
export interface ForetoldOrder {
  /** null when the form of the request is wrong. */
  readonly instrument: Instrument | null;
  /** The order that answers for a create with the same client_order_id. */
  readonly existingOrderId: OrderId | null;
  /** In the order in which they would be told; none when it would be accepted. */
  readonly rejections: readonly Rejection[];
  /** null when the order could not be worked, or the market tells no price. */
  readonly preview: Preview | null;
}

/** Answers once; a rejection says that the service cannot tell now. */
export type PreviewAnswer = (foretold: OrRejection<ForetoldOrder>) => void;

/** Who asks. */
export interface Asker {
  readonly account: AccountId;
  readonly apiKey: ApiKeyId;
}

/** What is asked of others for one preview. */
interface Ground {
  readonly market: Market | null;
  readonly balances: OrRejection<readonly AssetBalance[]>;
  readonly profile: VolumeProfile | null;
  readonly depth: Depth | null;
  /** What the guardrails of the account and the key say. */
  readonly refusals: readonly Rejection[];
}

/**
 * Judges a create without placing it, by the code that judges creates: the form by the parsers, the id by the store, the
 * times by the clock, the guardrails by their desk, venue and funds by the admission of orders; and says what its strategy would do.
 *
 *     body ─▶ findings ─▶ id, times ─▶ market · balances · volume · book · guardrails ─▶ admission ─▶ preview
 */
export class OrderPreview {
  readonly #parts: OrderPreviewParts;

  constructor(parts: OrderPreviewParts) {
    this.#parts = parts;
  }

  foretell({ account, apiKey }: Asker, body: unknown, answer: PreviewAnswer): void {
    const { catalogue, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const { request, rejections } = findingsOf(body, catalogue);
    if (request === null) return answer({ instrument: null, existingOrderId: null, rejections, preview: null });
    const { instrument } = request.subject;
    const digest = digestOf(request);
    const earlier = this.#earlier(account, request, digest, nowMs);
    const untimely = untimelinessOf(request.times, nowMs);
    const order = draftOf(request, digest, account, nowMs);
    this.#gather(order, apiKey, instrument, (ground) => {
      const { balances, market } = ground;
      if (isRejected(balances) && isUnavailability(balances.rejection.code)) return answer(balances);
      const judged = [untimely, ...ground.refusals, this.#shortage(order, instrument, ground)];
      const isWorkable = untimely === null && market !== null && isTwoSided(market);
      answer({
        instrument,
        existingOrderId: earlier.orderId,
        // An order that is there already answers whatever has become of its grounds.
        rejections: [earlier.refusal, ...(earlier.orderId === null ? judged : [])].filter((one) => one !== null),
        preview: isWorkable ? previewOf({ order, instrument, nowMs, ...ground, market }) : null,
      });
    });
  }

  #earlier(
    account: AccountId,
    { clientOrderId }: OrderRequest,
    digest: string,
    nowMs: EpochMs,
  ): { readonly orderId: OrderId | null; readonly refusal: Rejection | null } {
    const { reader } = this.#parts;
    if (clientOrderId === null) return { orderId: null, refusal: null };
    reader.refresh();
    const summary = earlierOrder(reader, { account, clientOrderId, digest }, nowMs);
    if (summary === null) return { orderId: null, refusal: null };
    return { orderId: summary.orderId, refusal: summary.status === 'REJECTED' ? summary.outcome : null };
  }

  /** As an order is admitted; a venue that does not tell the balances is one that is not available. */
  #shortage(order: ParentOrder, instrument: Instrument, { market, balances }: Ground): Rejection | null {
    const free = new Map(isRejected(balances) ? [] : balances.map((balance) => [balance.asset, balance.free]));
    return refusalOf(order, instrument, {
      isVenueUp: this.#parts.isVenueUp(instrument.venue) && !isRejected(balances),
      market: market ?? NO_MARKET,
      freeOf: (asset) => free.get(asset) ?? null,
    });
  }

  /** Asks for all of it at once. */
  #gather(order: ParentOrder, apiKey: ApiKeyId, instrument: Instrument, done: (ground: Ground) => void): void {
    const { balances, sight, reviews } = this.#parts;
    const { account, strategy } = order;
    const ground: { -readonly [Name in keyof Ground]?: Ground[Name] } = {};
    const isComplete = (): boolean => PARTS.every((part) => part in ground);
    const take = (part: Partial<Ground>): void => {
      Object.assign(ground, part);
      if (isComplete()) done(ground as Ground);
    };
    sight.market(instrument, (market) => take({ market: isRejected(market) ? null : market }));
    balances.balances(account, instrument.venue, (told) => take({ balances: told }));
    reviews.review(order, apiKey, (refusals) => take({ refusals }));
    sight.volume(instrument, account, (profile) => take({ profile }));
    // The rest of the book is of interest to who may take it at once.
    if (strategy !== 'MARKET' && strategy !== 'LIMIT') take({ depth: null });
    else sight.book(instrument, (depth) => take({ depth }));
  }
}

const PARTS: readonly (keyof Ground)[] = ['market', 'balances', 'profile', 'depth', 'refusals'];
