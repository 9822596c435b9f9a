import type { TimelineEntry } from '../client/wire.js';
import type { Cell, Column, Tone } from './cell.js';
import { shortId } from './child-row.js';
import { exactClockText, instantText, priceText, quantityText } from './figures.js';

export const TIMELINE_COLUMNS: readonly Column<TimelineEntry>[] = [
  { title: 'Time', cell: ({ time }) => ({ text: exactClockText(time), hint: instantText(time) }) },
  { title: 'Event', cell: eventCell },
  {
    title: 'Child',
    cell: ({ child_order_id: id }) => (id === undefined ? { text: '' } : { text: shortId(id), hint: id }),
  },
  {
    title: 'Quantity',
    cell: ({ quantity }) => ({ text: quantity === undefined ? '' : quantityText(quantity) }),
    isNumber: true,
  },
  { title: 'Price', cell: priceCell, isNumber: true },
  { title: 'Why', cell: whyCell },
];

const TONES: Readonly<Record<string, Tone>> = {
  ParentRejected: 'bad',
  ParentExpired: 'warning',
  ParentCancelled: 'warning',
  ParentPaused: 'warning',
  ChildFilled: 'good',
  ChildRejected: 'bad',
  ChildUnknown: 'warning',
  ChildNeverPlaced: 'warning',
  ChildCancelRefused: 'warning',
  StrategyNoted: 'quiet',
};

function eventCell({ event, is_late: isLate }: TimelineEntry): Cell {
  const words = event.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return { text: isLate === true ? `${words}, late` : words, tone: TONES[event] ?? 'plain' };
}

function priceCell({ price, arrival_price: arrival }: TimelineEntry): Cell {
  if (arrival !== undefined) return { text: priceText(arrival), note: 'arrival' };
  return { text: price === undefined ? '' : priceText(price) };
}

function whyCell({ reason, detail, error_code: code, message, taker_or_maker: liquidity }: TimelineEntry): Cell {
  const text = [reason, code, liquidity].filter((part) => part !== undefined).join(' ');
  const note = [detail, message].filter((part) => part !== undefined).join(' ');
  return note === '' ? { text } : { text, note, hint: note, ...(code === undefined ? {} : { tone: 'bad' }) };
}
