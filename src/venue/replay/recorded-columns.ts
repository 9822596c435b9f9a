import type { Grid } from '../../model/quantity.js';
import type { Column } from './row-reader.js';

/** The recorded streams of one instrument. All but the ticker are needed. */
export const RECORDED_STREAMS = ['snapshot', 'depth', 'trades', 'bookticker'] as const;
export type RecordedStream = (typeof RECORDED_STREAMS)[number];

/** Cells of every row: when the collector received it. The collector's clock alone orders what was recorded. */
export const RECEIVED = { micros: 0, nanos: 1 } as const;
/** Cells of one level of a snapshot; the rows of one snapshot share its number. */
export const SNAPSHOT = { ...RECEIVED, number: 2, updateId: 3, side: 4, price: 5, quantity: 6 } as const;
/** Cells of one level of an update; the rows of one update share its last id. Quantity 0 removes the level. */
export const DEPTH = { ...RECEIVED, firstId: 2, lastId: 3, previousId: 4, side: 5, price: 6, quantity: 7 } as const;
export const TRADE = { ...RECEIVED, price: 2, quantity: 3, isBuyerMaker: 4, type: 5 } as const;
export const TICKER = { ...RECEIVED, updateId: 2, bid: 3, bidQuantity: 4, ask: 5, askQuantity: 6 } as const;

/** Initials of what the columns `side` and `type` may hold. */
export const BID = 'b'.charCodeAt(0);
/** A trade of the order book. Futures also record what an insurance fund took over; spot has no types at all. */
export const MARKET_TRADE = 'M'.charCodeAt(0);
export const UNTYPED_TRADE = 0;

/** The columns to be read of a stream, in the order of the cells above; prices and quantities on the instrument's grid. */
export function columnsOf(stream: RecordedStream, { pricePrecision, quantityPrecision }: Grid): readonly Column[] {
  const received: Column = { name: 'recv_ns', reading: 'instant' };
  const number = (name: string): Column => ({ name, reading: 'steps' });
  const price = (name: string): Column => ({ name, reading: 'steps', precision: pricePrecision });
  const quantity = (name: string): Column => ({ name, reading: 'steps', precision: quantityPrecision });
  // Levels hold dust of orders from before the lot was made coarser; it cannot be traded.
  const depth = (name: string): Column => ({ ...quantity(name), isRounded: true });
  const initial = (name: string): Column => ({ name, reading: 'initial' });
  const level = [initial('side'), price('price'), depth('qty')];
  switch (stream) {
    case 'snapshot':
      return [received, number('snapshot_no'), number('last_update_id'), ...level];
    case 'depth':
      return [received, number('first_update_id'), number('final_update_id'), number('prev_final_update_id'), ...level];
    case 'trades':
      return [received, price('price'), quantity('qty'), number('is_buyer_maker'), initial('type')];
    case 'bookticker':
      return [received, number('update_id'), price('bid'), depth('bid_qty'), price('ask'), depth('ask_qty')];
    default:
      return stream satisfies never;
  }
}

/** The cell whose equal values join neighbouring rows to one message; null when every row is one. */
export function groupingOf(stream: RecordedStream): number | null {
  if (stream === 'snapshot') return SNAPSHOT.number;
  return stream === 'depth' ? DEPTH.lastId : null;
}
