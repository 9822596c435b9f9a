import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../src/client/sluice-error.js';
import type { OrderDetails, OrderSummary } from '../../src/client/wire.js';
import { amendPlanOf, isMore, presentTerms } from '../../src/console/order/amendment.js';
import { canAmend, OrderAmendment } from '../../src/console/order/order-amendment.js';
import { rowOfDetails, type OrderRow } from '../../src/console/order/order-row.js';
import { details, QUARANTINE, STARTED_MS } from './orders.js';

const ORDER = details(7, {
  limit_price: 61_000,
  quantity: 0.5,
  end_time: STARTED_MS + 600_000,
  params: {
    duration_seconds: 600,
    would: { would_price: 59_000, would_pct: 50, would_style: 'PASSIVE' },
    randomize_amount: true,
  },
});

const PAIR_LEG = { ...ORDER, is_leading: true, target_value: 1000, ccy: 'USDT', filled_value: 0 };
const PAIR_ORDER = details(8, {
  algo: 'PAIR',
  quantity: 0.5,
  params: { hedge_slippage_bps: 25 },
  legs: [{ ...PAIR_LEG, is_leading: false, limit_price: 1 }, PAIR_LEG] as unknown as NonNullable<OrderDetails['legs']>,
});

/** The terms that a change of these fields sends, or its findings. */
function sentTerms(order: OrderDetails, changes: Readonly<Record<string, string>>): unknown {
  const present = presentTerms(order);
  const plan = amendPlanOf(present, { ...present.values, ...changes });
  return 'terms' in plan ? plan.terms : plan;
}

describe('the form of an amendment', () => {
  it('begins with the present terms, and with the usual values of the others', () => {
    const { values } = presentTerms(ORDER);
    expect(values).toMatchObject({
      quantity: '0.5',
      limit_price: '61000',
      end_time: '2027-01-15 08:10:00',
      'params.duration_seconds': '600',
      'params.trading_style': 'HYBRID',
      'params.would.would_price': '59000',
      'params.randomize_amount': 'true',
      'params.price_lock_bps': '',
    });
  });

  it('has the terms of the leading leg of a PAIR and the params of the order', () => {
    const { values, fields } = presentTerms(PAIR_ORDER);
    expect(values).toMatchObject({ quantity: '0.5', limit_price: '61000', 'params.hedge_slippage_bps': '25' });
    const names = fields.map(({ name }) => name);
    expect(names).toContain('params.max_unhedged_value');
    expect(names).not.toContain('params.price_lock_bps');
  });
});

describe('the request of an amendment', () => {
  it('has the changed fields only, as decimals and as the units of the service', () => {
    expect(sentTerms(ORDER, { quantity: '0.75', limit_price: '61000.0' })).toEqual({ quantity: '0.75' });
    expect(sentTerms(ORDER, { 'params.duration_seconds': '10m', end_time: '2027-01-15 09:00' })).toEqual({
      end_time: '2027-01-15T09:00:00Z',
    });
    expect(sentTerms(ORDER, { 'params.trading_style': 'PASSIVE', 'params.randomize_amount': '' })).toEqual({
      params: { trading_style: 'PASSIVE', randomize_amount: false },
    });
  });

  it('has an object as a whole: the service replaces it as a whole', () => {
    expect(sentTerms(ORDER, { 'params.would.would_pct': '25' })).toEqual({
      params: { would: { would_price: '59000', would_pct: '25', would_style: 'PASSIVE', would_is_arrival: false } },
    });
    expect(sentTerms(ORDER, { 'params.would.would_pct': '' })).toMatchObject({
      params: { would: { would_price: '59000' } },
    });
  });

  it('has a finding where an amendment cannot remove a term, and when nothing is changed', () => {
    expect(sentTerms(ORDER, { limit_price: ' ' })).toEqual([
      { field: 'limit_price', text: 'an amendment can replace this, not remove it' },
    ]);
    expect(sentTerms(ORDER, {})).toEqual([{ field: null, text: 'nothing is changed' }]);
  });

  it('raises the quantity by any larger decimal', () => {
    const present = presentTerms(ORDER);
    const more = ['0.5', '0.50000001', '0.4', 'much'].map((quantity) =>
      isMore(present, { ...present.values, quantity }),
    );
    expect(more).toEqual([false, true, false, false]);
  });
});

const ACCEPTED: OrderSummary = { order_id: 7, status: 'ACCEPTED', created_at: '2027-01-15T08:00:00.000Z' };

function amendmentOf(answer: () => Promise<OrderSummary>, changes: Partial<OrderRow> = {}) {
  const sent: object[] = [];
  const row = { ...(rowOfDetails(ORDER) as OrderRow), ...changes };
  const amendment = new OrderAmendment(row, ORDER, {
    amend: (_id, terms) => {
      sent.push(terms);
      return answer();
    },
    onChange: () => undefined,
  });
  return { amendment, sent };
}

const refusal = (status: number, code: string, message: string) =>
  Promise.reject(new SluiceError({ status, code, message, requestId: null }));

const offered = (changes: Partial<OrderDetails>) => canAmend(rowOfDetails({ ...ORDER, ...changes }) as OrderRow);

describe('an amendment', () => {
  it('says the code and the message of the service at the field', async () => {
    const message = 'limit_price "0.001" is not a multiple of 0.01';
    const { amendment, sent } = amendmentOf(() =>
      Promise.resolve({ ...ACCEPTED, error_code: 'INVALID_LIMIT_PRICE', message }),
    );
    amendment.set('limit_price', '0.001');
    expect(await amendment.send(amendment.plan()!)).toBeNull();
    expect(sent).toEqual([{ limit_price: '0.001' }]);
    expect(amendment.findings).toEqual([{ field: 'limit_price', text: `${message} (INVALID_LIMIT_PRICE)` }]);
    amendment.set('limit_price', '60000');
    expect(amendment.findings).toEqual([]);
  });

  it('says when it is unknown whether the order was amended, and not after a refusal', async () => {
    const lost = amendmentOf(() => refusal(0, 'NETWORK_ERROR', 'no answer')).amendment;
    lost.set('quantity', '0.4');
    await lost.send(lost.plan()!);
    expect([lost.failure, lost.isSending]).toEqual([expect.stringContaining('unknown whether'), false]);
    const refused = amendmentOf(() => refusal(403, 'AUTHENTICATION_ERROR', 'no permission')).amendment;
    refused.set('quantity', '0.4');
    await refused.send(refused.plan()!);
    expect([refused.failure, refused.findings[0]?.field]).toEqual([null, null]);
  });

  it('of more quantity with real money needs the name of the exchange', () => {
    const { amendment } = amendmentOf(() => Promise.resolve(ACCEPTED), { liveMode: 'live' });
    amendment.set('quantity', '0.4');
    expect(amendment.neededConfirmation).toBeNull();
    amendment.set('quantity', '0.6');
    expect([amendment.neededConfirmation, amendment.plan()]).toEqual(['BINANCE', null]);
    amendment.confirm('binance');
    expect(amendment.plan()?.changes).toEqual([{ label: 'Quantity', before: '0.5', after: '0.6' }]);
    amendment.set('quantity', '0.7');
    expect(amendment.isConfirmed).toBe(false);
  });

  it('is offered while the status allows it', () => {
    expect(offered({})).toBe(true);
    expect(offered({ status: 'PAUSED' })).toBe(true);
    expect(offered({ status: 'PENDING_CANCEL' })).toBe(false);
    expect(offered({ quarantine: QUARANTINE })).toBe(false);
  });
});
