import type { ParentOrderDraft } from '../domain/order.js';
import type { MarketDataQuery } from './market-query.js';
import { lotsFor, type LegRequest } from '../api/pair/leg-parser.js';
import { digestOf, draftOf, type OrderRequest, parseOrderRequest } from '../api/order/order-parser.js';
import { ofLeg, pairDigestOf, pairDraftOf, type PairRequest, parsePairRequest } from '../api/pair/pair-parser.js';
import type { RequestedTimes } from '../api/order/trade-times.js';
import { assert, isRejected, type OrRejection, type Rejection, Rejected } from '../domain/rejection.js';
import type { AccountId, ClientOrderId } from '../domain/ids.js';
import type { InstrumentCatalogue } from '../domain/instrument.js';
import type { Lots } from '../domain/quantity.js';
import { quotePath } from '../domain/pair-balance.js';
import type { Clock } from '../domain/time.js';

/** Typed values that creates of every kind have. */
export interface FormedRequest {
  readonly values: RequestedTimes & { readonly clientOrderId: ClientOrderId | null };
}

type DraftAnswer = (draft: OrRejection<ParentOrderDraft>) => void;

/** Parses creates of one kind, computes their digest, and makes orders from them. */
export interface OrderForm<Request extends FormedRequest> {
  readonly parse: (body: unknown) => OrRejection<Request>;
  readonly digest: (request: Request) => string;
  /** Answers once: at once, or after the market data that it needs. */
  readonly draft: (request: Request, digest: string, account: AccountId, answer: DraftAnswer) => void;
}

export function singleLegForm(catalogue: InstrumentCatalogue, clock: Clock): OrderForm<OrderRequest> {
  return {
    parse: (body) => parseOrderRequest(body, catalogue),
    digest: digestOf,
    draft: (request, digest, account, answer) => answer(draftOf(request, digest, account, clock.nowMs())),
  };
}

export interface PairFormParts {
  readonly catalogue: InstrumentCatalogue;
  readonly market: Pick<MarketDataQuery, 'twiceMid'>;
  readonly clock: Clock;
}

/**
 * A leg sized in quote currency without a limit price waits for the mid of its market. Then it is an order like any
 * other.
 */
export function pairForm({ catalogue, market, clock }: PairFormParts): OrderForm<PairRequest> {
  return {
    parse: (body) => parsePairRequest(body, catalogue),
    digest: pairDigestOf,
    draft: (request, digest, account, answer) => {
      const [first, second] = request.legs;
      quantityOf(first, 0, market, (one) => {
        if (isRejected(one)) return answer(one);
        quantityOf(second, 1, market, (other) => {
          if (isRejected(other)) return answer(other);
          checkConversion(request, catalogue, market, (refusal) => {
            if (refusal !== null) return answer(new Rejected(refusal));
            answer(pairDraftOf(request, [one, other], { requestDigest: digest, account }, clock.nowMs()));
          });
        });
      });
    },
  };
}

function quantityOf(
  { values, instrument }: LegRequest,
  index: number,
  market: Pick<MarketDataQuery, 'twiceMid'>,
  answer: (quantity: OrRejection<Lots>) => void,
): void {
  if (values.quantity !== null) return answer(values.quantity);
  market.twiceMid(instrument, (twiceMid) => {
    const quantity = isRejected(twiceMid) ? twiceMid : lotsFor(values, twiceMid, instrument);
    answer(isRejected(quantity) ? new Rejected(ofLeg(index, quantity.rejection)) : quantity);
  });
}

/**
 * The refusal of legs whose values cannot be compared: their quote currencies differ, and no live price converts them.
 */
function checkConversion(
  { legs, leadingIndex }: PairRequest,
  catalogue: InstrumentCatalogue,
  market: Pick<MarketDataQuery, 'twiceMid'>,
  answer: (refusal: Rejection | null) => void,
): void {
  const [lead, other] = [legs[leadingIndex], legs[leadingIndex === 0 ? 1 : 0]].map(({ instrument }) => instrument);
  assert(lead !== undefined && other !== undefined, 'a pair has two legs');
  const path = quotePath(catalogue, lead, other);
  const what = `${other.quote} of legs[${1 - leadingIndex}].symbol in ${lead.quote} of legs[${leadingIndex}].symbol`;
  if (path === null) {
    return answer({ code: 'INVALID_SYMBOL', message: `legs: no exchange lists a market for ${what}` });
  }
  const ask = (index: number): void => {
    const step = path[index];
    if (step === undefined) return answer(null);
    market.twiceMid(step.instrument, (twiceMid) => {
      if (!isRejected(twiceMid)) return ask(index + 1);
      const { code, message } = twiceMid.rejection;
      answer({ code, message: `legs: there is no live price of ${what}: ${message}` });
    });
  };
  ask(0);
}
