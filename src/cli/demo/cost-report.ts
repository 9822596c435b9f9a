import { number, percent, sum } from '../output.js';
import type { OrderDetails, TradeDetails } from '../../client/index.js';

export interface FinishedOrder {
  readonly title: string;
  /** Including trades and fees. */
  readonly details: OrderDetails;
  /** Mid of bid and ask when the order was placed. */
  readonly arrivalPrice: number;
  readonly childCount: number;
}

const BPS = 10_000;

/** Formats the cost of the order against its arrival price. */
export function costReport(order: FinishedOrder): string[] {
  const { title, details, arrivalPrice, childCount } = order;
  const trades = details.trades ?? [];
  const rows: [string, string][] = [
    ['order', `${details.order_id}  ${title}  ${details.status}`],
    [
      'filled',
      `${number(details.filled_quantity)} of ${number(sum(details.filled_quantity, details.leaves_quantity))}`,
    ],
    ['arrival price', `${number(arrivalPrice)}  (mid when it was placed)`],
    ['average price', details.filled_quantity === 0 ? 'none' : number(details.average_price)],
    ['slippage', slippage(details, arrivalPrice)],
    ['fees', fees(details)],
    ['maker share', makerShare(trades)],
    ['duration', duration(details)],
    ['children', `${childCount}, filled in ${trades.length} trades`],
  ];
  return ['Cost report', ...rows.map(([name, value]) => `  ${name.padEnd(14)} ${value}`)];
}

/** Slippage in basis points. Positive is cost: buying above or selling below the arrival price. */
export function slippageBps(details: OrderDetails, arrivalPrice: number): number {
  const sign = details.side === 'BUY' ? 1 : -1;
  return (sign * (details.average_price - arrivalPrice) * BPS) / arrivalPrice;
}

function slippage(details: OrderDetails, arrivalPrice: number): string {
  if (details.filled_quantity === 0) return 'none';
  const bps = slippageBps(details, arrivalPrice);
  return `${bps < 0 ? '' : '+'}${bps.toFixed(2)} bps  (positive is cost)`;
}

/** Formats the fees. A rate follows for fees in the quote currency. */
function fees({
  fees_infos: totals = {},
  symbol = '',
  filled_quantity: filled,
  average_price: average,
}: OrderDetails): string {
  const quote = symbol.split(/[/:]/)[1];
  const parts = Object.entries(totals).map(([currency, fee]) => {
    const rate = currency === quote && filled > 0 ? `  (${((fee * BPS) / (filled * average)).toFixed(2)} bps)` : '';
    return `${number(fee)} ${currency}${rate}`;
  });
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function makerShare(trades: readonly TradeDetails[]): string {
  const traded = quantityOf(trades);
  if (traded === 0) return 'none';
  const made = quantityOf(trades.filter((trade) => trade.makerOrTaker?.toUpperCase() === 'MAKER'));
  return percent(made / traded, 0);
}

function quantityOf(trades: readonly TradeDetails[]): number {
  return trades.reduce((total, trade) => sum(total, trade.quantity), 0);
}

function duration({ start_time: startMs, end_time: endMs }: OrderDetails): string {
  return startMs === undefined || endMs === undefined ? 'unknown' : `${((endMs - startMs) / 1000).toFixed(1)} s`;
}
