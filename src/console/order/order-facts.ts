import type { OrderCostLeg, OrderDetails, TimelineEntry } from '../../client/wire.js';
import {
  type Tone,
  basisPointsText,
  decimalText,
  difference,
  instantText,
  percentText,
  priceText,
} from '../view/figures.js';
import { costBps, progressOf, tradedText, type KnownOrder, type OrderRow } from './order-row.js';

/** One name and value of an order. */
export interface Fact {
  readonly name: string;
  readonly text: string;
  readonly tone?: Tone;
  /** Takes a line of its own. */
  readonly isWide?: boolean;
}

/** An action of the operator on one order. */
export type OrderAction = 'pause' | 'resume' | 'cancel';

/** The text of a dialog that asks before an action. */
export interface Confirmation {
  readonly question: string;
  readonly consequence: string;
  /** Text of the button that acts. */
  readonly verb: string;
}

/** One field with its old and its new text. */
export interface TermChange {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** Smaller costs are shown as 0.0. */
const BPS_SHOWN_MIN = 0.05;

const ACTIONS: Readonly<Record<string, readonly OrderAction[]>> = {
  PENDING_NEW: ['cancel'],
  ACCEPTED: ['pause', 'cancel'],
  PARTIALLY_FILLED: ['pause', 'cancel'],
  PENDING_PAUSE: ['cancel'],
  PAUSED: ['resume', 'cancel'],
  PENDING_UNPAUSE: ['cancel'],
};

/** The actions that a status allows; the service decides in the end. */
export function actionsIn(status: string): readonly OrderAction[] {
  return ACTIONS[status] ?? [];
}

function nameOf(row: OrderRow): string {
  const id = row.clientOrderId === null ? `order ${row.orderId}` : `order ${row.orderId}, ${row.clientOrderId}`;
  return `${tradedText(row)} (${row.strategy}, ${id})`;
}

/** Asks before an amendment that raises the quantity. */
export function confirmationOfMore(row: OrderRow, changes: readonly TermChange[]): Confirmation {
  const words = changes.map(({ label, before, after }) => `${label.toLowerCase()} ${before} → ${after}`);
  return {
    question: 'Trade more with this order?',
    consequence: `${nameOf(row)}: ${words.join(', ')}.`,
    verb: 'Amend the order',
  };
}

export function confirmationOf(action: OrderAction, row: OrderRow): Confirmation {
  const name = nameOf(row);
  switch (action) {
    case 'cancel':
      return {
        question: 'Cancel this order?',
        consequence: `${name}: the service withdraws its resting children. Fills stay. A cancelled order cannot be resumed.`,
        verb: 'Cancel the order',
      };
    case 'pause':
      return {
        question: 'Pause this order?',
        consequence: `${name}: the service withdraws its resting children and places nothing until you resume it. The end time stays.`,
        verb: 'Pause',
      };
    case 'resume':
      return {
        question: 'Resume this order?',
        consequence: `${name}: the service spreads the remaining quantity over the remaining time.`,
        verb: 'Resume',
      };
  }
}

export function confirmationOfAll(openCount: number): Confirmation {
  const orders = openCount === 1 ? 'the one open order' : `all ${openCount} open orders`;
  return {
    question: `Cancel ${orders}?`,
    consequence: `Cancels ${orders} of this account, on every exchange and from every client, also those that this page does not list. Fills stay.`,
    verb: `Cancel ${orders}`,
  };
}

/** The command of the operator. The service does not tell a key the name of its account. */
export const RELEASE_COMMAND = 'sluice kill-switch release --account NAME';

export const KILL_SWITCH_CONFIRMATION: Confirmation = {
  question: 'Halt all trading of this account?',
  consequence: `The kill switch cancels every open order of the account and refuses new ones. No key can release it: an operator does it on the machine of the service, with "${RELEASE_COMMAND}".`,
  verb: 'Halt trading',
};

/** The facts of an order; unknown ones are left out. */
export function orderFacts({ row, origin }: KnownOrder, details: OrderDetails | null): readonly Fact[] {
  const cost = costBps(row.side, row.averagePrice, origin.arrivalPrice);
  const leaves = Math.max(0, difference(row.quantity, row.filled));
  const facts: readonly (Fact | null)[] = [
    row.clientOrderId === null ? null : { name: 'Client id', text: row.clientOrderId },
    {
      name: 'Filled',
      text: `${decimalText(row.filled)} of ${decimalText(row.quantity)} (${percentText(progressOf(row))})`,
    },
    { name: 'Leaves', text: decimalText(leaves) },
    row.averagePrice > 0 ? { name: 'Average', text: priceText(row.averagePrice) } : null,
    origin.arrivalPrice === null ? null : { name: 'Arrival', text: priceText(origin.arrivalPrice) },
    cost === null ? null : { name: 'Cost vs arrival', text: basisPointsText(cost), tone: cost > 0 ? 'bad' : 'good' },
    row.limitPrice === null ? null : { name: 'Limit', text: decimalText(row.limitPrice) },
    feesFact(details?.fees_infos),
    details?.mishedge === undefined ? null : { name: 'Mishedge', text: decimalText(details.mishedge) },
    { name: 'Created', text: instantText(row.createdAtMs) },
    { name: 'Start', text: instantText(row.startAtMs) },
    { name: 'End', text: row.endAtMs === null ? 'none' : instantText(row.endAtMs) },
  ];
  return facts.filter((fact) => fact !== null);
}

/** One line for each leg of a multi-leg order. */
export function legFacts(details: OrderDetails | null): readonly Fact[] {
  return (details?.legs ?? []).map((leg) => ({
    isWide: true,
    name: leg.is_leading ? 'Leading leg' : 'Other leg',
    text:
      `${leg.side} ${leg.symbol} on ${leg.exchange} (${leg.strategy}): ` +
      `${decimalText(leg.filled_value)} of ${decimalText(leg.target_value)} ${leg.ccy}` +
      (leg.average_price > 0 ? ` at ${priceText(leg.average_price)}` : '') +
      (leg.limit_price === undefined ? '' : `, limit ${decimalText(leg.limit_price)}`),
  }));
}

/** The figures of the cost report of one leg, in the order in which a trader reads them; unknown ones are left out. */
export function costFacts({ cost, completion }: OrderCostLeg): readonly Fact[] {
  if (cost === null) return [];
  const money = cost.implementation_shortfall;
  const facts: readonly (Fact | null)[] = [
    bps('vs arrival', cost.arrival_slippage_bps),
    bps('vs arrival with fees', cost.all_in_slippage_bps),
    bps('vs interval VWAP', cost.vwap_slippage_bps),
    bps('vs interval TWAP', cost.twap_slippage_bps),
    bps('Implementation shortfall', cost.implementation_shortfall_bps),
    money.total === null ? null : { name: 'Shortfall', text: `${decimalText(money.total)} ${money.currency}` },
    bps('Fees', cost.fees_bps),
    bps('Effective spread', cost.effective_spread_bps),
    share('Filled', completion),
    share('Maker share', cost.maker_share),
    share('Share of volume', cost.participation),
    share('Largest distance from schedule', cost.schedule_deviation?.largest ?? null),
  ];
  return facts.filter((fact) => fact !== null);
}

/** The parameters of the latest terms among the entries, as `name value`; null without terms. */
export function termsText(entries: readonly TimelineEntry[]): string | null {
  const terms = entries.findLast(({ event }) => event === 'ParentCreated' || event === 'ParentAmended');
  if (terms === undefined) return null;
  const { clip_size_type: clipType, clip_size_val: clipValue, params = {} } = terms;
  const clip = clipType === undefined ? [] : [`clip ${clipType}${clipValue === undefined ? '' : ` ${clipValue}`}`];
  return [...clip, ...membersOf(params)].join(' · ');
}

/** Each member as its name and value; members of a nested object by their own names, which are unique. */
function membersOf(params: object): readonly string[] {
  return Object.entries(params).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null ? membersOf(value) : [`${name.replaceAll('_', ' ')} ${String(value)}`],
  );
}

function bps(name: string, value: number | null): Fact | null {
  if (value === null) return null;
  const tone = Math.abs(value) < BPS_SHOWN_MIN ? 'plain' : value > 0 ? 'bad' : 'good';
  return { name, text: basisPointsText(value), tone };
}

function share(name: string, value: number | null): Fact | null {
  return value === null ? null : { name, text: percentText(value) };
}

function feesFact(infos: OrderDetails['fees_infos']): Fact | null {
  const fees = Object.entries(infos ?? {});
  if (fees.length === 0) return null;
  return { name: 'Fees', text: fees.map(([currency, amount]) => `${decimalText(amount)} ${currency}`).join(', ') };
}
