import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRecordingOf, type Recording } from '../../src/backtest/recording.js';
import { parseVenue } from '../../src/domain/exchange.js';
import type { Instrument, InstrumentCatalogue } from '../../src/domain/instrument.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import { headersIn, type RecordingHeader } from './recording-header.js';

export interface KnownInstruments {
  readonly catalogue: InstrumentCatalogue;
  /** Entries of the file of --instruments. */
  readonly headers: readonly RecordingHeader[];
}

/** The instrument of a recording, or why it has none. */
type Found = { readonly instrument: Instrument; readonly reason: null } | { readonly reason: string };

/** Reads the instrument from the recording's header, from the given headers, or from the catalogue, in this order. */
export function instrumentOfRecording(recording: Recording, { catalogue, headers }: KnownInstruments): Found {
  const header = headerOf(recording) ?? headers.find((one) => isMeant(one, recording)) ?? null;
  if (typeof header === 'string') return { reason: header };
  if (header !== null) return instrumentOf(header, catalogue);
  const instrument = catalogue.instruments.find((one) => isRecordingOf(recording, one));
  if (instrument !== undefined) return { instrument, reason: null };
  const file = `${recording.name}.header.json`;
  return { reason: `the catalogue has no such instrument, and neither ${file} nor --instruments describes it` };
}

function headerOf({ name, files }: Recording): RecordingHeader | string | null {
  const [first = ''] = files.values();
  const path = join(dirname(first), `${name}.header.json`);
  if (!existsSync(path)) return null;
  const headers = headersIn(path);
  return typeof headers === 'string' ? headers : (headers[0] ?? `${path} has no header`);
}

function isMeant({ recording }: RecordingHeader, { name }: Recording): boolean {
  return recording !== undefined && name.startsWith(recording);
}

function instrumentOf(header: RecordingHeader, catalogue: InstrumentCatalogue): Found {
  const { asset_category: assetCategory, base, quote } = header;
  const venue = parseVenue(header.exchange);
  if (venue === null) return { reason: `its header names an unknown exchange: ${header.exchange}` };
  const [pricePrecision, quantityPrecision] = [decimalsOf(header.price_step), decimalsOf(header.quantity_step)];
  if (pricePrecision === null || quantityPrecision === null) {
    return { reason: `its steps ${header.price_step} and ${header.quantity_step} are not powers of ten up to 1` };
  }
  const like = catalogue.instruments.find((one) => one.venue === venue && one.assetCategory === assetCategory);
  if (like === undefined) return { reason: `${venue} has no instrument of the category ${assetCategory}` };
  const [lots, ticks] = [10 ** quantityPrecision, 10 ** pricePrecision];
  const quantityMax = Math.round((header.quantity_max ?? UNLIMITED) * lots) as Lots;
  const instrument: Instrument = {
    ...like,
    symbol: assetCategory === 'SPOT' ? `${base}/${quote}` : `${base}/${quote}:${header.settle ?? quote}`,
    base,
    quote,
    pricePrecision,
    quantityPrecision,
    priceStep: 1,
    quantityStep: 1,
    quantityMin: Math.max(1, Math.round((header.quantity_min ?? 0) * lots)) as Lots,
    quantityMax,
    notionalMin: Math.ceil((header.notional_min ?? 0) * lots * ticks),
    makerFeePpm: ppmOf(header.maker_fee_bps) ?? like.makerFeePpm,
    takerFeePpm: ppmOf(header.taker_fee_bps) ?? like.takerFeePpm,
    filters: {
      ...like.filters,
      priceMin: 1 as Ticks,
      priceMax: Math.round(UNLIMITED * ticks) as Ticks,
      marketQuantityMax: quantityMax,
      notionalMax: Number.MAX_SAFE_INTEGER,
    },
  };
  return { instrument, reason: null };
}

/** Above any recorded price and quantity, and exact on every grid. */
const UNLIMITED = 10_000_000;
const PPM_PER_BPS = 100;

function ppmOf(bps: number | undefined): number | undefined {
  return bps === undefined ? undefined : Math.round(bps * PPM_PER_BPS);
}

/** Decimals of a power of ten from 1 down, such as 0.001; null for other texts. */
function decimalsOf(step: string): number | null {
  if (/^1(\.0*)?$/.test(step)) return 0;
  const [, zeros] = /^0?\.(0*)10*$/.exec(step) ?? [];
  return zeros === undefined ? null : zeros.length + 1;
}
