import type { Instrument } from '../../model/instrument.js';
import { FUNDING_INTERVAL_MS } from '../../model/limits.js';
import type { FundingRate } from '../../model/market-feed.js';
import { formatSteps, formatTicks, type Ticks } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import { instantText, quote } from './json-text.js';

/** Decimals of a rate that counts millionths. */
const RATE_PRECISION = 6;

/** What a future has paid, newest first, as FundingRates of the contract; each but the newest says what came next. */
export function paidTexts(future: Instrument, rates: readonly FundingRate[]): readonly string[] {
  return rates.map(({ atMs, ratePpm, markPrice }, place) =>
    rateText(future, { atMs, ratePpm, markPrice, nextPpm: rates[place - 1]?.ratePpm ?? null }),
  );
}

/** What a future has paid last and what it would pay next, at its mark price of now. null when it has never paid. */
export function currentText(future: Instrument, [next, last]: readonly FundingRate[]): string | null {
  if (next === undefined || last === undefined) return null;
  const { atMs, ratePpm } = last;
  return rateText(future, { atMs, ratePpm, markPrice: next.markPrice, nextPpm: next.ratePpm });
}

interface Shown {
  readonly atMs: EpochMs;
  readonly ratePpm: number;
  readonly markPrice: Ticks;
  /** null: not known yet. */
  readonly nextPpm: number | null;
}

function rateText(future: Instrument, { atMs, ratePpm, markPrice, nextPpm }: Shown): string {
  return (
    `{"exchange":"${future.venue}","symbol":${quote(future.symbol)},"time":${instantText(atMs)},` +
    `"nextTime":${instantText(atMs + FUNDING_INTERVAL_MS)},"rate":${formatSteps(ratePpm, RATE_PRECISION)},` +
    (nextPpm === null ? '' : `"nextRate":${formatSteps(nextPpm, RATE_PRECISION)},`) +
    `"markPrice":${formatTicks(markPrice, future)}}`
  );
}
