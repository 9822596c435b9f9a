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
/** Requests that may leave between a read of the metrics and the arrival of the cancels, beyond the rate. */
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

interface Timeline {
  readonly events: readonly { readonly event: string; readonly time: number }[];
}

/** Times of all events of a kind in the timelines of the orders. */
async function timesOf(kind: string, orderIds: readonly number[]): Promise<number[]> {
  const timelines = await Promise.all(
    orderIds.map((orderId) => service.trader.get<Timeline>('/api/v2/trading/order/timeline', `orderId=${orderId}`)),
  );
  return timelines.flatMap(({ body }) => body.events.flatMap(({ event, time }) => (event === kind ? [time] : [])));
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
    // Until the cancels are there, placements leave at the rate.
    await eventually(
      async () => (await requests('waiting', 'CANCEL')) + (await requests('total', 'CANCEL')),
      (count) => count > 0,
    );
    const slackCount = SLACK_COUNT + Math.ceil(((performance.now() - lookedAtMs) / 1000) * RATE_PER_SECOND);
    const later = await place(LATER_COUNT);
    const ended = await eventually(
      () => details(earlier),
      (orders) => orders.every(hasEnded),
    );
    const allEndedAtMs = Math.max(...(await timesOf('ChildCancelled', earlier)));
    const placedAtMs = await timesOf('ChildAccepted', [...earlier, ...later]);
    const placedMeanwhile = placedAtMs.filter((atMs) => atMs <= allEndedAtMs).length;
    expect(placedMeanwhile).toBeGreaterThan(0);
    expect(placedMeanwhile).toBeLessThanOrEqual(sentBefore + slackCount);
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
    const orders = await place(LATER_COUNT);
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
