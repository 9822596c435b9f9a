import type { Side } from '../../../src/domain/order.js';
import { formatLots, formatTicks, type Grid, type Lots, type Ticks } from '../../../src/domain/quantity.js';
import type { RecordedInstrument, RecordedStream } from '../../../src/backtest/venue/recording-format.js';
import { RecordingStream } from '../../../src/backtest/venue/recorded-streams.js';

/** Price in ticks and quantity in lots. */
export type Level = readonly [price: number, quantity: number];

interface Levels {
  readonly bids?: readonly Level[];
  readonly asks?: readonly Level[];
}

export const START_MS = 1_700_000_000_000;

const HEADERS: { readonly [Stream in RecordedStream]: string } = {
  snapshot: 'snapshot_no,recv_ns,event_ms,last_update_id,side,price,qty',
  depth: 'recv_ns,event_ms,trx_ms,first_update_id,final_update_id,prev_final_update_id,side,price,qty',
  trades: 'recv_ns,event_ms,trade_ms,trade_id,price,qty,is_buyer_maker,type',
  bookticker: 'recv_ns,event_ms,trx_ms,update_id,bid,bid_qty,ask,ask_qty',
};

/** Any price above 0. */
export const ANY_PRICE: RecordedInstrument['filters'] = {
  priceMin: 1 as Ticks,
  priceMax: Number.MAX_SAFE_INTEGER as Ticks,
};

/** A made recording in the collector's format. Times are milliseconds from its start, also fractions. */
export class MadeMarket {
  readonly #grid: Grid;
  readonly #rows = new Map<RecordedStream, string[]>();
  #snapshotCount = 0;
  #tradeCount = 0;

  constructor(grid: Grid) {
    this.#grid = grid;
  }

  snapshot(atMs: number, id: number, levels: Levels): this {
    this.#snapshotCount += 1;
    return this.#levels('snapshot', `${this.#snapshotCount},${nanoseconds(atMs)},,${id}`, levels);
  }

  /** Spot format without `previous`, futures format with it. */
  update(atMs: number, ids: { first: number; last: number; previous?: number }, levels: Levels): this {
    return this.#levels('depth', `${nanoseconds(atMs)},,,${ids.first},${ids.last},${ids.previous ?? ''}`, levels);
  }

  trade(atMs: number, takerSide: Side, [price, quantity]: Level, type = ''): this {
    this.#tradeCount += 1;
    const flag = takerSide === 'SELL' ? 1 : 0;
    return this.#add(
      'trades',
      `${nanoseconds(atMs)},,,${this.#tradeCount},${this.#level([price, quantity])},${flag},${type}`,
    );
  }

  quote(atMs: number, id: number, bid: Level, ask: Level): this {
    return this.#add('bookticker', `${nanoseconds(atMs)},,,${id},${this.#level(bid)},${this.#level(ask)}`);
  }

  text(stream: RecordedStream): string {
    return `${[HEADERS[stream], ...(this.#rows.get(stream) ?? [])].join('\n')}\n`;
  }

  /** All streams, fed in pieces of `pieceBytes`. */
  streams(pieceBytes = Infinity): RecordingStream[] {
    return (['snapshot', 'depth', 'trades', 'bookticker'] as const).map((name) => {
      const stream = new RecordingStream(name, `made.${name}.csv`, { filters: ANY_PRICE, ...this.#grid });
      const bytes = new TextEncoder().encode(this.text(name));
      for (let at = 0; at < bytes.length; at += pieceBytes) stream.feed(bytes.subarray(at, at + pieceBytes));
      stream.feed(null);
      return stream;
    });
  }

  #levels(stream: RecordedStream, head: string, { bids = [], asks = [] }: Levels): this {
    for (const level of bids) this.#add(stream, `${head},bid,${this.#level(level)}`);
    for (const level of asks) this.#add(stream, `${head},ask,${this.#level(level)}`);
    return this;
  }

  #level([price, quantity]: Level): string {
    return `${formatTicks(price as Ticks, this.#grid)},${formatLots(quantity as Lots, this.#grid)}`;
  }

  #add(stream: RecordedStream, row: string): this {
    this.#rows.set(stream, [...(this.#rows.get(stream) ?? []), row]);
    return this;
  }
}

function nanoseconds(atMs: number): bigint {
  return BigInt(START_MS) * 1_000_000n + BigInt(Math.round(atMs * 1_000_000));
}
