import { FUNDING_RATE_HISTORY, LAST_FUNDING_RATES } from '../contract/funding-operations.js';
import type { AccountId } from '../model/ids.js';
import type { Instrument, InstrumentCatalogue, ListedInstrument } from '../model/instrument.js';
import type { FundingRate } from '../model/market-feed.js';
import { isRejected, type OrRejection, type Rejection } from '../model/rejection.js';
import type { Call } from './call.js';
import type { SignedEndpoint } from './endpoint.js';
import { OK } from './errors.js';
import type { FundingLookup } from './funding-lookup.js';
import { parseFuture, parseFutures } from './parse/funding-query.js';
import { parseQuery } from './parse/query-string.js';
import { currentText, paidTexts } from './present/funding-rate.js';
import { arrayText } from './present/json-text.js';

export interface FundingEndpointParts {
  readonly catalogue: InstrumentCatalogue;
  readonly fundingRates: FundingLookup;
}

/** What futures pay, as their exchanges tell it. */
export function fundingEndpoints(parts: FundingEndpointParts): readonly SignedEndpoint[] {
  return [
    { ...FUNDING_RATE_HISTORY, handle: ({ call, account }) => history(parts, call, account) },
    { ...LAST_FUNDING_RATES, handle: ({ call, account }) => last(parts, call, account) },
  ];
}

function history({ catalogue, fundingRates }: FundingEndpointParts, call: Call, account: AccountId): void {
  const query = parseQuery(call.head.query);
  if (isRejected(query)) return call.refuse(query.rejection);
  const future = parseFuture(query, catalogue);
  if (isRejected(future)) return call.refuse(future.rejection);
  if (!hasMarket(future, catalogue)) return call.answer(OK, arrayText([]));
  const answer = call.guarded((result: OrRejection<readonly FundingRate[]>) => {
    if (isRejected(result)) call.refuse(result.rejection);
    else call.answer(OK, arrayText(paidTexts(future, result)));
  });
  fundingRates.paid(future, account, answer);
}

/** An exchange that does not answer is left out, for the others' sake; when nobody answers, the first one's reason is told. */
function last({ catalogue, fundingRates }: FundingEndpointParts, call: Call, account: AccountId): void {
  const query = parseQuery(call.head.query);
  if (isRejected(query)) return call.refuse(query.rejection);
  const named = parseFutures(query, catalogue);
  if (isRejected(named)) return call.refuse(named.rejection);
  const futures = named.filter((future) => hasMarket(future, catalogue));
  const texts: (string | null)[] = futures.map(() => null);
  let failure: Rejection | null = null;
  let waitingCount = futures.length;
  const finish = (): void => {
    const told = texts.filter((text) => text !== null);
    if (told.length === 0 && failure !== null) call.refuse(failure);
    else call.answer(OK, arrayText(told));
  };
  if (waitingCount === 0) return finish();
  futures.forEach((future, place) => {
    const answer = call.guarded((result: OrRejection<readonly FundingRate[]>) => {
      if (isRejected(result)) failure ??= result.rejection;
      else texts[place] = currentText(future, result);
      waitingCount -= 1;
      if (waitingCount === 0) finish();
    });
    fundingRates.current(future, account, answer);
  });
}

/** Of what is only listed nobody here knows what it pays. */
function hasMarket(future: ListedInstrument, catalogue: InstrumentCatalogue): future is Instrument {
  return (catalogue.instruments as readonly ListedInstrument[]).includes(future);
}
