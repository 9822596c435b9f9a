import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import type { AssetCategory } from '../../../../src/domain/exchange.js';
import type { ChildNumber, OrderId } from '../../../../src/domain/ids.js';
import type { InstrumentIndex } from '../../../../src/domain/instrument.js';
import type { EpochMs } from '../../../../src/domain/time.js';
import type { ChildSubmission } from '../../../../src/domain/venue-message.js';
import type { ExchangeLine, PlaceAnswer } from '../../../../src/venue/live/exchange-line.js';
import {
  fieldsText,
  type OutgoingRequest,
  shadowLine,
  SILENT_LINES,
} from '../../../../src/venue/live/paper/shadow-line.js';
import type { TradedInstrument } from '../../../../src/venue/live/wire-guard.js';
import { children, SPOT, USDM } from '../dialect/binance-children.js';
import { targetOf } from './paper-rig.js';

const GOLDEN = readFileSync(join(import.meta.dirname, '../dialect/binance-orders.golden.txt'), 'utf8').split('\n');
const NEVER = Infinity as EpochMs;

let connect: MockInstance;
beforeEach(() => {
  connect = vi.spyOn(Socket.prototype, 'connect');
});
afterEach(() => vi.restoreAllMocks());

type Product = readonly [name: string, category: AssetCategory, traded: TradedInstrument];
const PRODUCTS: readonly Product[] = [
  ['spot', 'SPOT', SPOT],
  ['usdm', 'FUTURE', USDM],
];

const golden = ([name]: Product, kind: string): string[] =>
  GOLDEN.filter((line) => line.startsWith(`${name} ${kind} `)).map((line) => line.slice(`${name} ${kind} `.length));

/** A shadow line whose paper side answers at once and remembers its calls. */
class Shadow {
  readonly requests: OutgoingRequest[] = [];
  readonly onPaper: string[] = [];
  readonly line: ExchangeLine;

  constructor([, category, traded]: Product) {
    const now = 0 as EpochMs;
    const written = SILENT_LINES.BINANCE?.[category]?.({
      instruments: {
        at: () => ({ ...traded, index: 0 as InstrumentIndex, contractSize: '1' }),
        bySymbol: () => 0 as InstrumentIndex,
      },
      nowMs: () => now,
      onFinding: () => undefined,
      record: (request) => this.requests.push(request),
    });
    const paper: ExchangeLine = {
      place: (_order, _expiresAtMs, answer) => {
        this.onPaper.push('place');
        answer({ kind: 'unknown' }, now);
      },
      cancel: (_target, answer) => {
        this.onPaper.push('cancel');
        answer({ kind: 'unknown' }, now);
      },
      lookUp: (_target, _isFinal, answer) => {
        this.onPaper.push('look-up');
        answer({ kind: 'unknown' }, now);
      },
      openOrders: (answer) => {
        this.onPaper.push('open orders');
        answer([], now);
      },
      listOrders: (_query, answer) => answer([], now),
    };
    this.line = shadowLine(paper, written!);
  }

  place(order: ChildSubmission): Promise<PlaceAnswer> {
    return new Promise((resolve) => this.line.place(order, NEVER, resolve));
  }
}

const named = (order: ChildSubmission): ChildSubmission => ({
  ...order,
  orderId: 3_814_123_456_789 as OrderId,
  child: 17 as ChildNumber,
});

describe.each(PRODUCTS)('a shadow line of Binance %s', (...product: Product) => {
  const [, category, traded] = product;

  it('writes each placement as the golden of its exchange and opens no connection', async () => {
    const shadow = new Shadow(product);
    for (const order of children(traded)) await shadow.place(named(order));
    expect(shadow.requests.map(fieldsText)).toEqual(golden(product, 'place'));
    expect(new Set(shadow.requests.map(({ call }) => call))).toEqual(new Set(['order.place']));
    expect(shadow.onPaper).toHaveLength(shadow.requests.length);
    expect(connect).not.toHaveBeenCalled();
  });

  it('writes cancels, look-ups and the list of open orders, and carries them out on paper', async () => {
    const shadow = new Shadow(product);
    const target = targetOf(named(children(traded)[0]!));
    await new Promise((resolve) => shadow.line.cancel(target, resolve));
    await new Promise((resolve) => shadow.line.lookUp(target, false, resolve));
    await new Promise((resolve) => shadow.line.openOrders(resolve));
    const texts = shadow.requests.map(fieldsText);
    expect(texts).toEqual([...golden(product, 'cancel'), ...golden(product, 'look-up'), 'recvWindow=2000']);
    const list = category === 'SPOT' ? 'GET /api/v3/openOrders' : 'GET /fapi/v1/openOrders';
    expect(shadow.requests.map(({ call }) => call)).toEqual(['order.cancel', 'order.status', list]);
    expect(shadow.onPaper).toEqual(['cancel', 'look-up', 'open orders']);
    expect(connect).not.toHaveBeenCalled();
  });

  it('writes no key, signature or time stamp', async () => {
    const shadow = new Shadow(product);
    for (const order of children(traded)) await shadow.place(named(order));
    const names = new Set(shadow.requests.flatMap(({ fields }) => Object.keys(fields)));
    for (const name of ['apiKey', 'signature', 'timestamp']) expect(names).not.toContain(name);
  });

  it('refuses what live mode would not send, without a record and without an order on paper', async () => {
    const shadow = new Shadow(product);
    const order: ChildSubmission = { ...named(children(traded)[0]!), postOnly: true, timeInForce: 'IOC' };
    expect(await shadow.place(order)).toMatchObject({ kind: 'refused', rejection: { code: 'INVALID_ORDER' } });
    expect(shadow.requests).toEqual([]);
    expect(shadow.onPaper).toEqual([]);
  });
});
