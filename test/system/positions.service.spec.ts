import { expect, it, onTestFinished } from 'vitest';
import {
  StreamClient,
  type OrderRequest,
  type PositionFrame,
  type PositionRiskFrame,
  type SluiceClient,
} from '../../src/client/index.js';
import { eventually } from './eventually.js';
import { marketOrder } from './sample-orders.js';
import { newSite } from './site.js';

const EXCHANGE = 'BINANCE';
const SYMBOL = 'BTC/USDT:USDT';

function futureOrder(clientOrderId: string, change: Partial<OrderRequest> = {}): OrderRequest {
  return { ...marketOrder(clientOrderId), symbol: SYMBOL, asset_category: 'FUTURE', ...change };
}

async function fill(client: SluiceClient, order: OrderRequest): Promise<void> {
  const { order_id: orderId = 0 } = await client.create(order);
  await eventually(
    () => client.byId({ orderIds: [orderId] }),
    ([found]) => found?.status === 'FILLED',
  );
}

interface Heard {
  readonly positions: PositionFrame[];
  readonly risks: PositionRiskFrame[];
}

/** Subscribes to both topics, from frame 1 or from the present state. */
async function follow(port: number, client: SluiceClient, fromFirst: boolean): Promise<Heard> {
  const heard: Heard = { positions: [], risks: [] };
  const stream = new StreamClient({ url: `http://127.0.0.1:${port}`, listenKey: () => client.listenKey() });
  onTestFinished(() => stream.close());
  await stream.connect();
  const from = fromFirst ? { resumeFrom: 0 } : {};
  await stream.subscribe({ topic: 'position', exchange: EXCHANGE, ...from }, (one) => heard.positions.push(one));
  await stream.subscribe({ topic: 'position_risk', exchange: EXCHANGE, ...from }, (one) => heard.risks.push(one));
  return heard;
}

/** Numbers of the frames that have one. */
function seqs(frames: readonly (PositionFrame | PositionRiskFrame)[]): number[] {
  return frames.filter(({ snapshot }) => snapshot !== true).map(({ seq }) => seq);
}

it('REST and streams show a position from its first fill to its end, across a SIGKILL', async () => {
  const site = newSite();
  const key = await site.issueKey();
  const first = site.start();
  const port = await first.ready();
  const client = site.client(port, key);
  const heard = await follow(port, client, false);
  expect(await client.positions(EXCHANGE)).toEqual([]);

  await fill(client, marketOrder('spot'));
  await fill(client, futureOrder('open'));
  await eventually(
    () => heard,
    ({ positions, risks }) => positions.at(-1)?.contracts === 0.01 && risks.some(({ snapshot }) => snapshot === true),
  );
  const shown = heard.positions.at(-1);
  const [position, ...others] = await client.positions(EXCHANGE);
  expect(others).toEqual([]);
  expect(position).toMatchObject({ side: 'LONG', symbol: SYMBOL, contracts: 0.01, marginMode: 'CROSS' });
  expect(shown).toMatchObject({ side: 'LONG', symbol: SYMBOL, leverage: 10, margin_mode: 'CROSS' });
  expect(position?.entryPrice).toBe(shown?.entry_price);
  expect(position?.notional).toBeCloseTo(0.01 * (position?.markPrice ?? 0), 6);
  // A fill of SPOT makes no position, and the mark prices of some seconds no frame with a number.
  const { length: changes } = heard.positions;
  expect(seqs(heard.positions)).toEqual(heard.positions.map((_, place) => place + 1));
  expect(heard.risks.find(({ snapshot }) => snapshot === true)?.seq).toBeLessThanOrEqual(changes);
  expect(heard.risks[0]?.position_risk.margin_ratio).toBeGreaterThan(0);

  await first.kill();
  const again = await site.start().ready();
  const later = site.client(again, key);
  const resumed = await follow(again, later, true);
  expect(await later.positions(EXCHANGE)).toMatchObject([{ contracts: 0.01, entryPrice: position?.entryPrice }]);
  await fill(later, futureOrder('close', { side: 'SELL', params: { reduce_only: true } }));
  await eventually(
    () => resumed,
    ({ positions, risks }) =>
      positions.at(-1)?.contracts === 0 && risks.findLast(({ snapshot }) => !snapshot)?.position_risk.contracts === 0,
  );
  expect(resumed.positions.slice(0, changes)).toEqual(heard.positions);
  expect(seqs(resumed.positions)).toEqual(resumed.positions.map((_, place) => place + 1));
  expect(seqs(resumed.risks)).toEqual(seqs(resumed.positions));
  expect(resumed.positions.at(-1)).toMatchObject({ side: 'LONG', contracts: 0, entry_price: 0, notional: 0 });
  expect(await later.positions(EXCHANGE)).toEqual([]);
});
