import type { InstrumentIndex } from '../../model/instrument.js';
import type { AccountId } from '../../model/ids.js';
import type { EpochMs } from '../../model/time.js';
import type { MarketQuery } from '../../model/venue-message.js';
import type { sluice } from '../generated/messages.js';
import { CANDLE_INTERVAL } from './candle.js';
import { integer, time } from './exact.js';
import { VENUE } from './vocabulary.js';

type RequestMessage = ReturnType<typeof sluice.v1.VenueRequest.decode>;
/** What both queries have in common on the wire. */
type QueryPart = Pick<sluice.v1.QueryFundingRates, 'correlationId' | 'instrument' | 'fromMs' | 'toMs' | 'limit'>;

/** What of a message a market query adds to account and venue. */
export function toWireMarketQuery(query: MarketQuery): sluice.v1.VenueRequest.$Properties {
  const { correlationId, instrument, fromMs, toMs, limit } = query;
  const part: QueryPart = { correlationId, instrument, fromMs, toMs, limit };
  switch (query.kind) {
    case 'QueryCandles':
      return { queryCandles: { ...part, interval: CANDLE_INTERVAL.number(query.interval) } };
    case 'QueryFundingRates':
      return { queryFundingRates: part };
  }
}

export function fromWireQueryCandles(message: RequestMessage, query: sluice.v1.QueryCandles): MarketQuery {
  const interval = CANDLE_INTERVAL.name(query.interval, 'QueryCandles.interval');
  return { kind: 'QueryCandles', ...partOf(message, query), interval };
}

export function fromWireQueryFundingRates(message: RequestMessage, query: sluice.v1.QueryFundingRates): MarketQuery {
  return { kind: 'QueryFundingRates', ...partOf(message, query) };
}

function partOf(message: RequestMessage, query: QueryPart) {
  return {
    correlationId: integer<MarketQuery['correlationId']>(query.correlationId, 'market query: correlation_id'),
    account: message.account as AccountId,
    venue: VENUE.name(message.venue, 'VenueRequest.venue'),
    instrument: query.instrument as InstrumentIndex,
    fromMs: time<EpochMs>(query.fromMs, 'market query: from_ms'),
    toMs: time<EpochMs>(query.toMs, 'market query: to_ms'),
    limit: query.limit,
  };
}
