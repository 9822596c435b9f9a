import type { Instrument } from '../../domain/instrument.js';
import type { Grid } from '../../domain/quantity.js';
import { ABSENT, type ColumnKind, type RowFault, type Table, type TableColumn } from '../table/columns.js';

/** The recorded streams of one instrument. `bookticker` is optional. */
export const RECORDED_STREAMS = ['snapshot', 'depth', 'trades', 'bookticker'] as const;
export type RecordedStream = (typeof RECORDED_STREAMS)[number];

/** The rules of an instrument that bound recorded values. */
export type RecordedInstrument = Grid & { readonly filters: Pick<Instrument['filters'], 'priceMin' | 'priceMax'> };

/** Cells of every row: the receive time. Only the collector's clock orders the messages. */
export const RECEIVED = { micros: 0, nanos: 1 } as const;
/** Cells of one level of a snapshot; the rows of one snapshot share its number. */
export const SNAPSHOT = { ...RECEIVED, number: 2, updateId: 3, side: 4, price: 5, quantity: 6, line: 7 } as const;
/** Cells of one level of an update; the rows of one update share its last id. Quantity 0 removes the level. */
export const DEPTH = {
  ...RECEIVED,
  firstId: 2,
  lastId: 3,
  previousId: 4,
  side: 5,
  price: 6,
  quantity: 7,
  line: 8,
} as const;
export const TRADE = { ...RECEIVED, id: 2, price: 3, quantity: 4, isBuyerMaker: 5, type: 6, line: 7 } as const;
export const TICKER = { ...RECEIVED, updateId: 2, bid: 3, bidQuantity: 4, ask: 5, askQuantity: 6, line: 7 } as const;

/** Values of the columns `side`, `is_buyer_maker` and `type`, in the order of their cells. */
const SIDES = ['bid', 'ask'] as const;
const FLAGS = ['0', '1'] as const;
const TRADE_TYPES = ['MARKET', 'INSURANCE_FUND', 'NA'] as const;
export const BID = SIDES.indexOf('bid');
export const BUYER_IS_MAKER = FLAGS.indexOf('1');
/** A trade of the order book. Futures also record takeovers by the insurance fund; spot has no types. */
export const MARKET_TRADE = TRADE_TYPES.indexOf('MARKET');

const RECV: TableColumn = { name: 'recv_ns', values: { kind: 'instant' }, order: 'rising' };
const SIDE: TableColumn = { name: 'side', values: { kind: 'word', words: SIDES } };
const ID: ColumnKind = { kind: 'steps', precision: 0, min: 1 };

/** The declared format of a stream. Prices are on the instrument's grid. */
export function formatOf(stream: RecordedStream, instrument: RecordedInstrument): Table {
  const { pricePrecision, priceStep, quantityPrecision, quantityStep, filters } = instrument;
  const { priceMin, priceMax } = filters;
  const ticks: ColumnKind = { kind: 'steps', precision: pricePrecision, step: priceStep };
  const price: ColumnKind = { ...ticks, min: priceMin, max: priceMax };
  // Old orders far from the market may rest below a bound that was raised.
  const level: ColumnKind = { ...ticks, min: 1, max: priceMax };
  const traded: ColumnKind = { kind: 'steps', precision: quantityPrecision, step: quantityStep, min: 1 };
  // Levels contain remainders from before the lot size was raised; they cannot be traded.
  const shown: ColumnKind = { ...traded, isRounded: true };
  switch (stream) {
    case 'snapshot':
      return {
        columns: [
          RECV,
          { name: 'snapshot_no', values: ID, order: 'rising' },
          { name: 'last_update_id', values: ID },
          SIDE,
          { name: 'price', values: level },
          { name: 'qty', values: shown },
        ],
        check: snapshotCheck(),
      };
    case 'depth':
      return {
        columns: [
          RECV,
          { name: 'first_update_id', values: ID },
          { name: 'final_update_id', values: ID, order: 'rising' },
          { name: 'prev_final_update_id', values: ID, isOptional: true },
          SIDE,
          { name: 'price', values: level },
          { name: 'qty', values: { ...shown, min: 0 } },
        ],
        check: depthCheck(),
      };
    case 'trades':
      return {
        columns: [
          RECV,
          { name: 'trade_id', values: ID, order: 'consecutive' },
          { name: 'price', values: { ...price, min: 0 } },
          { name: 'qty', values: { ...traded, min: 0 } },
          { name: 'is_buyer_maker', values: { kind: 'word', words: FLAGS } },
          { name: 'type', values: { kind: 'word', words: TRADE_TYPES }, isOptional: true },
        ],
        check: tradeCheck(priceMin),
      };
    case 'bookticker':
      return {
        columns: [
          RECV,
          { name: 'update_id', values: ID },
          { name: 'bid', values: price },
          { name: 'bid_qty', values: shown },
          { name: 'ask', values: price },
          { name: 'ask_qty', values: shown },
        ],
        check: (row) => (row[TICKER.bid]! >= row[TICKER.ask]! ? CROSSED_TICKER : null),
      };
    default:
      return stream satisfies never;
  }
}

const CROSSED_TICKER: RowFault = { column: 'ask', what: 'is not above the bid of the row' };

/** The cell whose equal values join adjacent rows into one message; null when each row is a message. */
export function groupingOf(stream: RecordedStream): number | null {
  if (stream === 'snapshot') return SNAPSHOT.number;
  return stream === 'depth' ? DEPTH.lastId : null;
}

type Check = Required<Table>['check'];

/**
 * Rows of one snapshot have one time and one id. Each side goes from its best price outwards; the sides do not cross.
 */
function snapshotCheck(): Check {
  let bids = { best: 0, last: Infinity };
  let asks = { best: Infinity, last: 0 };
  return (row, previous) => {
    if (previous === null || row[SNAPSHOT.number] !== previous[SNAPSHOT.number]) {
      if (previous !== null && !isLater(row, previous)) return SPLIT_SNAPSHOT;
      bids = { best: 0, last: Infinity };
      asks = { best: Infinity, last: 0 };
    } else {
      if (isLater(row, previous)) return { column: 'recv_ns', what: 'differs from the row before of one snapshot' };
      if (row[SNAPSHOT.updateId] !== previous[SNAPSHOT.updateId]) return OTHER_SNAPSHOT_ID;
    }
    const price = row[SNAPSHOT.price]!;
    if (row[SNAPSHOT.side] === BID) {
      if (price >= bids.last) return BID_ORDER;
      bids = { best: Math.max(price, bids.best), last: price };
    } else {
      if (price <= asks.last) return ASK_ORDER;
      asks = { best: Math.min(price, asks.best), last: price };
    }
    return bids.best >= asks.best ? CROSSED_SNAPSHOT : null;
  };
}

const SPLIT_SNAPSHOT: RowFault = { column: 'snapshot_no', what: 'differs from the row before of one time' };
const OTHER_SNAPSHOT_ID: RowFault = { column: 'last_update_id', what: 'differs from the row before of one snapshot' };
const BID_ORDER: RowFault = { column: 'price', what: 'is not below the bid before it in the snapshot' };
const ASK_ORDER: RowFault = { column: 'price', what: 'is not above the ask before it in the snapshot' };
const CROSSED_SNAPSHOT: RowFault = {
  column: 'price',
  what: 'crosses the snapshot: the best bid is not below the best ask',
};

/**
 * Rows of one update have one time and one range of ids. The prices of each of its sides only rise or only fall, so
 * that each level has one quantity.
 */
function depthCheck(): Check {
  // By side: the last price of the update, and 1 when the prices rise, -1 when they fall; 0: there is none.
  const prices = new Float64Array(SIDES.length);
  const directions = new Float64Array(SIDES.length);
  return (row, previous) => {
    if (previous !== null && row[DEPTH.lastId] === previous[DEPTH.lastId]) {
      if (isLater(row, previous)) return OTHER_UPDATE_TIME;
      if (row[DEPTH.firstId] !== previous[DEPTH.firstId]) return OTHER_FIRST_ID;
      if (row[DEPTH.previousId] !== previous[DEPTH.previousId]) return OTHER_PREVIOUS_ID;
    } else {
      if (row[DEPTH.firstId]! > row[DEPTH.lastId]!) return IDS_REVERSED;
      prices.fill(0);
      directions.fill(0);
    }
    const side = row[DEPTH.side]!;
    const price = row[DEPTH.price]!;
    const last = prices[side]!;
    prices[side] = price;
    if (last === 0) return null;
    if (price === last) return LEVEL_ORDER;
    const direction = price > last ? 1 : -1;
    if (direction === -directions[side]!) return LEVEL_ORDER;
    directions[side] = direction;
    return null;
  };
}

const OTHER_UPDATE_TIME: RowFault = { column: 'recv_ns', what: 'differs from the row before of one update' };
const LEVEL_ORDER: RowFault = {
  column: 'price',
  what: 'is repeated in the update, or its prices of one side both rise and fall',
};

/** Only trades of the order book have a price and a quantity in any case. */
function tradeCheck(priceMin: number): Check {
  return (row) => {
    if (row[TRADE.type] !== MARKET_TRADE && row[TRADE.type] !== ABSENT) return null;
    if (row[TRADE.price]! < priceMin) return PRICE_TOO_LOW;
    return row[TRADE.quantity] === 0 ? NO_QUANTITY : null;
  };
}

const PRICE_TOO_LOW: RowFault = { column: 'price', what: 'is below the smallest price of the instrument' };
const NO_QUANTITY: RowFault = { column: 'qty', what: 'is no quantity of a trade of the order book' };

const IDS_REVERSED: RowFault = { column: 'first_update_id', what: 'is above the final_update_id of the row' };
const OTHER_FIRST_ID: RowFault = { column: 'first_update_id', what: 'differs from the row before of one update' };
const OTHER_PREVIOUS_ID: RowFault = {
  column: 'prev_final_update_id',
  what: 'differs from the row before of one update',
};

function isLater(row: Float64Array, previous: Float64Array): boolean {
  return row[RECEIVED.micros] !== previous[RECEIVED.micros] || row[RECEIVED.nanos] !== previous[RECEIVED.nanos];
}
