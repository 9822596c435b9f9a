import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listQuarantined, releaseQuarantined } from '../../src/operator/quarantine.js';
import { eventually } from './eventually.js';
import { twapOrder } from './sample-orders.js';
import { newSite } from './site.js';

it('quarantines an overfilled order, serves the others, and ends it when an operator releases it', async () => {
  const site = newSite();
  const key = await site.issueKey();
  const script = join(site.folder, 'faults');
  writeFileSync(script, '{"fault": "overfill", "count": 1}\n');
  const run = site.start({ env: { SLUICE_SIM_SPEED: '60', SLUICE_SIM_FAULTS: script } });
  const client = site.client(await run.ready(), key);
  const { order_id: first } = await client.create(twapOrder(600));
  const quarantined = await eventually(
    () => client.byId({ orderIds: [first as number] }),
    ([found]) => found?.error_code === 'SYSTEM_ERROR',
  );
  expect(quarantined[0]).toMatchObject({ quarantine: { reason: 'CONTRADICTORY_REPORT' } });
  const { order_id: second } = await client.create(twapOrder(600));
  await eventually(
    () => client.byId({ orderIds: [second as number] }),
    ([found]) => found?.status === 'FILLED',
  );
  const data = { path: site.dataDir, masterKey: undefined };
  expect(await listQuarantined(data)).toMatchObject([{ orderId: first, reason: 'CONTRADICTORY_REPORT' }]);
  await releaseQuarantined(data, String(first));
  await eventually(
    () => client.byId({ orderIds: [first as number] }),
    ([found]) => found?.status === 'CANCELLED',
  );
  expect(await listQuarantined(data)).toEqual([]);
});
