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

/** What futures pay, as their exchanges tell it. Of those that have no market here nobody knows. */
export function fundingEndpoints({ catalogue, fundingRates }: FundingEndpointParts): readonly SignedEndpoint[] {
  const futures = catalogue.listed.filter(({ assetCategory }) => assetCategory === 'FUTURE');
  const traded = new Set<ListedInstrument>(catalogue.instruments);
  const isTraded = (future: ListedInstrument): future is Instrument => traded.has(future);
  return [
    {
      ...FUNDING_RATE_HISTORY,
      handle: ({ call, account }) => {
        const query = parseQuery(call.head.query);
        if (isRejected(query)) return call.refuse(query.rejection);
        const future = parseFuture(query, futures);
        if (isRejected(future)) return call.refuse(future.rejection);
        if (isTraded(future)) tellPaid(fundingRates, call, account, future);
        else call.answer(OK, arrayText([]));
      },
    },
    {
      ...LAST_FUNDING_RATES,
      handle: ({ call, account }) => {
        const query = parseQuery(call.head.query);
        if (isRejected(query)) return call.refuse(query.rejection);
        const named = parseFutures(query, futures);
        if (isRejected(named)) call.refuse(named.rejection);
        else tellCurrent(fundingRates, call, account, named.filter(isTraded));
      },
    },
  ];
}

type Result = OrRejection<readonly FundingRate[]>;

function tellPaid(fundingRates: FundingLookup, call: Call, account: AccountId, future: Instrument): void {
  const answer = call.guarded((result: Result) => {
    if (isRejected(result)) call.refuse(result.rejection);
    else call.answer(OK, arrayText(paidTexts(future, result)));
  });
  fundingRates.paid(future, account, answer);
}

/** Who does not answer is left out, for the others' sake; when nobody does, the first one's reason is told. */
function tellCurrent(
  fundingRates: FundingLookup,
  call: Call,
  account: AccountId,
  futures: readonly Instrument[],
): void {
  if (futures.length === 0) return call.answer(OK, arrayText([]));
  const texts: (string | null)[] = futures.map(() => null);
  let failure: Rejection | null = null;
  let waitingCount = futures.length;
  futures.forEach((future, place) => {
    const answer = call.guarded((result: Result) => {
      if (isRejected(result)) failure ??= result.rejection;
      else texts[place] = currentText(future, result);
      waitingCount -= 1;
      if (waitingCount > 0) return;
      const told = texts.filter((text) => text !== null);
      if (told.length === 0 && failure !== null) call.refuse(failure);
      else call.answer(OK, arrayText(told));
    });
    fundingRates.current(future, account, answer);
  });
}
