import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeService } from '../client/fake-service.js';
import { commandAgainst } from './command-against.js';
import type { Outcome } from './command-line.js';

const CREATED = '2026-11-21T12:00:00.000Z';
const ENTRY = { time: Date.parse(CREATED), status: 'ACCEPTED', filled_quantity: 0, leaves_quantity: 1 };
let service: FakeService;

beforeEach(async () => {
  service = await FakeService.start();
});
afterEach(() => service.stop());

const run = (...args: string[]): Promise<Outcome> => commandAgainst(service, ...args);

describe('sluice order pause, resume and amend', () => {
  it('send the order id and print the order state', async () => {
    const content = { order_id: 7, status: 'PAUSED', created_at: CREATED };
    for (const name of ['pause', 'resume', 'amend'])
      service.on(`POST /api/v2/trading/order/${name}`, () => ({ content }));
    expect(await run('order', 'pause', '7')).toMatchObject({
      status: 0,
      out: expect.stringContaining('PAUSED') as string,
    });
    expect((await run('order', 'resume', '--client-order-id', 'mine', '--json')).status).toBe(0);
    expect((await run('order', 'amend', '7', '--quantity', '0.75', '--style', 'passive')).status).toBe(0);
    const caps = ['--max-unhedged-value', '750', '--max-unhedged-seconds', '12', '--hedge-slippage-bps', '80'];
    expect((await run('order', 'amend', '8', ...caps)).status).toBe(0);
    expect(service.asked.map(({ body }) => body)).toEqual([
      { order_id: 7 },
      { client_order_id: 'mine' },
      { order_id: 7, quantity: '0.75', params: { trading_style: 'PASSIVE' } },
      { order_id: 8, params: { max_unhedged_value: '750', max_unhedged_seconds: '12', hedge_slippage_bps: '80' } },
    ]);
    expect((await run('order', 'pause')).status).toBe(2);
    expect(await run('order', 'amend', '7')).toMatchObject({
      status: 2,
      error: expect.stringContaining('at least one new term') as string,
    });
  });

  it('exit with status 1 and the reason of a refusal', async () => {
    const content = { order_id: 7, status: 'FILLED', created_at: CREATED, error_code: 'INVALID_ORDER', message: 'no' };
    service.on('POST /api/v2/trading/order/amend', () => ({ content }));
    expect(await run('order', 'amend', '7', '--quantity', '2')).toMatchObject({
      status: 1,
      error: 'sluice: INVALID_ORDER: no\n',
    });
  });
});

describe('sluice cancel-all-after', () => {
  it('prints the time of the cancels and accepts its old name', async () => {
    service.on('POST /api/v2/trading/order/cancelAllAfter', ({ body }) => ({
      content: { triggerTime: JSON.stringify(body).includes('60000') ? Date.parse(CREATED) : null },
    }));
    expect((await run('cancel-all-after', '60000')).out).toBe(`All open orders will be cancelled at ${CREATED}.\n`);
    expect((await run('cancel-after', '0')).out).toBe('Disabled.\n');
    expect((await run('cancel-after', 'soon')).status).toBe(2);
  });
});

function timelineIs(...events: readonly object[]): void {
  service.on('GET /api/v2/trading/order/timeline', () => ({ content: { order_id: 7, events } }));
}

describe('sluice explain', () => {
  it('reads all pages and prints reasons', async () => {
    service.on('GET /api/v2/trading/order/timeline', ({ query }) => ({
      content:
        query.get('after') === '5'
          ? { order_id: 7, events: [{ ...ENTRY, seq: 9, event: 'ParentPaused', status: 'PAUSED' }] }
          : {
              order_id: 7,
              events: [
                {
                  ...ENTRY,
                  seq: 5,
                  event: 'ChildSubmitted',
                  child_order_id: '7-1',
                  reason: 'JOIN_TOUCH',
                  detail: { target: 0.12, filled: 0.123, bid: 640_000.1, taking_is_cheaper: true, message: 'a word' },
                },
              ],
              next_after: 5,
            },
    }));
    const { out } = await run('explain', '7');
    expect(out.split('\n')[1]).toMatch(
      /ChildSubmitted +#1 .* JOIN_TOUCH target=0\.12 filled=0\.123 bid=640000\.1 taking_is_cheaper=true a word$/,
    );
    expect(out.split('\n')[2]).toMatch(/ParentPaused .* PAUSED/);
    expect(JSON.parse((await run('explain', '7', '--json')).out)).toHaveLength(2);
    expect((await run('explain')).status).toBe(2);
  });

  it('says that a PASSIVE order rested although taking was expected to be cheaper', async () => {
    const submitted = { ...ENTRY, event: 'ChildSubmitted', child_order_id: '7-1', reason: 'JOIN_TOUCH' };
    const dearer = { ...submitted, seq: 6, child_order_id: '7-2', detail: { filled: 0, taking_is_cheaper: true } };
    const note =
      /\n\nTAKING_IS_CHEAPER: PASSIVE rested 1 of 2 child orders although taking was then expected to be cheaper\./;
    timelineIs(submitted, dearer);
    expect((await run('explain', '7')).out).toMatch(note);
    expect(JSON.parse((await run('explain', '7', '--json')).out)).toHaveLength(2);
    timelineIs(submitted);
    expect((await run('explain', '7')).out).not.toContain('TAKING_IS_CHEAPER');
  });

  it('prints the leg, the fills of the other leg and the mishedge of a pair', async () => {
    const lead = {
      ...ENTRY,
      filled_quantity: 0.2,
      other_filled_quantity: 0,
      mishedge: 12.5,
      status: 'PARTIALLY_FILLED',
    };
    const events = [
      { ...lead, seq: 5, event: 'ChildFilled', child_order_id: '7-1', leg: 0, quantity: 0.2, price: 60_000 },
      { ...lead, seq: 6, event: 'ChildSubmitted', child_order_id: '7-2', leg: 1, quantity: 0.2, reason: 'HEDGE' },
    ];
    service.on('GET /api/v2/trading/order/timeline', () => ({ content: { order_id: 7, events } }));
    const [titles, fill, hedge] = (await run('explain', '7')).out.split('\n');
    expect(titles).toMatch(/EVENT +LEG +CHILD .* FILLED +OTHER LEG +MISHEDGE +WHY$/);
    expect(fill).toMatch(/ChildFilled +0 +#1 .* 0\.2 +0 +12\.5$/);
    expect(hedge).toMatch(/ChildSubmitted +1 +#2 .* 12\.5 +HEDGE$/);
  });
});
