import type { OrderCostLeg } from '../client/index.js';
import { number } from './order-table.js';

type Markout = NonNullable<OrderCostLeg['cost']>['markouts'][number];

/** One figure of a report. */
export interface CostRow {
  readonly name: string;
  /** '' when it is not known. */
  readonly value: string;
  readonly unit: string;
}

/** Two decimals; where they would say nothing, as of a spread of one small tick, four. */
export function bpsText(value: number): string {
  const text = value.toFixed(Math.abs(value) < 0.01 ? 4 : 2);
  return Number(text) === 0 ? '0.00' : text;
}

/** A leg's figures, most wanted first. */
export function legRows(leg: OrderCostLeg): CostRow[] {
  const { children } = leg;
  return [
    row('order', `${leg.side} ${number(leg.quantity)} ${leg.symbol}`, `${leg.strategy} on ${leg.exchange}`),
    row('filled', number(leg.filled_quantity), `${(leg.completion * 100).toFixed(1)} %`),
    ...costRows(leg),
    row(
      'children',
      String(children.sent),
      `${children.filled} filled, ${children.rejected} rejected, ${children.cancelled} cancelled`,
    ),
    row(
      'fills',
      String(children.fills),
      children.fill_rate === null ? '' : `${(children.fill_rate * 100).toFixed(1)} % of what was sent`,
    ),
    ...Object.entries(leg.fees_infos).map(([currency, fee]) => row('fees', number(fee), currency)),
  ];
}

function costRows({ cost }: OrderCostLeg): CostRow[] {
  if (cost === null) return [];
  const { market, implementation_shortfall: shortfall, schedule_deviation: schedule } = cost;
  return [
    figure('arrival price', cost.arrival_price),
    figure('average price', cost.average_price),
    bps('arrival slippage', cost.arrival_slippage_bps),
    bps('with fees', cost.all_in_slippage_bps),
    bps('implementation shortfall', cost.implementation_shortfall_bps),
    figure('', shortfall.total, shortfall.currency),
    figure('market VWAP', market.vwap),
    bps('VWAP slippage', cost.vwap_slippage_bps),
    bps('with own fills', cost.vwap_with_own_slippage_bps),
    figure('TWAP', market.twap),
    bps('TWAP slippage', cost.twap_slippage_bps),
    percent('off schedule, at most', schedule?.largest ?? null),
    percent('off schedule, RMS', schedule?.rms ?? null),
    percent('participation', cost.participation),
    bps('effective spread', cost.effective_spread_bps),
    figure(
      'spread capture',
      cost.spread_capture === null ? null : Number(cost.spread_capture.toFixed(3)),
      'half spreads',
    ),
    ...cost.markouts.map(markoutRow),
    percent('maker share', cost.maker_share),
    bps('fees', cost.fees_bps),
    row('on time', cost.on_time === null ? '' : cost.on_time ? 'yes' : 'no'),
  ];
}

function markoutRow({ horizon_ms: horizonMs, bps: moved, coverage }: Markout): CostRow {
  const known = bps(`markout ${horizonMs / 1000} s`, moved);
  // Some may be still to come, or were while nobody looked.
  return moved === null || coverage === 1
    ? known
    : { ...known, unit: `bps of ${(coverage * 100).toFixed(1)} % filled` };
}

function row(name: string, value: string, unit = ''): CostRow {
  return { name, value, unit };
}

function figure(name: string, value: number | null, unit = ''): CostRow {
  return row(name, value === null ? '' : number(value), value === null ? '' : unit);
}

function bps(name: string, value: number | null): CostRow {
  return row(name, value === null ? '' : bpsText(value), value === null ? '' : 'bps');
}

function percent(name: string, value: number | null): CostRow {
  return row(name, value === null ? '' : (value * 100).toFixed(2), value === null ? '' : '%');
}
