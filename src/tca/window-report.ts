import { summarise, type CostedLeg, type CostSummary } from './cost-summary.js';
import { quoteOf } from '../domain/instrument.js';
import type { StateSnapshot } from '../journal/port.js';
import type { OrderId } from '../domain/ids.js';
import { withSlash } from '../domain/instrument.js';
import { COST_ORDERS_MAX } from '../domain/limits/clients.js';
import type { EpochMs } from '../domain/time.js';
import type { CostDimension, WindowCostRequest } from '../domain/query.js';
import { amountText, arrayText, feesText, flagText, objectText, ratioText, quote } from './figure-text.js';
import { measureOrder, type CostReader } from './order-reading.js';

interface Group {
  readonly names: Readonly<Record<string, string>>;
  readonly legs: CostedLeg[];
}

/** Returns the contract's CostSummaryList as JSON: orders created in the window, newest first, grouped by dimension. */
export function windowCostText(reader: CostReader & Pick<StateSnapshot, 'find'>, question: WindowCostRequest): string {
  const { account, fromMs, toMs, by, asOfMs } = question;
  // Reads one more to know whether there are more.
  const found = fromMs > toMs ? [] : reader.find(account, fromMs, toMs, COST_ORDERS_MAX + 1);
  const cutAtMs = found[COST_ORDERS_MAX]?.order.createdAtMs ?? null;
  // The next report measures all orders of that instant: none is measured twice.
  const later = found.filter(({ order }) => cutAtMs === null || order.createdAtMs > cutAtMs);
  const measured = later.length > 0 ? later : found.slice(0, COST_ORDERS_MAX);
  const groups = new Map<string, Group>();
  let orders = 0;
  for (const { order } of measured) {
    const legs = costedLegs(reader, order.orderId, asOfMs).filter((leg) => isAsked(leg, question));
    if (legs.length > 0) orders += 1;
    for (const leg of legs) groupOf(groups, leg, by).legs.push(leg);
  }
  const sorted = [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return objectText({
    from: String(fromMs),
    to: String(toMs),
    as_of: String(asOfMs),
    orders: String(orders),
    is_complete: flagText(cutAtMs === null),
    ...(cutAtMs === null || later.length === 0 ? {} : { next_to: String(cutAtMs) }),
    groups: arrayText(sorted.map(([, group]) => groupText(group))),
  });
}

function costedLegs(reader: CostReader, orderId: OrderId, asOfMs: EpochMs): CostedLeg[] {
  const measured = measureOrder(reader, orderId, asOfMs);
  return (measured?.legs ?? []).flatMap(({ leg, cost }) => (cost === null ? [] : [{ leg, cost }]));
}

function isAsked({ leg }: CostedLeg, { venue, symbol, strategy }: WindowCostRequest): boolean {
  return (
    (venue === null || leg.venue === venue) &&
    (symbol === null || withSlash(leg.symbol) === symbol) &&
    (strategy === null || leg.strategy === strategy)
  );
}

/**
 * Finds the group of a leg. The quote currency is always part of the key, because amounts in two currencies never add
 * up.
 */
function groupOf(groups: Map<string, Group>, { leg }: CostedLeg, by: readonly CostDimension[]): Group {
  const values = { strategy: leg.strategy, symbol: withSlash(leg.symbol), exchange: leg.venue, side: leg.side };
  const names = Object.fromEntries([...by.map((one) => [one, values[one]]), ['currency', quoteOf(leg.symbol)]]);
  const key = JSON.stringify(names);
  let group = groups.get(key);
  if (group === undefined) groups.set(key, (group = { names, legs: [] }));
  return group;
}

function groupText({ names, legs }: Group): string {
  return objectText({
    ...Object.fromEntries(Object.entries(names).map(([name, value]) => [name, quote(value)])),
    ...summaryMembers(summarise(legs)),
  });
}

function summaryMembers(summary: CostSummary): Record<string, string> {
  const { markouts, fees, children } = summary;
  return {
    legs: String(summary.legs),
    wanted_value: amountText(summary.wantedValue),
    filled_value: amountText(summary.filledValue),
    completion: ratioText(summary.completion),
    on_time_share: ratioText(summary.onTimeShare),
    arrival_slippage_bps: ratioText(summary.arrivalSlippageBps.mean),
    arrival_slippage_stderr_bps: ratioText(summary.arrivalSlippageBps.standardError),
    all_in_slippage_bps: ratioText(summary.allInSlippageBps),
    implementation_shortfall_bps: ratioText(summary.implementationShortfallBps),
    vwap_slippage_bps: ratioText(summary.vwapSlippageBps),
    vwap_with_own_slippage_bps: ratioText(summary.vwapWithOwnSlippageBps),
    twap_slippage_bps: ratioText(summary.twapSlippageBps),
    effective_spread_bps: ratioText(summary.effectiveSpreadBps),
    spread_capture: ratioText(summary.spreadCapture),
    participation: ratioText(summary.participation),
    maker_share: ratioText(summary.makerShare),
    fees_bps: ratioText(summary.feesBps),
    markouts: arrayText(
      markouts.map(({ horizonMs, bps }) => objectText({ horizon_ms: String(horizonMs), bps: ratioText(bps) })),
    ),
    fees_infos: feesText(fees),
    children: objectText({
      sent: String(children.sent),
      filled: String(children.filled),
      rejected: String(children.rejected),
      cancelled: String(children.cancelled),
      fills: String(children.fills),
    }),
  };
}
