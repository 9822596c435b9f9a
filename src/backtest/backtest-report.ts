import { readFileSync } from 'node:fs';
import { parseJsonFile } from '../api/field/json-file.js';
import { draftOf } from '../api/order/order-parser.js';
import { parseOrderRequest } from '../api/order/order-parser.js';
import type { AccountId, OrderId } from '../domain/ids.js';
import { averagePrice, formatAmount, formatLots, meanPrice } from '../domain/quantity.js';
import { isRejected, type OrRejection, reject, type Rejected } from '../domain/rejection.js';
import { buildCatalogue } from '../venue/listing/catalogue.js';
import { parseVenueRates, type VenueRates, VenueRatesError } from '../venue/throttle/request-rates.js';
import { type OrderRun, backtestOrder } from './backtest-run.js';
import { checkPacked, chooseRecording, type Recording, recordingsIn } from './recording.js';
import { FileError } from './table/columns.js';
import type { QueueModelName } from '../venue/matching/queue-model.js';

const BPS_DIGITS = 4;
const SHARE_DIGITS = 6;

/**
 * Runs a backtest and returns its cost as plain numbers. A rejection names the fault in the order or the selection;
 * INVALID_REQUEST: a file cannot be used, and the message names file, line and column.
 */
export async function reportBacktest(request: BacktestOptions) {
  const result = await runBacktest(request);
  return isRejected(result) ? result : { ...identity(result), ...figures(result) };
}

function identity({ recording, run: { state, execution } }: RequestedBacktest) {
  const { order, status, outcome, legs } = state;
  const leg = order.legs[0];
  const { childCount, progress } = legs[0];
  return {
    recording: recording.name,
    exchange: leg.venue,
    symbol: leg.symbol,
    side: leg.side,
    strategy: leg.strategy,
    status,
    message: outcome?.message ?? null,
    quantity: Number(formatLots(leg.quantity, leg)),
    filled_quantity: Number(formatLots(progress.filled, leg)),
    start_time: execution.startMs,
    end_time: execution.endMs,
    children: childCount,
    fills: execution.fills.length,
  };
}

function figures({ run: { state, cost, markouts, deviation } }: RequestedBacktest) {
  const leg = state.order.legs[0];
  const price = (ticks: number | null): number | null => (ticks === null ? null : Number(meanPrice(ticks, leg)));
  const [fee] = state.legs[0].fees;
  const { filled, notional } = state.legs[0].progress;
  return {
    arrival_price: Number(meanPrice(cost.arrivalPrice, leg)),
    average_price: filled === 0 ? null : Number(averagePrice(notional, filled, leg)),
    arrival_slippage_bps: bps(cost.arrivalSlippageBps),
    fees: fee === undefined ? 0 : Number(formatAmount(fee.amount)),
    fee_currency: fee?.currency ?? '',
    fees_bps: bps(cost.feesBps),
    all_in_slippage_bps: bps(cost.allInSlippageBps),
    implementation_shortfall_bps: rounded(cost.implementationShortfallBps, BPS_DIGITS),
    market_vwap: price(cost.marketVwap),
    vwap_slippage_bps: bps(cost.vwapSlippageBps),
    market_vwap_with_own: price(cost.marketVwapWithOwn),
    vwap_with_own_slippage_bps: bps(cost.vwapWithOwnSlippageBps),
    twap_price: price(cost.twapPrice),
    twap_slippage_bps: bps(cost.twapSlippageBps),
    maker_share: share(cost.makerShare),
    participation: share(cost.participation),
    schedule_deviation:
      deviation === null
        ? null
        : { largest: rounded(deviation.largest, SHARE_DIGITS), rms: rounded(deviation.rootMeanSquare, SHARE_DIGITS) },
    markouts: markouts.map((markout) => ({
      horizon_ms: markout.horizonMs,
      bps: bps(markout.bps),
      coverage: rounded(markout.coverage, SHARE_DIGITS),
    })),
  };
}

function bps(value: number | null): number | null {
  return value === null ? null : rounded(value, BPS_DIGITS);
}

function share(value: number | null): number | null {
  return value === null ? null : rounded(value, SHARE_DIGITS);
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** What to backtest, and how. */
export interface BacktestOptions {
  /** Folder with the recordings. */
  readonly dataDir: string;
  /** Part of the recording's name; null when only one recording matches the order. */
  readonly symbol: string | null;
  /** File with the body of a create request. */
  readonly orderFile: string;
  readonly queueModel: QueueModelName;
  readonly latencyMs: number;
  /** Request rates of the exchanges, in the format of SLUICE_VENUE_RATES. */
  readonly venueRates: string;
}

interface RequestedBacktest {
  readonly recording: Recording;
  readonly run: OrderRun;
}

const ACCOUNT = 'backtest' as AccountId;
const ORDER_ID = 1 as OrderId;

/** Reads the request, selects the recording and runs the order. */
async function runBacktest(request: BacktestOptions): Promise<OrRejection<RequestedBacktest>> {
  const bytes = readable(() => readFileSync(request.orderFile));
  if (isRejected(bytes)) return bytes;
  const body = parseJsonFile(bytes, request.orderFile);
  if (isRejected(body)) return body;
  const rates = ratesOf(request.venueRates);
  if (isRejected(rates)) return rates;
  const catalogue = buildCatalogue();
  const order = parseOrderRequest(body.value, catalogue);
  if (isRejected(order)) return order;
  const { instrument } = order;
  const recordings = readable(() => recordingsIn(request.dataDir));
  if (isRejected(recordings)) return recordings;
  const recording = chooseRecording(recordings, instrument, request.symbol);
  if (isRejected(recording)) return recording;
  const { queueModel, latencyMs } = request;
  const run = await backtestOrder({
    recording,
    instrument,
    catalogue,
    orderAt: (nowMs) => ({ ...draftOf(order, '', ACCOUNT, nowMs), orderId: ORDER_ID }),
    queueModel,
    latencyMs,
    rates: rates.value,
  });
  if (isRejected(run)) return run;
  const damage = await damageOf(recording);
  return damage ?? { recording, run };
}

/** What a read returns, or the reason why the file or folder cannot be read. */
function readable<Content>(read: () => Content): OrRejection<Content> {
  try {
    return read();
  } catch (error) {
    return reject('INVALID_REQUEST', (error as Error).message);
  }
}

/** The refusal of a damaged packed file; null: there is none. */
async function damageOf(recording: Recording): Promise<Rejected | null> {
  try {
    await checkPacked(recording);
    return null;
  } catch (error) {
    if (error instanceof FileError) return reject('INVALID_REQUEST', error.message);
    throw error;
  }
}

function ratesOf(text: string): OrRejection<{ readonly value: VenueRates }> {
  try {
    return { value: parseVenueRates(text) };
  } catch (error) {
    if (error instanceof VenueRatesError) return reject('INVALID_PARAM', `rates: ${error.message}`);
    throw error;
  }
}
