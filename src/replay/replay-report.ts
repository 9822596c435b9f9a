import { AMOUNT_PRECISION } from '../model/amount.js';
import type { Grid } from '../model/quantity.js';
import { isRejected } from '../model/rejection.js';
import { runReplay, type ReplayRequest, type RequestedReplay } from './replay-request.js';

/** Behind the tick's own digits, for prices that are averages. */
const AVERAGE_DIGITS = 4;
const BPS_DIGITS = 4;
const SHARE_DIGITS = 6;

/** Works the order and tells what it cost in plain numbers; rejects with a message for whoever asked. */
export async function reportReplay(request: ReplayRequest) {
  const result = await runReplay(request);
  if (isRejected(result)) throw new Error(`${result.rejection.code}: ${result.rejection.message}`);
  return { ...identity(result), ...figures(result) };
}

function identity({ recording, replay: { state, execution } }: RequestedReplay) {
  const { order, status, outcome, childCount } = state;
  return {
    recording: recording.name,
    exchange: order.venue,
    symbol: order.symbol,
    side: order.side,
    strategy: order.strategy,
    status,
    message: outcome?.message ?? null,
    quantity: quantityOf(order.quantity, order),
    filled_quantity: quantityOf(state.progress.filled, order),
    start_time: execution.startMs,
    end_time: execution.endMs,
    children: childCount,
    fills: execution.fills.length,
  };
}

function figures({ replay: { state, cost, markouts, deviation } }: RequestedReplay) {
  const price = (ticks: number | null): number | null => (ticks === null ? null : priceOf(ticks, state.order));
  const [fee] = state.fees;
  return {
    arrival_price: priceOf(cost.arrivalPrice, state.order),
    average_price: price(cost.averagePrice),
    arrival_slippage_bps: bps(cost.arrivalSlippageBps),
    fees: fee === undefined ? 0 : Number(fee.amount) / 10 ** AMOUNT_PRECISION,
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

function quantityOf(lots: number, { quantityPrecision }: Grid): number {
  return rounded(lots / 10 ** quantityPrecision, quantityPrecision);
}

function priceOf(ticks: number, { pricePrecision }: Grid): number {
  return rounded(ticks / 10 ** pricePrecision, pricePrecision + AVERAGE_DIGITS);
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
