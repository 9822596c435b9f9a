import type { OrderDetails, TimelineEntry } from '../client/wire.js';
import type { Tone } from './cell.js';
import { basisPointsText, instantText, percentText, priceText, quantityText } from './figures.js';
import type { KnownOrder } from './order-board.js';
import { costBps } from './order-origin.js';
import { progressOf } from './order-row.js';

/** One line of what there is to say of an order. */
export interface Fact {
  readonly name: string;
  readonly text: string;
  readonly tone?: Tone;
}

/** What an order is and where it stands; what it has not is left out. */
export function orderFacts({ row, origin }: KnownOrder, details: OrderDetails | null): readonly Fact[] {
  const cost = costBps(row.side, row.averagePrice, origin.arrivalPrice);
  const leaves = Math.max(0, row.quantity - row.filled);
  const facts: readonly (Fact | null)[] = [
    row.clientOrderId === null ? null : { name: 'Client id', text: row.clientOrderId },
    {
      name: 'Filled',
      text: `${quantityText(row.filled)} of ${quantityText(row.quantity)} (${percentText(progressOf(row))})`,
    },
    { name: 'Leaves', text: quantityText(leaves) },
    row.averagePrice > 0 ? { name: 'Average', text: priceText(row.averagePrice) } : null,
    origin.arrivalPrice === null ? null : { name: 'Arrival', text: priceText(origin.arrivalPrice) },
    cost === null ? null : { name: 'Cost vs arrival', text: basisPointsText(cost), tone: cost > 0 ? 'bad' : 'good' },
    origin.limitPrice === null ? null : { name: 'Limit', text: priceText(origin.limitPrice) },
    feesFact(details),
    details?.mishedge === undefined ? null : { name: 'Mishedge', text: quantityText(details.mishedge) },
    origin.createdAtMs === null ? null : { name: 'Created', text: instantText(origin.createdAtMs) },
    { name: 'Start', text: instantText(row.startAtMs) },
    { name: 'End', text: row.endAtMs === null ? 'none' : instantText(row.endAtMs) },
  ];
  return facts.filter((fact) => fact !== null);
}

/** Legs of a multi-leg order, one line each. */
export function legFacts(details: OrderDetails | null): readonly Fact[] {
  return (details?.legs ?? []).map((leg) => ({
    name: leg.is_leading ? 'Leading leg' : 'Other leg',
    text:
      `${leg.side} ${leg.symbol} on ${leg.exchange} (${leg.strategy}): ` +
      `${quantityText(leg.filled_value)} of ${quantityText(leg.target_value)} ${leg.ccy}` +
      (leg.average_price > 0 ? ` at ${priceText(leg.average_price)}` : ''),
  }));
}

/** The parameters of the latest terms that the entries tell, as `name value`; null when they tell none. */
export function termsText(entries: readonly TimelineEntry[]): string | null {
  const terms = entries.findLast(({ event }) => event === 'ParentCreated' || event === 'ParentAmended');
  if (terms === undefined) return null;
  const { clip_size_type: clipType, clip_size_val: clipValue, params = {} } = terms;
  const clip = clipType === undefined ? [] : [`clip ${clipType}${clipValue === undefined ? '' : ` ${clipValue}`}`];
  return [...clip, ...membersOf(params)].join(' · ');
}

/** Each member as its name and value; those of an object within it by themselves, under names that say enough. */
function membersOf(params: object): readonly string[] {
  return Object.entries(params).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null ? membersOf(value) : [`${name.replaceAll('_', ' ')} ${String(value)}`],
  );
}

function feesFact(details: OrderDetails | null): Fact | null {
  const fees = Object.entries(details?.fees_infos ?? {});
  if (fees.length === 0) return null;
  return { name: 'Fees', text: fees.map(([currency, amount]) => `${quantityText(amount)} ${currency}`).join(', ') };
}
