import { join } from 'node:path';
import { open } from 'lmdb';
import type { SluiceClient } from '../../src/client/index.js';
import { exact, exactProduct, exactSteps, textOf, type Exact, type ExactTrade } from './exact.js';

/** A fill in the exchange's store. */
export interface RecordedFill {
  readonly tradeId: number;
  readonly orderId: number;
  readonly symbol: string;
  readonly side: 'BUY' | 'SELL';
  readonly quantity: Exact;
  readonly price: Exact;
  readonly fee: Exact;
}

/** Digits after the point of an instrument's quantities and prices, as listed. */
export interface Precision {
  readonly quantityPrecision: number;
  readonly pricePrecision: number;
}

/** Reads the listed precisions. The returned function throws for an instrument that is not listed. */
export async function listedPrecisions(client: SluiceClient): Promise<(exchange: string, symbol: string) => Precision> {
  const listed = new Map(
    (await client.instruments()).map((instrument) => [`${instrument.exchange} ${instrument.symbol}`, instrument]),
  );
  return (exchange, symbol) => {
    const instrument = listed.get(`${exchange} ${symbol}`);
    if (instrument === undefined) throw new Error(`${exchange} does not list ${symbol}`);
    return instrument;
  };
}

interface RecordedOrder {
  readonly symbol: string;
  readonly side: 'BUY' | 'SELL';
  readonly fills: Omit<RecordedFill, 'orderId' | 'symbol' | 'side'>[];
}

const KEY_END = '\uffff';
const SELL = 1;
const REJECTED = 3;

/**
 * Reads every fill of an account from the exchange's own store, to compare with the service. Decodes the rows without
 * the code that writes them.
 */
export async function recordedFills(
  dataDir: string,
  { account, exchange }: { readonly account: string; readonly exchange: string },
  precisionOf: (exchange: string, symbol: string) => Precision,
): Promise<readonly RecordedFill[]> {
  const store = open<Buffer, string>({
    path: join(dataDir, 'venue'),
    noSubdir: false,
    encoding: 'binary',
    readOnly: true,
  });
  try {
    const orders = new Map<string, RecordedOrder>();
    const rows = (kind: string) => {
      const start = `${kind}/${account}/${exchange}/`;
      return [...store.getRange({ start, end: start + KEY_END })].map(({ key, value }) => ({
        name: key.slice(start.length),
        row: Buffer.from(value),
      }));
    };
    for (const kind of ['open', 'done']) {
      for (const { name, row } of rows(kind)) {
        orders.set(
          name,
          readOrder(new Row(row), (symbol) => precisionOf(exchange, symbol)),
        );
      }
    }
    for (const { name, row } of rows('fill')) {
      const child = name.slice(0, name.lastIndexOf('/'));
      const order = orders.get(child);
      if (order === undefined) throw new Error(`the exchange has fills of ${child} but no such order`);
      order.fills.push(...readFills(new Row(row), precisionOf(exchange, order.symbol)));
    }
    return [...orders].flatMap(([name, { symbol, side, fills }]) =>
      fills.map((fill) => ({ ...fill, orderId: Number(name.split('-')[0]), symbol, side })),
    );
  } finally {
    await store.close();
  }
}

/** Returns the differences between the service's fills and the exchange's; empty for equal ones. */
export function fillDifferences(shown: readonly ExactTrade[], recorded: readonly RecordedFill[]): string[] {
  const problems: string[] = [];
  // Trade ids are unique within an instrument of an exchange.
  const left = new Map(recorded.map((fill) => [`${fill.symbol} ${fill.tradeId}`, fill]));
  for (const trade of shown) {
    const name = `${trade.symbol} ${trade.trade_id}`;
    const fill = left.get(name);
    left.delete(name);
    if (fill === undefined) problems.push(`the exchange has no other fill ${trade.trade_id}: ${JSON.stringify(trade)}`);
    else if (textOfTrade(trade) !== textOfFill(fill)) {
      problems.push(`fill ${trade.trade_id} is ${textOfTrade(trade)}, but at the exchange ${textOfFill(fill)}`);
    }
  }
  for (const fill of left.values()) {
    problems.push(`fill ${fill.tradeId} of order ${fill.orderId} exists at the exchange only: ${textOfFill(fill)}`);
  }
  return problems;
}

/** Returns the net amount of each asset from fills and fees. */
export function sumsOf(fills: readonly RecordedFill[]): Map<string, Exact> {
  const sums = new Map<string, Exact>();
  const add = (asset: string, amount: Exact): void => void sums.set(asset, (sums.get(asset) ?? 0n) + amount);
  for (const { symbol, side, quantity, price, fee } of fills) {
    const [base = '', quote = ''] = symbol.split('/');
    const sign = side === 'BUY' ? 1n : -1n;
    add(base, sign * quantity);
    add(quote, -sign * exactProduct(quantity, price) - fee);
  }
  return sums;
}

function textOfTrade({ symbol, direction, quantity, price, fee }: ExactTrade): string {
  return [symbol, direction, ...[quantity, price, fee].map((text) => textOf(exact(text)))].join(' ');
}

function textOfFill({ symbol, side, quantity, price, fee }: RecordedFill): string {
  return [symbol, side, textOf(quantity), textOf(price), textOf(fee)].join(' ');
}

function readOrder(row: Row, precisionOf: (symbol: string) => Precision): RecordedOrder {
  const symbol = row.text();
  const side = (row.byte() & SELL) === 0 ? 'BUY' : 'SELL';
  // Quantity, limit price, sequence, filled, prevented, stored fills.
  for (let count = 0; count < 6; count += 1) row.number();
  const state = row.byte();
  // Venue order id, and code and message of a reason.
  for (let count = 0; count < 3; count += 1) row.text();
  return { symbol, side, fills: state === REJECTED ? [] : readFills(row, precisionOf(symbol)) };
}

function readFills(row: Row, { quantityPrecision, pricePrecision }: Precision): RecordedOrder['fills'] {
  return Array.from({ length: row.number() }, () => {
    const tradeId = row.number();
    const quantity = exactSteps(row.number(), quantityPrecision);
    const price = exactSteps(row.number(), pricePrecision);
    // Maker flag.
    row.byte();
    const fee = row.integer();
    // Time.
    row.number();
    return { tradeId, quantity, price, fee };
  });
}

/** Reads the fields of a stored row in order. */
class Row {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#step(1));
  }

  number(): number {
    return this.#bytes.readDoubleLE(this.#step(8));
  }

  integer(): bigint {
    const low = this.#bytes.readBigUInt64LE(this.#step(8));
    return (this.#bytes.readBigInt64LE(this.#step(8)) << 64n) + low;
  }

  text(): string {
    const length = this.#bytes.readUInt32LE(this.#step(4));
    const start = this.#step(length);
    return this.#bytes.toString('utf8', start, start + length);
  }

  #step(bytes: number): number {
    const at = this.#at;
    this.#at += bytes;
    return at;
  }
}
