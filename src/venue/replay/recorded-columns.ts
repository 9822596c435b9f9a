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

const RECV: Column = { name: 'recv_ns', reading: 'instant' };
const SIDE: Column = { name: 'side', reading: 'initial' };

/** The columns to be read of a stream, in the order of the cells above; prices and quantities on the instrument's grid. */
export function columnsOf(stream: RecordedStream, { pricePrecision, quantityPrecision }: Grid): readonly Column[] {
  const price = (name: string): Column => steps(name, pricePrecision);
  // Levels hold dust of orders from before the lot was made coarser; it cannot be traded.
  const shown = (name: string): Column => ({ ...steps(name, quantityPrecision), isRounded: true });
  switch (stream) {
    case 'snapshot':
      return [RECV, steps('snapshot_no'), steps('last_update_id'), SIDE, price('price'), shown('qty')];
    case 'depth': {
      const ids = ['first_update_id', 'final_update_id', 'prev_final_update_id'].map((name) => steps(name));
      return [RECV, ...ids, SIDE, price('price'), shown('qty')];
    }
    case 'trades': {
      const quantity = steps('qty', quantityPrecision);
      return [RECV, price('price'), quantity, steps('is_buyer_maker'), { name: 'type', reading: 'initial' }];
    }
    case 'bookticker':
      return [RECV, steps('update_id'), price('bid'), shown('bid_qty'), price('ask'), shown('ask_qty')];
    default:
      return stream satisfies never;
  }
}

function steps(name: string, precision = 0): Column {
  return { name, reading: 'steps', precision };
}

/** The cell whose equal values join neighbouring rows to one message; null when every row is one. */
export function groupingOf(stream: RecordedStream): number | null {
  if (stream === 'snapshot') return SNAPSHOT.number;
  return stream === 'depth' ? DEPTH.lastId : null;
}
