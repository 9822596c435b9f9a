import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ChildSubmission } from '../../../../src/domain/venue-message.js';
import {
  type Fields,
  nameFields,
  placeFields,
  readPlacement,
  tradesFields,
} from '../../../../src/venue/live/dialect/binance-orders.js';
import { assertWrittenAs, type TradedInstrument, WrongRequest } from '../../../../src/venue/live/wire-guard.js';
import { children, SPOT, USDM } from './binance-children.js';

const GOLDEN = join(import.meta.dirname, 'binance-orders.golden.txt');
const CLIENT_ID = '3814123456789-17';
function text(fields: Fields): string {
  return new URLSearchParams(fields).toString();
}

function goldenText(): string {
  const lines: string[] = [];
  for (const [name, to] of [
    ['spot', SPOT],
    ['usdm', USDM],
  ] as const) {
    for (const child of children(to)) lines.push(`${name} place ${text(placeFields(child, CLIENT_ID, to))}`);
    lines.push(
      `${name} cancel ${text(nameFields(CLIENT_ID, to))}`,
      `${name} look-up ${text(nameFields(CLIENT_ID, to))}`,
    );
    lines.push(`${name} trades ${text(tradesFields('28457', to, null))}`);
    const range = to.isFuture ? { fromMs: 1_700_000_000_000, toMs: 1_700_604_799_999 } : { firstId: '1001' };
    lines.push(`${name} more trades ${text(tradesFields('28457', to, range))}`);
  }
  return `${lines.join('\n')}\n`;
}

describe('orders of Binance', () => {
  it('are written byte for byte as recorded', () => {
    const written = goldenText();
    if (process.env['WIRE_GOLDEN'] === 'write') writeFileSync(GOLDEN, written);
    expect(written).toBe(readFileSync(GOLDEN, 'utf8'));
  });

  it('pass the guard as they are written', () => {
    for (const to of [SPOT, USDM]) {
      for (const child of children(to)) {
        const sent = { ...placeFields(child, CLIENT_ID, to), timestamp: '1', signature: 'x', apiKey: 'k' };
        assertWrittenAs(child, CLIENT_ID, to, readPlacement(sent, to));
      }
    }
  });

  it('are refused before they are sent when any field is changed, missing or added', () => {
    for (const to of [SPOT, USDM]) {
      for (const child of children(to)) {
        const right = placeFields(child, CLIENT_ID, to);
        for (const wrong of faulty(right, to)) {
          expect(() => assertWrittenAs(child, CLIENT_ID, to, readPlacement(wrong, to)), text(wrong)).toThrow(
            WrongRequest,
          );
        }
      }
    }
  });

  it('do not exist for a child that contradicts itself or the product', () => {
    const child = children(SPOT)[0]!;
    const place = (change: Partial<ChildSubmission>) => () => placeFields({ ...child, ...change }, CLIENT_ID, SPOT);
    expect(place({ reduceOnly: true })).toThrow('spot has no reduce-only orders');
    expect(place({ postOnly: true, timeInForce: 'IOC' })).toThrow('a post-only order rests');
    expect(place({ limitPrice: null })).toThrow('a limit order, and only it, has a price');
    expect(place({ type: 'MARKET' })).toThrow('a limit order, and only it, has a price');
  });
});

/** The faults that libraries have been seen to make, and some more. */
function* faulty(right: Fields, { isFuture }: TradedInstrument): Iterable<Fields> {
  const without = (name: string): Fields => Object.fromEntries(Object.entries(right).filter(([key]) => key !== name));
  for (const name of ['symbol', 'side', 'type', 'quantity', 'newClientOrderId', 'selfTradePreventionMode']) {
    yield without(name);
  }
  yield { ...right, quantity: '0.1234001' };
  yield { ...right, quantity: '0' };
  yield { ...right, quantity: `${right['quantity']}0` };
  yield { ...right, symbol: 'BTCUSDC' };
  yield { ...right, side: right['side'] === 'BUY' ? 'SELL' : 'BUY' };
  yield { ...right, newClientOrderId: 'x-R4BD3S82d8959d0f51144994' };
  yield { ...right, selfTradePreventionMode: 'DECREMENT' };
  yield { ...right, stopPrice: '60000' };
  yield { ...right, reduceOnly: right['reduceOnly'] === 'true' ? 'false' : 'true' };
  yield { ...right, type: 'STOP_LOSS' };
  if (right['price'] === undefined) {
    yield { ...right, price: '61234.5' };
    yield { ...right, type: 'LIMIT', timeInForce: 'GTC' };
    yield { ...right, timeInForce: 'GTC' };
    return;
  }
  yield without('price');
  yield { ...right, price: '61234' };
  yield { ...right, price: '61234.51' };
  yield { ...right, type: 'MARKET' };
  if (right['type'] === 'LIMIT_MAKER') {
    yield { ...right, type: 'LIMIT', timeInForce: 'GTC' };
    return;
  }
  yield without('timeInForce');
  yield { ...right, timeInForce: right['timeInForce'] === 'IOC' ? 'GTC' : 'IOC' };
  yield { ...right, timeInForce: 'FOK' };
  yield { ...right, timeInForce: isFuture && right['timeInForce'] !== 'GTX' ? 'GTX' : 'GTD' };
}
