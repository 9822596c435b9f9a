import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../src/client/sluice-error.js';
import type { Instrument, OrderPreview, OrderSummary } from '../../src/client/wire.js';
import { findingOf, OrderTicket, quantityOf, requestOf, type CreateRequest } from '../../src/console/ticket/ticket.js';
import type { FieldRow, FieldTable } from '../../src/api/field/field-row.js';
import { ORDER_FIELDS } from '../../src/api/order/order-fields.js';
import type { LiveMode } from '../../src/console/live-mode.js';
import { applies, FIELDS } from '../../src/console/ticket/ticket-fields.js';

const INSTRUMENT = { quantityPrecision: 5, quoteAsset: 'USDT', baseAsset: 'BTC' } as Instrument;
const MARKET = { instrument: INSTRUMENT, bid: 59_999, ask: 60_000 };
const ACCEPTED: OrderPreview = { accepted: true, rejections: [] };
const PENDING: OrderSummary = { order_id: 7, status: 'PENDING_NEW', created_at: '2027-01-15T08:00:00.000Z' };
const REJECTED: OrderSummary = {
  status: 'REJECTED',
  created_at: '2027-01-15T08:00:00.000Z',
  error_code: 'INVALID_PARAM',
  message: 'params.duration_seconds "x" is wrong',
};

/** A ticket with a complete TWAP; `sent` has the orders that it created. */
function ticketOf({
  preview = ACCEPTED,
  create = () => Promise.resolve(PENDING),
  modeOf = () => null,
}: Partial<Service> = {}) {
  const sent: CreateRequest[] = [];
  let count = 0;
  const ticket = new OrderTicket({
    preview: () => Promise.resolve(preview),
    create: (order) => {
      sent.push(order);
      return create(sent.length);
    },
    modeOf,
    newClientOrderId: () => `id-${(count += 1)}`,
    onChange: () => undefined,
  });
  ticket.set('quantity', '0.50');
  ticket.set('params.duration_seconds', '10m');
  return { ticket, sent };
}

interface Service {
  readonly preview: OrderPreview;
  readonly create: (sendCount: number) => Promise<OrderSummary>;
  readonly modeOf: (exchange: string) => LiveMode | undefined;
}

const fieldsOf = (strategy: string) => FIELDS.filter((field) => applies(field, { strategy })).map(({ name }) => name);

const failure = (status: number, code: string) =>
  Promise.reject(new SluiceError({ status, code, message: 'no', requestId: null }));

describe('the request of a ticket', () => {
  it('has the fields of the strategy, nested as in the contract, with decimals as entered', () => {
    const { ticket } = ticketOf();
    for (const [name, value] of [
      ['params.trading_style', 'PASSIVE'],
      ['params.trigger.trigger_price', '61000.10'],
      ['params.trigger.trigger_condition', 'ABOVE'],
      ['params.randomize_amount', 'true'],
      ['params.urgency', 'HIGH'],
      ['start_time', '2027-01-15 08:30:05'],
      ['end_time', '2027-01-15 09:00'],
    ] as const) {
      ticket.set(name, value);
    }
    expect(requestOf(ticket.values, MARKET)).toEqual({
      exchange: 'BINANCE',
      asset_category: 'SPOT',
      symbol: 'BTC/USDT',
      side: 'BUY',
      strategy: 'TWAP',
      quantity: '0.50',
      start_time: '2027-01-15T08:30:05Z',
      end_time: '2027-01-15T09:00:00Z',
      client_order_id: 'id-1',
      params: {
        duration_seconds: '600',
        trading_style: 'PASSIVE',
        randomize_amount: true,
        trigger: { trigger_price: '61000.10', trigger_condition: 'ABOVE' },
      },
    });
  });

  it('omits fields that the strategy does not use', () => {
    const { ticket } = ticketOf();
    ticket.set('strategy', 'MARKET');
    expect(requestOf(ticket.values, MARKET)).not.toHaveProperty('params');
    expect(fieldsOf('SCALE')).toContain('params.start_ladder_price');
    expect(fieldsOf('IS')).toContain('params.urgency');
    expect(fieldsOf('TWAP')).not.toContain('params.start_ladder_price');
  });

  it('converts an amount of quote currency at the price to be paid, exactly and rounded down to the lot', () => {
    const quote = { sizing: 'QUOTE', quantity: '1000', side: 'BUY' };
    expect(quantityOf(quote, MARKET)).toBe('0.01666');
    expect(quantityOf({ ...quote, side: 'SELL' }, MARKET)).toBe('0.01666');
    expect(quantityOf({ ...quote, quantity: '600' }, MARKET)).toBe('0.01');
    expect(quantityOf({ ...quote, limit_price: '50000' }, MARKET)).toBe('0.02');
    const tiny = '0.99999999999999999999999999999999999999999';
    expect(quantityOf({ ...quote, quantity: tiny, limit_price: '1' }, MARKET)).toBe('0.99999');
    expect(quantityOf(quote, { ...MARKET, ask: null })).toBeNull();
    expect(quantityOf({ ...quote, quantity: 'much' }, MARKET)).toBe('much');
  });

  it('places each finding at the field that its message names', () => {
    expect(findingOf('INVALID_QUANTITY', 'quantity "0" is not a decimal above 0')).toEqual({
      field: 'quantity',
      text: 'quantity "0" is not a decimal above 0 (INVALID_QUANTITY)',
    });
    expect(findingOf('INVALID_PARAM', 'params.would.would_pct "x" is wrong').field).toBe('params.would.would_pct');
    expect(findingOf('INSUFFICIENT_FUNDS', 'the order needs 50 BTC, of which 10 is free').field).toBeNull();
  });
});

describe('the order ticket', () => {
  it('sends nothing before a preview', async () => {
    const { ticket, sent } = ticketOf();
    await ticket.send();
    expect([ticket.stage, sent]).toEqual(['EDITING', []]);
  });

  it('sends the previewed order once for any number of clicks', async () => {
    const { ticket, sent } = ticketOf();
    await ticket.requestPreview(MARKET);
    expect(ticket.stage).toBe('PREVIEWED');
    await Promise.all([ticket.send(), ticket.send(), ticket.send()]);
    await ticket.send();
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ client_order_id: 'id-1', quantity: '0.50' });
    expect([ticket.stage, ticket.placed?.order_id]).toEqual(['PLACED', 7]);
  });

  it('needs another preview after a change', async () => {
    const { ticket, sent } = ticketOf();
    await ticket.requestPreview(MARKET);
    ticket.set('quantity', '5');
    await ticket.send();
    expect([ticket.stage, ticket.preview, sent]).toEqual(['EDITING', null, []]);
  });

  it('ignores the preview of a request that changed meanwhile', async () => {
    const { ticket } = ticketOf();
    const requested = ticket.requestPreview(MARKET);
    ticket.set('quantity', '5');
    await requested;
    expect([ticket.stage, ticket.preview]).toEqual(['EDITING', null]);
  });

  it('shows all findings of a preview at their fields and does not send', async () => {
    const rejections = [
      { error_code: 'INVALID_QUANTITY', message: 'quantity "0" is not a decimal above 0' },
      { error_code: 'INVALID_PARAM', message: 'params.duration_seconds is missing' },
    ] as const;
    const { ticket, sent } = ticketOf({ preview: { accepted: false, rejections } });
    await ticket.requestPreview(MARKET);
    await ticket.send();
    expect(ticket.findings.map(({ field }) => field)).toEqual(['quantity', 'params.duration_seconds']);
    expect(sent).toEqual([]);
    ticket.set('quantity', '1');
    expect(ticket.findings.map(({ field }) => field)).toEqual(['params.duration_seconds']);
  });

  it('sends the same request with the same client_order_id after an unknown outcome', async () => {
    const { ticket, sent } = ticketOf({
      create: (count) => (count === 1 ? failure(0, 'NETWORK_ERROR') : Promise.resolve(PENDING)),
    });
    await ticket.requestPreview(MARKET);
    await ticket.send();
    expect([ticket.stage, ticket.failure]).toEqual(['UNKNOWN', expect.stringContaining('unknown whether')]);
    ticket.set('quantity', '9');
    await ticket.send();
    expect(sent[1]).toEqual(sent[0]);
    expect(ticket.stage).toBe('PLACED');
  });

  it.each([
    [403, 'AUTHENTICATION_ERROR', 'PREVIEWED'],
    [429, 'RATE_LIMIT_EXCEEDED', 'PREVIEWED'],
    [503, 'SYSTEM_BUSY', 'PREVIEWED'],
    [500, 'SYSTEM_ERROR', 'UNKNOWN'],
    [502, 'OTHER', 'UNKNOWN'],
  ])('shows after HTTP %d %s the stage %s', async (status, code, stage) => {
    const { ticket } = ticketOf({ create: () => failure(status, code) });
    await ticket.requestPreview(MARKET);
    await ticket.send();
    expect(ticket.stage).toBe(stage);
  });

  it('shows the reason of a refused create and starts another order with a new client_order_id', async () => {
    const { ticket } = ticketOf({ create: (count) => Promise.resolve(count === 1 ? REJECTED : PENDING) });
    await ticket.requestPreview(MARKET);
    await ticket.send();
    expect([ticket.stage, ticket.findings[0]?.field]).toEqual(['EDITING', 'params.duration_seconds']);
    await ticket.requestPreview(MARKET);
    await ticket.send();
    ticket.renew();
    expect([ticket.stage, ticket.values['client_order_id'], ticket.placed]).toEqual(['EDITING', 'id-2', null]);
  });

  it('always has a client_order_id', async () => {
    const { ticket } = ticketOf();
    ticket.set('client_order_id', ' ');
    await ticket.requestPreview(MARKET);
    expect(ticket.request?.client_order_id).toBe('id-2');
  });

  it('requires a price when an amount of quote currency cannot be converted', async () => {
    const { ticket } = ticketOf();
    ticket.set('sizing', 'QUOTE');
    await ticket.requestPreview({ ...MARKET, ask: null });
    expect([ticket.stage, ticket.findings[0]?.field]).toEqual(['EDITING', 'quantity']);
  });
});

describe('an order with real money', () => {
  it('is sent only after its exchange was typed', async () => {
    const { ticket, sent } = ticketOf({ modeOf: (exchange) => (exchange === 'BINANCE' ? 'live' : null) });
    await ticket.requestPreview(MARKET);
    await ticket.send();
    ticket.confirm('BINANC');
    await ticket.send();
    expect([ticket.stage, ticket.neededConfirmation, sent]).toEqual(['PREVIEWED', 'BINANCE', []]);
    ticket.confirm(' binance ');
    await ticket.send();
    expect([ticket.stage, sent.length]).toEqual(['PLACED', 1]);
  });

  it('needs another confirmation after a change and for the next order', async () => {
    const { ticket, sent } = ticketOf({ modeOf: () => 'live' });
    await ticket.requestPreview(MARKET);
    ticket.confirm('BINANCE');
    ticket.set('quantity', '5');
    await ticket.requestPreview(MARKET);
    await ticket.send();
    expect([ticket.isConfirmed, sent]).toEqual([false, []]);
    ticket.confirm('BINANCE');
    await ticket.send();
    ticket.renew();
    expect([sent.length, ticket.isConfirmed]).toEqual([1, false]);
  });

  it('is assumed while the mode of the exchange is unknown, and when the mode changes after the preview', async () => {
    const { ticket: unknown } = ticketOf({ modeOf: () => undefined });
    expect(unknown.neededConfirmation).toBe('BINANCE');
    let mode: LiveMode = 'testnet';
    const { ticket, sent } = ticketOf({ modeOf: () => mode });
    await ticket.requestPreview(MARKET);
    mode = 'live';
    await ticket.send();
    expect([ticket.stage, sent]).toEqual(['PREVIEWED', []]);
  });

  it.each(['testnet', null] as const)('is not assumed in mode %s', async (mode) => {
    const { ticket, sent } = ticketOf({ modeOf: () => mode });
    await ticket.requestPreview(MARKET);
    await ticket.send();
    expect([ticket.neededConfirmation, sent.length]).toEqual([null, 1]);
  });
});

describe('the fields of the ticket', () => {
  /** Fields of a create without a choice: a simulated account is one unified account, and LINEAR is the only profile. */
  const LEFT_OUT = new Set(['subaccount', 'params.ladder_profile']);

  /** Rows of the request's table by the path of their field. An object is its fields. */
  const rowsOf = (table: FieldTable, above = ''): readonly (readonly [string, FieldRow])[] =>
    Object.entries(table).flatMap(([name, row]) =>
      row.fields === undefined ? [[`${above}${name}`, row] as const] : rowsOf(row.fields, `${above}${name}.`),
    );
  const rows = new Map(rowsOf(ORDER_FIELDS));

  it('are the fields of a create', () => {
    const offered = [...rows.keys()].filter((path) => !LEFT_OUT.has(path));
    expect(FIELDS.map(({ name }) => name).toSorted()).toEqual(offered.toSorted());
  });

  it.each(
    FIELDS.filter(({ choices }) => choices !== undefined).map(({ name, choices = [] }) => [name, choices] as const),
  )('offer every value of %s', (name, choices) => {
    // An empty choice leaves the field out, which is its default.
    const { names, default: usual } = rows.get(name) ?? {};
    const offered = choices.map((choice) => (choice === '' ? usual : choice)).filter((value) => value !== undefined);
    expect(new Set(offered)).toEqual(new Set(names));
  });
});
