import type { InstrumentIndex } from '../../model/instrument.js';
import type { AccountId } from '../../model/ids.js';
import type { FundingRate } from '../../model/market-feed.js';
import type { EpochMs } from '../../model/time.js';
import type { MarketReport } from '../../model/venue-message.js';
import type { sluice } from '../generated/messages.js';
import { CANDLE_INTERVAL, fromWireCandle, toWireCandle } from './candle.js';
import { integer, time } from './exact.js';
import { VENUE } from './vocabulary.js';

type ReportMessage = ReturnType<typeof sluice.v1.VenueReport.decode>;

/** Sets what of a message a market report adds to account, venue and time. */
export function setMarketReport(message: sluice.v1.VenueReport.$Properties, report: MarketReport): void {
  const { correlationId, instrument } = report;
  switch (report.kind) {
    case 'Candles': {
      const interval = CANDLE_INTERVAL.number(report.interval);
      message.candles = { correlationId, instrument, interval, candles: report.candles.map(toWireCandle) };
      return;
    }
    case 'FundingRates':
      // The encoder only reads the fields, which have the model's names.
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
    markPrice: integer(message.markPrice, 'FundingRate.mark_price'),
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
