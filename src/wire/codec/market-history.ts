import type { AccountId } from '../../domain/ids.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import type { FundingRate } from '../../domain/market-feed.js';
import type { EpochMs } from '../../domain/time.js';
import type { MarketQuery } from '../../domain/venue-message.js';
import type { MarketReport } from '../../domain/venue-report.js';
import type { sluice } from '../generated/messages.js';
import { CANDLE_INTERVAL, fromWireCandle, toWireCandle } from './market.js';
import { integer, orNull, time } from './message.js';
import { VENUE } from './enums.js';

type RequestMessage = ReturnType<typeof sluice.v1.VenueRequest.decode>;
/** The common wire fields of both queries. */
type QueryPart = Pick<sluice.v1.QueryFundingRates, 'correlationId' | 'instrument' | 'fromMs' | 'toMs' | 'limit'>;

/** The fields of a market query. The caller sets account and venue. */
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

type ReportMessage = ReturnType<typeof sluice.v1.VenueReport.decode>;

/** Sets the fields of a market report. The caller sets account, venue and time. */
export function setMarketReport(message: sluice.v1.VenueReport.$Properties, report: MarketReport): void {
  const { correlationId, instrument } = report;
  switch (report.kind) {
    case 'Candles': {
      const interval = CANDLE_INTERVAL.number(report.interval);
      message.candles = { correlationId, instrument, interval, candles: report.candles.map(toWireCandle) };
      return;
    }
    case 'FundingRates':
      // The fields have the model's names, and the encoder only reads them.
      message.fundingRates = { correlationId, instrument, rates: report.rates as FundingRate[] };
      return;
    default:
      report satisfies never;
  }
}

export function fromWireCandles(message: ReportMessage, report: sluice.v1.CandlesReport): MarketReport {
  const interval = CANDLE_INTERVAL.name(report.interval, 'CandlesReport.interval');
  return { kind: 'Candles', ...headOf(message, report), interval, candles: report.candles.map(fromWireCandle) };
}

export function fromWireFundingRates(message: ReportMessage, report: sluice.v1.FundingRatesReport): MarketReport {
  return { kind: 'FundingRates', ...headOf(message, report), rates: report.rates.map(fromWireFundingRate) };
}

function fromWireFundingRate(message: sluice.v1.FundingRate): FundingRate {
  return {
    atMs: time(message.atMs, 'FundingRate.at_ms'),
    ratePpm: integer(message.ratePpm, 'FundingRate.rate_ppm'),
    markPrice: orNull(message.markPrice, (ticks) => integer(ticks, 'FundingRate.mark_price')),
  };
}

function headOf(message: ReportMessage, part: { readonly correlationId: number; readonly instrument: number }) {
  return {
    correlationId: integer<MarketReport['correlationId']>(part.correlationId, 'market report: correlation_id'),
    account: message.account as AccountId,
    venue: VENUE.name(message.venue, 'VenueReport.venue'),
    atMs: time<EpochMs>(message.atMs, 'VenueReport.at_ms'),
    instrument: part.instrument as InstrumentIndex,
  };
}
