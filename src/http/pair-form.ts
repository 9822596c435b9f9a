import { assert } from '../model/assert.js';
import type { InstrumentCatalogue } from '../model/instrument.js';
import type { Lots } from '../model/quantity.js';
import { quotePath } from '../model/quote-path.js';
import { isRejected, type OrRejection, type Rejection } from '../model/rejection.js';
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
          unconvertibility(request, catalogue, prices, (refusal) => {
            if (refusal !== null) return answer({ rejection: refusal });
            answer(pairDraftOf(request, [one, other], digest, account, clock.nowMs()));
          });
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

/** Why the filled values of the legs could not be compared: their quote currencies differ and no live price tells one in the other. */
function unconvertibility(
  { legs, leadingIndex }: PairRequest,
  catalogue: InstrumentCatalogue,
  prices: PriceDesk,
  answer: (refusal: Rejection | null) => void,
): void {
  const [lead, other] = [legs[leadingIndex], legs[leadingIndex === 0 ? 1 : 0]].map(({ subject }) => subject.instrument);
  assert(lead !== undefined && other !== undefined, 'a pair has two legs');
  const path = quotePath(catalogue, lead, other);
  const what = `${other.quote} of legs[${1 - leadingIndex}].symbol in ${lead.quote} of legs[${leadingIndex}].symbol`;
  if (path === null) {
    return answer({ code: 'INVALID_SYMBOL', message: `legs: no exchange lists what tells ${what}` });
  }
  const ask = (index: number): void => {
    const step = path[index];
    if (step === undefined) return answer(null);
    prices.twiceMid(step.instrument, (twiceMid) => {
      if (!isRejected(twiceMid)) return ask(index + 1);
      const { code, message } = twiceMid.rejection;
      answer({ code, message: `legs: there is no live price of ${what}: ${message}` });
    });
  };
  ask(0);
}
