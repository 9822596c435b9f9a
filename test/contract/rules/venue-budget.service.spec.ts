import { describe, expect, it } from 'vitest';
import { eventually } from '../../system/eventually.js';
import type { Details, SummaryList } from './answers.js';
import { IMMEDIATE, RESTING } from './orders.js';
import { useService } from './service-under-rules.js';

/** BINANCE takes eight requests a second, one at a time. OKX has no limit. */
const service = useService({ env: { SLUICE_VENUE_RATES: 'BINANCE=10/1s,OKX=off' } });

const CREATE_MANY = '/api/v2/trading/order/createMany';
const EARLIER_COUNT = 40;
const LATER_COUNT = 20;
const RATE_PER_SECOND = 10;
/** Requests that may leave between a read of the metrics and the answer to the cancels, beyond the rate. */
const SLACK_COUNT = 4;

async function place(count: number, order: object = RESTING): Promise<number[]> {
  const orders = Array.from({ length: count }, () => order);
  const { body } = await service.trader.post<SummaryList>(CREATE_MANY, { orders });
  return body.orders.map(({ order_id: orderId }) => orderId as number);
}

/** Requests to an exchange by the state of the metric. */
async function requests(name: string, requestClass: string, venue = 'BINANCE'): Promise<number> {
  const text = await (await fetch(`${service.trader.url}/metrics`)).text();
  const line = new RegExp(`^sluice_venue_requests_${name}{venue="${venue}",class="${requestClass}"} (\\d+)$`, 'm');
  return Number(line.exec(text)?.[1] ?? 0);
}

const hasEnded = ({ status }: Details): boolean => status === 'CANCELLED';

async function details(orderIds: readonly number[]): Promise<readonly Details[]> {
  return service.trader.list('byId', `orderIds=${orderIds.join(',')}`);
}

describe('All orders of an account share one budget of requests at an exchange', () => {
  it('sends cancels first, and never sends a placement that a cancel overtakes', async () => {
    const earlier = await place(EARLIER_COUNT);
    await eventually(
      () => requests('total', 'RESTING'),
      (sent) => sent >= 6,
    );
    expect(await requests('waiting', 'RESTING')).toBeGreaterThan(0);
    const lookedAtMs = performance.now();
    const sentBefore = await requests('total', 'RESTING');
    await service.trader.list('cancelAll');
    const slackCount = SLACK_COUNT + Math.ceil(((performance.now() - lookedAtMs) / 1000) * RATE_PER_SECOND);
    const later = await place(LATER_COUNT);
    const ended = await eventually(
      () => details(earlier),
      (orders) => orders.every(hasEnded),
    );
    expect(await requests('total', 'RESTING')).toBeLessThanOrEqual(sentBefore + slackCount);
    expect(await requests('withdrawn_total', 'RESTING')).toBeGreaterThan(0);
    expect(await requests('total', 'CANCEL')).toBeLessThanOrEqual(sentBefore + slackCount);
    expect(ended.map(({ filled_quantity: filled }) => filled)).toEqual(earlier.map(() => 0));
    // Every later order is placed: none is lost and none gives up because of a throttled request.
    await eventually(
      () => requests('total', 'RESTING'),
      (sent) => sent >= sentBefore + LATER_COUNT,
    );
    expect((await details(later)).map(({ status }) => status)).toEqual(later.map(() => 'ACCEPTED'));
  });

  it('shows a rate in the metrics, and none where it is off', async () => {
    const text = await (await fetch(`${service.trader.url}/metrics`)).text();
    expect(text).toContain('sluice_venue_request_rate_limit{venue="BINANCE"} 10\n');
    expect(text).toContain('sluice_venue_request_rate_limit{venue="KRAKEN"} 20000\n');
    expect(text).not.toContain('sluice_venue_request_rate_limit{venue="OKX"}');
  });

  it('has a separate budget for each exchange and account', async () => {
    const others = [
      service.trader.place({ ...IMMEDIATE, exchange: 'OKX' }),
      (await service.client('other')).place({ ...IMMEDIATE, exchange: 'OKX' }),
    ];
    const [orderId] = await Promise.all(others);
    await service.trader.reaches(orderId as number, 'FILLED');
  });
});

describe('kill -9 while requests wait', () => {
  it('never sends them: every order rests once after the start and is cancelled unfilled', async () => {
    await service.trader.list('cancelAll');
    await eventually(
      () => service.trader.list('open'),
      (open) => open.length === 0,
    );
    const orders = await place(EARLIER_COUNT);
    await eventually(
      () => requests('waiting', 'RESTING'),
      (waiting) => waiting > 0,
    );
    await service.run.kill();
    await service.start();
    await eventually(
      () => requests('total', 'RESTING'),
      (sent) => sent > 0,
    );
    await service.trader.list('cancelAll');
    const ended = await eventually(
      () => details(orders),
      (found) => found.every(hasEnded),
    );
    expect(ended.map(({ filled_quantity: filled }) => filled)).toEqual(orders.map(() => 0));
  });
});
