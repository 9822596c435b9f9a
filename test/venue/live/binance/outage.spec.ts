import { afterEach, expect, it } from 'vitest';
import { units } from '../../../loopback/decimal.js';
import type { Fault } from '../../../loopback/faults.js';
import { runs } from '../../../runs.js';
import { AccountRig } from './account-rig.js';
import { now, passed, until } from './loopback-exchange.js';

/*
 * An account with many open children at an exchange that is out of order: what it asks for, by the weights that Binance
 * states, and how fast it knows what it has missed.
 */

const CHILDREN = 50;
/** Children that a process leaves unsent at its end. */
const LOST_CHILDREN = 570;
/** Binance takes 100 orders of an account in 10 s. */
const CHILDREN_PER_SECOND = 8;
const MINUTES = runs(2, 10);
/** Weight in a minute that Binance allows an address, and the share of it that an outage may use. */
const WEIGHT_MAX = 6_000;
const OUTAGE_SHARE = 0.2;

/** Weight of each request, from the documents of Binance spot. */
const WEIGHTS: Readonly<Record<string, number>> = {
  'spot order.status': 4,
  'spot userDataStream.subscribe.signature': 2,
  'GET /api/v3/order': 4,
  'GET /api/v3/openOrders': 80,
  'GET /api/v3/allOrders': 20,
  'GET /api/v3/myTrades': 20,
  'GET /api/v3/account': 20,
  'GET /api/v3/time': 1,
};
const REQUESTS = ['GET *', 'POST *', 'DELETE *', 'spot order.*', 'spot userDataStream.*', 'spot session.*'] as const;

let rig: AccountRig;
afterEach(() => rig.close());

async function openChildren(price: number): Promise<void> {
  rig = await AccountRig.open({ section: 'spot', key: 'HMAC' });
  const { shard } = rig;
  await until(() => rig.isLinked, 'the link');
  for (let id = 1; id <= CHILDREN; id += 1) {
    shard.submit(rig.child(id, { limitPrice: rig.price(price) }), now());
    if (id % CHILDREN_PER_SECOND === 0) await passed(1_000);
  }
  await until(() => [...shard.children.values()].every(({ state }) => state === 'OPEN'), 'the orders');
}

/** Opens the children, and then an outage of all requests. Returns the time of its beginning. */
async function openOutage(fault: Fault): Promise<number> {
  await openChildren(49_000);
  const { loopback } = rig;
  for (const on of REQUESTS) loopback.faults.add({ on, fault });
  loopback.faults.applied.length = 0;
  return now();
}

/** The largest weight of a minute, from the requests that reached the exchange. */
function weightMax(beganMs: number): number {
  const byMinute = new Map<number, number>();
  for (const { on, atMs } of rig.loopback.faults.applied) {
    const minute = Math.floor((atMs - beganMs) / 60_000);
    const weight = WEIGHTS[on];
    if (weight === undefined) throw new Error(`the weight of ${on} is not known`);
    byMinute.set(minute, (byMinute.get(minute) ?? 0) + weight);
  }
  return Math.max(...byMinute.values());
}

async function recovered(): Promise<void> {
  const { shard, loopback } = rig;
  loopback.faults.clear();
  await until(() => rig.isLinked, 'the link');
  await until(() => [...shard.children.values()].every(({ state }) => state === 'OPEN'), 'the states of the orders');
}

it.each([
  ['fails each look-up', { kind: 'maintenance', status: 503 }],
  ['answers no look-up', { kind: 'lose' }],
] as const)('uses a fifth of the weight at most while the exchange %s and its stream is open', async (_what, fault) => {
  const beganMs = await openOutage(fault);
  await passed(MINUTES * 60_000);
  const used = weightMax(beganMs);
  expect(used).toBeGreaterThan(0);
  expect(used).toBeLessThanOrEqual(WEIGHT_MAX * OUTAGE_SHARE);
  await recovered();
});

it('uses a fifth of the weight at most while the exchange refuses each connection of its stream', async () => {
  const beganMs = await openOutage({ kind: 'maintenance', status: 503 });
  rig.loopback.cut(rig.hosts.stream);
  await passed(MINUTES * 60_000);
  expect(weightMax(beganMs)).toBeLessThanOrEqual(WEIGHT_MAX * OUTAGE_SHARE);
  await recovered();
});

it('uses a fifth of the weight at most while look-ups fail after a cut, and the list of open orders does not', async () => {
  const beganMs = await openOutage({ kind: 'maintenance', status: 503 });
  const { loopback, hosts } = rig;
  loopback.faults.clear();
  const denied = ['spot order.status', 'GET /api/v3/order', 'GET /api/v3/allOrders', 'GET /api/v3/myTrades'];
  for (const on of denied) loopback.faults.add({ on, fault: { kind: 'maintenance', status: 503 } });
  // The list shows no order: each one must be looked up.
  loopback.faults.add({ on: 'GET /api/v3/openOrders', fault: { kind: 'absent', ms: 3_600_000 } });
  loopback.cut(hosts.stream);
  await passed(MINUTES * 60_000);
  expect(weightMax(beganMs)).toBeLessThanOrEqual(WEIGHT_MAX * OUTAGE_SHARE);
  await recovered();
});

it('shows every fill of a short cut within 2 s of the new connection', async () => {
  await openChildren(49_999.98);
  const { loopback, shard, hosts } = rig;
  loopback.cut(hosts.stream);
  loopback.spot.background.trade('BTCUSDT', 'SELL', units('10'));
  await until(() => !rig.isLinked, 'the cut');
  const subscribed = (): boolean => loopback.faults.applied.length > 0;
  loopback.faults.add({ on: 'spot userDataStream.*', fault: { kind: 'hold', ms: 1 } });
  await until(subscribed, 'the new connection');
  const connectedAtMs = now();
  await until(() => [...shard.children.values()].every(({ state }) => state === 'FILLED'), 'the fills');
  expect(now() - connectedAtMs).toBeLessThan(2_000);
  const { ledger } = loopback.spot.exchange;
  expect(ledger.ordersOf(rig.owner.id).filter(({ isOpen }) => isOpen)).toEqual([]);
});

it('finds a hundred children absent soon after the fence of the last one: a list serves all that wait for it', async () => {
  rig = await AccountRig.open({ section: 'spot', key: 'HMAC' });
  const { shard, loopback } = rig;
  await until(() => rig.isLinked, 'the link');
  loopback.faults.add({ on: 'spot order.place', fault: { kind: 'fail', failure: 'timeout', executed: false } });
  for (let id = 1; id <= 2 * CHILDREN; id += 1) {
    shard.submit(rig.child(id, { limitPrice: rig.price(49_000) }), now());
    if (id % CHILDREN_PER_SECOND === 0) await passed(1_000);
  }
  await until(() => loopback.faults.applied.length === 2 * CHILDREN, 'the requests');
  const sentAtMs = now();
  loopback.faults.clear();
  loopback.faults.applied.length = 0;
  for (const on of REQUESTS) loopback.faults.add({ on, fault: { kind: 'hold', ms: 1 } });
  await until(() => [...shard.children.values()].every(({ state }) => state === 'ABSENT'), 'the answers');
  expect(now() - sentAtMs).toBeLessThan(85_000);
  expect(weightMax(sentAtMs)).toBeLessThan(WEIGHT_MAX / 2);
});

it('finds hundreds of children absent within 30 s of the fence, that a killed process has not sent', async () => {
  rig = await AccountRig.open({ section: 'spot', key: 'HMAC' });
  const { shard, loopback } = rig;
  await until(() => rig.isLinked, 'the link');
  for (const on of REQUESTS) loopback.faults.add({ on, fault: { kind: 'hold', ms: 20 } });
  const beganMs = now();
  for (let id = 1; id <= LOST_CHILDREN; id += 1) shard.restore(rig.child(id), beganMs);
  await until(() => [...shard.children.values()].every(({ state }) => state === 'ABSENT'), 'the answers');
  expect(now() - beganMs).toBeLessThan(66_000 + 30_000);
  expect(weightMax(beganMs)).toBeLessThan(WEIGHT_MAX);
});
