import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Lots, Ticks } from '../../../../src/domain/quantity.js';
import type { ChildSubmission } from '../../../../src/domain/venue-message.js';
import {
  type BybitFields,
  cancelFields,
  executionsFields,
  lookUpFields,
  openOrdersFields,
  ORDER_LISTS,
  placeFields,
  readPlacement,
} from '../../../../src/venue/live/dialect/bybit-orders.js';
import { orderInRequest, socketRequest } from '../../../../src/venue/live/dialect/bybit-socket.js';
import { assertWrittenAs, type TradedInstrument, WrongRequest } from '../../../../src/venue/live/wire-guard.js';
import { submissionOf } from '../lossy-exchange.js';

const GOLDEN = join(import.meta.dirname, 'bybit-orders.golden.txt');
const CLIENT_ID = '3814123456789-17';
const SPOT: TradedInstrument = {
  exchangeSymbol: 'BTCUSDT',
  isFuture: false,
  quantityPrecision: 6,
  pricePrecision: 2,
  quantityStep: 1,
  priceStep: 1,
};
/** A tick of 0.5 and a lot of 0.002. */
const LINEAR: TradedInstrument = {
  exchangeSymbol: 'BTCUSDT',
  isFuture: true,
  quantityPrecision: 3,
  pricePrecision: 1,
  quantityStep: 2,
  priceStep: 5,
};
const PRODUCTS = [
  ['spot', SPOT],
  ['linear', LINEAR],
] as const;
const PREVENTIONS = ['NONE', 'EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'] as const;
const PERIOD = { fromMs: 1_700_000_000_000, toMs: 1_700_604_800_000 };

/** Every child that a strategy can place at the product. */
function children(to: TradedInstrument): ChildSubmission[] {
  const kinds = [
    { type: 'LIMIT', timeInForce: 'GTC', postOnly: false, limitPrice: 6_123_450 as Ticks },
    { type: 'LIMIT', timeInForce: 'GTC', postOnly: true, limitPrice: 6_123_450 as Ticks },
    { type: 'LIMIT', timeInForce: 'IOC', postOnly: false, limitPrice: 6_123_405 as Ticks },
    { type: 'MARKET', timeInForce: 'IOC', postOnly: false, limitPrice: null },
  ] as const;
  const all: ChildSubmission[] = [];
  for (const side of ['BUY', 'SELL'] as const) {
    for (const kind of kinds) {
      for (const reduceOnly of to.isFuture ? [false, true] : [false]) {
        for (const selfTradePrevention of PREVENTIONS) {
          const quantity = 12_340 as Lots;
          all.push({ ...submissionOf(1, 17), ...kind, side, reduceOnly, selfTradePrevention, quantity });
        }
      }
    }
  }
  return all;
}

function query(fields: BybitFields): string {
  return new URLSearchParams(fields as Record<string, string>).toString();
}

/** A request on the socket for orders. */
function onSocket(op: Parameters<typeof socketRequest>[1], fields: BybitFields): string {
  return socketRequest('1700000000000001', op, fields, 1_700_000_000_000);
}

/** A change is a JSON body or a message on the socket, a read is a query. */
function goldenText(): string {
  const lines: string[] = [];
  for (const [name, to] of PRODUCTS) {
    for (const child of children(to)) {
      lines.push(`${name} place ${JSON.stringify(placeFields(child, CLIENT_ID, to))}`);
    }
    for (const child of children(to)) {
      lines.push(`${name} socket place ${onSocket('order.create', placeFields(child, CLIENT_ID, to))}`);
    }
    lines.push(
      `${name} cancel ${JSON.stringify(cancelFields(CLIENT_ID, to))}`,
      `${name} socket cancel ${onSocket('order.cancel', cancelFields(CLIENT_ID, to))}`,
      `${name} look-up ${query(lookUpFields(CLIENT_ID, to))}`,
      `${name} executions ${query(executionsFields(CLIENT_ID, to, { period: PERIOD, cursor: null }))}`,
      `${name} next executions ${query(executionsFields(CLIENT_ID, to, { period: PERIOD, cursor: '132766%3A2' }))}`,
    );
  }
  for (const list of ORDER_LISTS) {
    lines.push(
      `open orders ${query(openOrdersFields(list, null))}`,
      `next open orders ${query(openOrdersFields(list, '132766%3A2'))}`,
    );
  }
  return `${lines.join('\n')}\n`;
}

describe('orders of Bybit', () => {
  it('are written byte for byte as recorded', () => {
    const written = goldenText();
    if (process.env['WIRE_GOLDEN'] === 'write') writeFileSync(GOLDEN, written);
    expect(written).toBe(readFileSync(GOLDEN, 'utf8'));
  });

  it('pass the guard as they are written', () => {
    for (const [, to] of PRODUCTS) {
      for (const child of children(to)) {
        const sent = JSON.parse(JSON.stringify(placeFields(child, CLIENT_ID, to))) as Record<string, unknown>;
        assertWrittenAs(child, CLIENT_ID, to, readPlacement(sent, to));
        const order = orderInRequest(onSocket('order.create', placeFields(child, CLIENT_ID, to)))!;
        assertWrittenAs(child, CLIENT_ID, to, readPlacement(order, to));
      }
      expect(orderInRequest(onSocket('order.cancel', cancelFields(CLIENT_ID, to)))).toBeNull();
    }
  });

  it('leave on the socket in no other request than the one for a single order that expires', () => {
    const right = JSON.parse(onSocket('order.create', placeFields(children(SPOT)[0]!, CLIENT_ID, SPOT))) as {
      header: object;
      args: object[];
    };
    const header = (change: object) => ({ ...right, header: { ...right.header, ...change } });
    for (const wrong of [
      null,
      [right],
      header({ 'X-BAPI-RECV-WINDOW': '5000' }),
      header({ 'X-BAPI-RECV-WINDOW': 2_000 }),
      header({ Referer: 'CCXT' }),
      { ...right, header: {} },
      { ...right, op: 'order.amend' },
      { ...right, op: 'order.create-batch' },
      { ...right, args: [] },
      { ...right, args: [...right.args, ...right.args] },
      { ...right, args: [right.args] },
      { ...right, more: 1 },
    ]) {
      expect(() => orderInRequest(JSON.stringify(wrong)), JSON.stringify(wrong)).toThrow(WrongRequest);
    }
  });

  it('are refused before they are sent when any field is changed, missing or added', () => {
    for (const [, to] of PRODUCTS) {
      for (const child of children(to)) {
        const right = placeFields(child, CLIENT_ID, to);
        for (const wrong of faulty(right, to)) {
          expect(() => assertWrittenAs(child, CLIENT_ID, to, readPlacement(wrong, to)), JSON.stringify(wrong)).toThrow(
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
    expect(place({ type: 'MARKET', limitPrice: null })).toThrow('a market order does not rest');
    expect(place({ selfTradePrevention: 'DECREMENT' })).toThrow('no self-trade prevention by decrement');
  });
});

/** Each field missing, each with another value of its kind, and fields that a placement of ours never has. */
function* faulty(right: BybitFields, { isFuture }: TradedInstrument): Iterable<Readonly<Record<string, unknown>>> {
  for (const name of Object.keys(right)) {
    yield Object.fromEntries(Object.entries(right).filter(([key]) => key !== name));
    yield { ...right, [name]: '' };
    yield { ...right, [name]: null };
  }
  yield { ...right, category: isFuture ? 'spot' : 'linear' };
  yield { ...right, category: 'inverse' };
  yield { ...right, qty: Number(right['qty']) };
  yield { ...right, qty: `${right['qty']}0` };
  yield { ...right, qty: '0' };
  yield { ...right, symbol: 'BTCUSDC' };
  yield { ...right, side: right['side'] === 'Buy' ? 'Sell' : 'Buy' };
  yield { ...right, side: 'BUY' };
  yield { ...right, orderLinkId: 'CCXT0123456789' };
  yield { ...right, smpType: right['smpType'] === 'None' ? 'CancelMaker' : 'None' };
  yield { ...right, timeInForce: 'FOK' };
  yield { ...right, timeInForce: right['timeInForce'] === 'GTC' ? 'PostOnly' : 'GTC' };
  yield { ...right, orderType: right['orderType'] === 'Limit' ? 'Market' : 'Limit' };
  yield { ...right, orderType: 'limit' };
  yield { ...right, price: '61234' };
  yield { ...right, triggerPrice: '60000' };
  yield { ...right, takeProfit: '70000' };
  yield { ...right, slippageTolerance: '1' };
  yield { ...right, orderFilter: 'StopOrder' };
  if (isFuture) {
    yield { ...right, reduceOnly: right['reduceOnly'] !== true };
    yield { ...right, reduceOnly: String(right['reduceOnly']) };
    yield { ...right, positionIdx: 1 };
    yield { ...right, closeOnTrigger: true };
  } else {
    yield { ...right, isLeverage: 1 };
    yield { ...right, reduceOnly: true };
    yield { ...right, marketUnit: 'quoteCoin' };
  }
}
