import type { InstrumentCatalogue } from '../model/instrument.js';
import type { Lots } from '../model/quantity.js';
import { isRejected, type OrRejection } from '../model/rejection.js';
import type { Clock } from '../model/time.js';
import type { OrderForm } from './order-form.js';
import { lotsFor } from './parse/leg-target.js';
import type { LegRequest } from './parse/order-leg.js';
import { pairDigestOf } from './parse/pair-digest.js';
import { pairDraftOf } from './parse/pair-draft.js';
import { ofLeg, parsePairRequest, type PairRequest } from './parse/pair-request.js';
import type { PriceDesk } from './port.js';

export interface PairFormParts {
  readonly catalogue: InstrumentCatalogue;
  readonly prices: PriceDesk;
  readonly clock: Clock;
}

/** A leg that is to fill money without a limit price waits for what its market is worth; then it is an order like others. */
export function pairForm({ catalogue, prices, clock }: PairFormParts): OrderForm<PairRequest> {
  return {
    parse: (body) => parsePairRequest(body, catalogue),
    digest: pairDigestOf,
    draft: (request, digest, account, answer) => {
      const [first, second] = request.legs;
      quantityOf(first, 0, prices, (one) => {
        if (isRejected(one)) return answer(one);
        quantityOf(second, 1, prices, (other) => {
          if (isRejected(other)) return answer(other);
          answer(pairDraftOf(request, [one, other], digest, account, clock.nowMs()));
        });
      });
    },
  };
}

function quantityOf(
  { subject: { instrument }, terms, target }: LegRequest,
  index: number,
  prices: PriceDesk,
  answer: (quantity: OrRejection<Lots>) => void,
): void {
  if (terms.quantity !== null) return answer(terms.quantity);
  prices.twiceMid(instrument, (twiceMid) => {
    const quantity = isRejected(twiceMid) ? twiceMid : lotsFor(target, twiceMid, instrument);
    answer(isRejected(quantity) ? { rejection: ofLeg(index, quantity.rejection) } : quantity);
  });
}
