import { expect, it } from 'vitest';
import { eventually } from '../system/eventually.js';
import { newSite } from '../system/site.js';
import { journalEntries } from './journal-entries.js';
import { expectTextbook } from './report-figures.js';
import { textbookFigures } from './textbook.js';

/** Service seconds per second of the second run: slow enough to start within the minute, fast enough to wait for. */
const SPEED = 6;

const BUY = {
  exchange: 'BINANCE',
  symbol: 'BTC/USDT',
  asset_category: 'SPOT',
  side: 'BUY',
  quantity: '0.01',
  strategy: 'MARKET',
} as const;

it('markouts pending at a SIGKILL are measured after a restart with another number of shards', async () => {
  const site = newSite();
  const key = await site.issueKey();
  const first = site.start({ env: { SLUICE_SHARDS: '2' } });
  const client = site.client(await first.ready(), key);
  const { order_id: orderId = 0 } = await client.create(BUY);
  await eventually(
    () => client.byId({ orderIds: [orderId] }),
    ([order]) => order?.status === 'FILLED',
  );
  const early = await client.orderCost({ orderId });
  expect(early.is_final).toBe(false);
  expect(early.legs[0]?.cost?.markouts[2]).toEqual({ horizon_ms: 60_000, bps: null, coverage: 0 });
  await first.kill();

  const second = site.start({ env: { SLUICE_SHARDS: '1', SLUICE_SIM_SPEED: String(SPEED) } });
  const again = site.client(await second.ready(), key);
  const report = await eventually(
    () => again.orderCost({ orderId }),
    (one) => one.is_final,
  );
  await second.stop();
  expect(report.legs[0]?.cost?.markouts[2]).toMatchObject({ horizon_ms: 60_000, coverage: 1 });
  const figures = textbookFigures(journalEntries(site.dataDir), orderId, report.as_of, 'only');
  expectTextbook(report.legs[0]!, figures, 'over a restart');
});
