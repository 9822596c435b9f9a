import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../src/client/sluice-error.js';
import type { Instrument, OrderPreview, OrderSummary } from '../../src/client/wire.js';
import { OrderTicket } from '../../src/console/ticket/ticket.js';
import { findingOf, quantityOf, requestOf, type CreateRequest } from '../../src/console/ticket/ticket-request.js';
import type { FieldRow, FieldTable } from '../../src/api/field/field-row.js';
import { ORDER_FIELDS } from '../../src/api/order/order-fields.js';
import type { LiveMode } from '../../src/console/live-mode.js';
import { applies, FIELDS, type TicketField } from '../../src/console/ticket/ticket-fields.js';
import { LEG_FIELDS as LEG_TABLE, PAIR_FIELDS as PAIR_TABLE } from '../../src/api/pair/pair-fields.js';
import { legPath, PAIR_FIELDS, PAIR_PATHS } from '../../src/console/ticket/pair-fields.js';
import { legQuantity, pairRequestOf } from '../../src/console/ticket/pair-request.js';

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
function ticketOf(
  { preview = ACCEPTED, create = () => Promise.resolve(PENDING), modeOf = () => null }: Partial<Service> = {},
  onPreview: (order: object) => OrderPreview | undefined = () => undefined,
) {
  const sent: CreateRequest[] = [];
  let count = 0;
  const ticket = new OrderTicket({
    preview: (order) => Promise.resolve(onPreview(order) ?? preview),
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
    expect([ticket.stage, ticket.previews, sent]).toEqual(['EDITING', [], []]);
  });

  it('ignores the preview of a request that changed meanwhile', async () => {
    const { ticket } = ticketOf();
    const requested = ticket.requestPreview(MARKET);
    ticket.set('quantity', '5');
    await requested;
    expect([ticket.stage, ticket.previews]).toEqual(['EDITING', []]);
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
  /**
   * Fields of a create without a choice: a simulated account is one unified account, and LINEAR is the only profile.
   */
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

  it('can be amended where the table says so, in the orders that it names', () => {
    expect(amendable(FIELDS)).toEqual(amendableIn(ORDER_FIELDS, rows.keys()));
    const ofPair = [...pairRows.keys()].filter((path) => !path.startsWith('legs.'));
    expect(amendable(PAIR_FIELDS)).toEqual(amendableIn(PAIR_TABLE, ofPair));
  });

  it.each(FIELDS.flatMap(({ name, usual }) => (usual === undefined ? [] : [[name, usual] as const])))(
    'have the default of %s as its usual value: %s',
    (name, usual) => {
      expect(rows.get(name)?.default).toBe(usual);
    },
  );

  const pairRows = new Map(rowsOf(PAIR_TABLE));

  it('of a PAIR are those of a multi-leg create and of its legs', () => {
    const offered = [...pairRows.keys()].filter(
      (path) => !LEFT_OUT.has(path) && path !== 'algo' && !path.startsWith('legs.'),
    );
    expect(PAIR_FIELDS.map(({ name }) => name).toSorted()).toEqual(offered.toSorted());
    const ofLeg = rowsOf(LEG_TABLE).map(([path]) => legPath(1, path));
    expect([...PAIR_PATHS].filter((path) => path.startsWith('legs[1].')).toSorted()).toEqual(ofLeg.toSorted());
  });
});

describe('a PAIR in the ticket', () => {
  const MARKETS = [MARKET, { ...MARKET, bid: 49_999, ask: 50_001 }];

  it('is sent as the contract has it', async () => {
    const { ticket, sent } = pairTicket();
    ticket.set('params.hedge_slippage_bps', '25');
    ticket.set('end_time', '2027-01-15 09:00');
    await ticket.requestPreview(...MARKETS);
    await ticket.send();
    expect(sent).toEqual([
      {
        algo: 'PAIR',
        client_order_id: 'id-1',
        end_time: '2027-01-15T09:00:00Z',
        params: { hedge_slippage_bps: '25' },
        legs: [
          {
            exchange: 'BINANCE',
            symbol: 'BTC/USDT',
            asset_category: 'SPOT',
            side: 'BUY',
            target_value: '1000',
            ccy: 'USDT',
            strategy: 'TWAP',
            params: { duration_seconds: '600', is_leading: true },
          },
          {
            exchange: 'OKX',
            symbol: 'BTC/USDT',
            asset_category: 'FUTURE',
            side: 'SELL',
            target_value: '1000',
            ccy: 'USDT',
            strategy: 'MARKET',
            params: { is_leading: false },
          },
        ],
      },
    ]);
  });

  it('is previewed leg by leg, with targets at the mid price rounded down to the lot', async () => {
    const { ticket, previewed } = pairTicket();
    await ticket.requestPreview(...MARKETS);
    expect(ticket.previews.map(({ title }) => title)).toEqual(['BUY BTC/USDT on BINANCE', 'SELL BTC/USDT on OKX']);
    expect(previewed).toMatchObject([
      { exchange: 'BINANCE', quantity: '0.01666', strategy: 'TWAP', params: { duration_seconds: '600' } },
      { exchange: 'OKX', quantity: '0.02', strategy: 'MARKET' },
    ]);
    expect(previewed[0]).not.toHaveProperty('target_value');
  });

  it('takes a target in the base as it is, and asks for a price where there is none', () => {
    expect(legQuantity({ target_value: '0.5', ccy: 'BTC' }, MARKET)).toBe('0.5');
    expect(legQuantity({ target_value: '500', ccy: 'USDT', limit_price: '50000' }, MARKET)).toBe('0.01');
    expect(legQuantity({ target_value: '500', ccy: 'USDT' }, { ...MARKET, bid: null })).toBeNull();
    const { ticket } = pairTicket();
    void ticket.requestPreview(MARKET);
    expect(ticket.findings).toMatchObject([{ field: 'legs[1].target_value' }]);
  });

  it('has findings at the fields of the leg, and is sent only when both legs have none', async () => {
    const rejections = [
      { error_code: 'INVALID_QUANTITY', message: 'quantity "0" is wrong' },
      { error_code: 'INVALID_END_TIME', message: 'end_time is wrong' },
      { error_code: 'INSUFFICIENT_FUNDS', message: 'the order needs more' },
    ] as const;
    const { ticket, sent } = pairTicket({ previews: [ACCEPTED, { accepted: false, rejections }] });
    await ticket.requestPreview(...MARKETS);
    await ticket.send();
    expect(ticket.findings).toMatchObject([
      { field: 'legs[1].target_value' },
      { field: 'end_time' },
      { field: null, text: 'SELL BTC/USDT on OKX: the order needs more (INSUFFICIENT_FUNDS)' },
    ]);
    expect(sent).toEqual([]);
    expect(findingOf('INVALID_SYMBOL', 'legs[1].symbol "X" is unknown').field).toBe('legs[1].symbol');
  });

  it('has at most one leading leg', () => {
    const { ticket } = pairTicket();
    ticket.set('legs[1].params.is_leading', 'true');
    expect(ticket.values['legs[0].params.is_leading']).toBe('');
    ticket.set('legs[1].params.is_leading', '');
    expect(pairRequestOf(ticket.values)['legs']).toMatchObject([
      { params: { is_leading: false } },
      { params: { is_leading: false } },
    ]);
  });

  it('with real money is confirmed by the names of the exchanges that are live', () => {
    const { ticket } = pairTicket({ modeOf: () => 'live' });
    expect(ticket.neededConfirmation).toBe('BINANCE OKX');
    expect(pairTicket({ modeOf: (name) => (name === 'OKX' ? 'live' : null) }).ticket.neededConfirmation).toBe('OKX');
  });
});

/** A ticket with a target of 1,000 USDT in each leg. */
function pairTicket(service: Partial<Service> & { readonly previews?: readonly OrderPreview[] } = {}) {
  const previewed: object[] = [];
  const { ticket, sent } = ticketOf(service, (order) => {
    previewed.push(order);
    return service.previews?.[previewed.length - 1];
  });
  ticket.set('strategy', 'PAIR');
  ticket.set('legs[0].target_value', '1000');
  ticket.set('legs[1].target_value', '1000');
  ticket.set('legs[0].params.duration_seconds', '10m');
  return { ticket, sent, previewed };
}

function amendable(fields: readonly TicketField[]): ReadonlyMap<string, string> {
  return new Map(fields.flatMap(({ name, amend }) => (amend === undefined ? [] : [[name, amend] as const])));
}

/** The orders in which a table lets each of these fields be amended. */
function amendableIn(table: FieldTable, paths: Iterable<string>): ReadonlyMap<string, string> {
  return new Map(
    [...paths].flatMap((path) => {
      const { amend } = rowAt(table, path) ?? {};
      const { of } = amend ?? (path.split('.').length > 2 ? wholeOf(path)?.amend : undefined) ?? {};
      return of === undefined ? [] : [[path, of] as const];
    }),
  );
}

/** The object of a nested field: it can be amended as a whole. */
function wholeOf(path: string): FieldRow | undefined {
  return rowAt(ORDER_FIELDS, path.split('.').slice(0, 2).join('.'));
}

function rowAt(table: FieldTable, path: string): FieldRow | undefined {
  const [name = '', ...rest] = path.split('.');
  const row = table[name];
  return rest.length === 0 ? row : rowAt(row?.fields ?? {}, rest.join('.'));
}
