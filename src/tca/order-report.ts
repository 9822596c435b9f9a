import type { ChildCounts, WorkedLeg } from './worked-leg.js';
import type { LegCost } from './leg-cost.js';
import type { Markout } from './execution-cost.js';
import { addTurnover, NOTHING_TRADED, turnoverOf } from './traded-volume.js';
import { QUOTE_AFTERMATH_MS } from '../domain/limits/trading.js';
import { quoteOf, realModeOf } from '../domain/instrument.js';
import { isTerminal } from '../domain/order.js';
import { formatLots, type Lots } from '../domain/quantity.js';
import type { EpochMs } from '../domain/time.js';
import {
  arrayText,
  amountText,
  averageText,
  feesText,
  flagText,
  midText,
  objectText,
  priceText,
  ratioText,
  quote,
} from './figure-text.js';
import { courseEndOf, type MeasuredLeg, type MeasuredOrder } from './order-reading.js';

/** Returns the contract's OrderCost as JSON. */
export function orderCostText({ order, legs }: MeasuredOrder, asOfMs: EpochMs): string {
  const status = legs[0]?.leg.status ?? 'PENDING_NEW';
  return objectText({
    order_id: String(order.orderId),
    ...(order.clientOrderId === null ? {} : { client_order_id: quote(order.clientOrderId) }),
    status: quote(status),
    as_of: String(asOfMs),
    is_final: flagText(legs.every((leg) => isFinal(leg, asOfMs))),
    legs: arrayText(legs.map(legText)),
  });
}

/** True when a later measurement cannot differ. */
function isFinal({ leg }: MeasuredLeg, asOfMs: EpochMs): boolean {
  if (!isTerminal(leg.status)) return false;
  const lastMs = Math.max(leg.endedAtMs ?? 0, leg.fills.at(-1)?.atMs ?? 0, courseEndOf(leg) ?? 0);
  return asOfMs >= lastMs + QUOTE_AFTERMATH_MS;
}

function legText({ leg, cost }: MeasuredLeg): string {
  const filled = turnoverOf(leg.fills).volume;
  return objectText({
    exchange: quote(leg.venue),
    ...liveModeOf(leg),
    symbol: quote(leg.symbol),
    side: quote(leg.side),
    strategy: quote(leg.strategy),
    quantity: formatLots(leg.quantity, leg),
    filled_quantity: formatLots(filled, leg),
    ...overFilledOf(leg, filled),
    completion: ratioText(filled / leg.quantity),
    children: childrenText(leg.children, leg),
    fees_infos: feesText(leg.fees),
    cost: cost === null ? 'null' : costText(leg, cost),
  });
}

/** Absent unless the fills exceed the quantity. */
function overFilledOf(leg: WorkedLeg, filled: Lots): Record<string, string> {
  const excess = filled - leg.quantity;
  return excess > 0 ? { over_filled_quantity: formatLots(excess as Lots, leg) } : {};
}

/** Absent at a simulated exchange. */
function liveModeOf({ instrument }: WorkedLeg): Record<string, string> {
  const mode = realModeOf(instrument);
  return mode === null ? {} : { live_mode: quote(mode) };
}

function childrenText(children: ChildCounts, { fills }: WorkedLeg): string {
  const { sent, sentQuantity, filled, rejected, cancelled, cancelRequests } = children;
  const per = (count: number): string => ratioText(fills.length === 0 ? null : count / fills.length);
  return objectText({
    sent: String(sent),
    filled: String(filled),
    rejected: String(rejected),
    cancelled: String(cancelled),
    fills: String(fills.length),
    fill_rate: ratioText(sentQuantity === 0 ? null : turnoverOf(fills).volume / sentQuantity),
    sent_per_fill: per(sent),
    cancelled_per_fill: per(cancelled),
    messages_per_fill: per(sent + cancelRequests),
  });
}

function costText(leg: WorkedLeg, cost: LegCost): string {
  const own = turnoverOf(leg.fills);
  const { shortfall, schedule } = cost;
  return objectText({
    start_time: String(cost.startMs),
    end_time: String(cost.endMs),
    on_time: flagText(cost.isOnTime),
    arrival_price: midText(leg.arrivalTwiceMid, leg),
    average_price: averageText(own, leg),
    arrival_slippage_bps: ratioText(cost.arrivalSlippageBps),
    all_in_slippage_bps: ratioText(cost.allInSlippageBps),
    implementation_shortfall_bps: ratioText(cost.implementationShortfallBps),
    implementation_shortfall: objectText({
      currency: quote(quoteOf(leg.symbol)),
      trading: amountText(shortfall.trading),
      missed: amountText(shortfall.missed),
      fees: amountText(shortfall.fees),
      total: amountText(shortfall.total),
    }),
    vwap_slippage_bps: ratioText(cost.vwapSlippageBps),
    vwap_with_own_slippage_bps: ratioText(cost.vwapWithOwnSlippageBps),
    twap_slippage_bps: ratioText(cost.twapSlippageBps),
    schedule_deviation:
      schedule === null
        ? 'null'
        : objectText({ largest: ratioText(schedule.largest), rms: ratioText(schedule.rootMeanSquare) }),
    participation: ratioText(cost.participation),
    participation_target: ratioText(leg.wantedParticipation),
    effective_spread_bps: ratioText(cost.effectiveSpreadBps),
    spread_capture: ratioText(cost.spreadCapture),
    markouts: arrayText(cost.markouts.map(markoutText)),
    maker_share: ratioText(cost.makerShare),
    fees_bps: ratioText(cost.feesBps),
    market: marketText(leg, cost),
  });
}

function marketText(leg: WorkedLeg, { observed, twapPrice }: LegCost): string {
  const others = observed ?? NOTHING_TRADED;
  const all = observed === null ? NOTHING_TRADED : addTurnover(turnoverOf(leg.fills), others);
  return objectText({
    observed_from: String(observed?.fromMs ?? null),
    observed_to: String(observed?.toMs ?? null),
    volume: observed === null ? 'null' : formatLots(others.volume, leg),
    vwap: averageText(others, leg),
    vwap_with_own: averageText(all, leg),
    twap: priceText(twapPrice, leg),
  });
}

function markoutText({ horizonMs, bps, coverage }: Markout): string {
  return objectText({ horizon_ms: String(horizonMs), bps: ratioText(bps), coverage: ratioText(coverage) });
}
