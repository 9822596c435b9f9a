import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Big } from 'big.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseChildClientId } from '../../../../src/domain/ids.js';
import { formatAmount, formatLots, formatTicks } from '../../../../src/domain/quantity.js';
import type { Side } from '../../../../src/domain/order.js';
import { termsOf } from '../../../../src/sim/account/trading-terms.js';
import type { VenueAccount } from '../../../../src/sim/account/venue-account.js';
import { decodeOrder } from '../../../../src/sim/order/order-row.js';
import { LmdbVenueStore } from '../../../../src/sim/store/lmdb-store.js';
import type { VenueStore } from '../../../../src/venue/port.js';
import { ALICE, PaperRig, SPOT } from './paper-rig.js';

const PEER = join(import.meta.dirname, '../../../../dist/test/venue/live/paper/paper-peer.js');
const KILLS = 4;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paper.'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The side of a stored order, by its client id. */
function sideOf(store: VenueStore, clientId: string): Side {
  const account = { key: `${ALICE}/BINANCE` } as VenueAccount;
  const terms = termsOf(SPOT);
  const child = parseChildClientId(clientId)!;
  const key = `${account.key}/${clientId}`;
  const row = store.get(`open/${key}`) ?? store.get(`done/${key}`);
  return decodeOrder(row!, { account: ALICE, venue: 'BINANCE', ...child }, { account, terms: () => terms }).side;
}

/** Runs the peer until it has delivered some fills, and kills it. Returns its lines. */
async function killed(run: number): Promise<string[]> {
  const peer = spawn(process.execPath, [PEER, folder, String(run)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  peer.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const ended = new Promise((resolve) => peer.once('close', resolve));
  while (text.split('\n').length < 30 * run && peer.exitCode === null) await sleep(5);
  expect(peer.exitCode, 'the peer trades until it is killed').toBeNull();
  peer.kill('SIGKILL');
  await ended;
  return text.split('\n').slice(0, -1);
}

it('keeps every delivered fill and exact balances when its process is killed', async () => {
  const delivered: string[] = [];
  for (let run = 1; run <= KILLS; run += 1) delivered.push(...(await killed(run)));

  const store = new LmdbVenueStore(folder);
  const rig = new PaperRig(store);
  const keys = ['open/', 'done/'].flatMap((prefix) => [...store.range(prefix)].map(({ key }) => key));
  const children = keys.map((key) => parseChildClientId(key.slice(key.lastIndexOf('/') + 1))!);
  expect(new Set(keys.map((key) => key.slice('open/'.length))).size).toBe(keys.length);
  const stored = new Set<string>();
  let [usdt, btc] = [new Big(1_000_000), new Big(10)];
  for (const { orderId, child } of children) {
    const order = { ...rig.submission({}), orderId, child };
    const found = rig.lookUp(order);
    if (found.kind !== 'found') continue;
    const trades = found.fills.map(({ fill }) => fill);
    expect(trades.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(found.order.filled);
    for (const { tradeId, quantity } of trades) stored.add(`${orderId} ${child} ${tradeId} ${quantity}`);
    const side = sideOf(store, `${orderId}-${child}`);
    for (const { quantity, price, fee } of trades) {
      const base = new Big(formatLots(quantity, SPOT));
      const notional = base.times(formatTicks(price, SPOT));
      btc = side === 'BUY' ? btc.plus(base) : btc.minus(base);
      usdt = (side === 'BUY' ? usdt.minus(notional) : usdt.plus(notional)).minus(formatAmount(fee));
    }
  }
  for (const line of delivered) expect(stored).toContain(line);
  expect(new Set(delivered).size).toBe(delivered.length);
  const { balances } = rig.wallet(ALICE);
  expect(balances.find(({ asset }) => asset === 'USDT')?.total).toBe(usdt.toFixed());
  expect(balances.find(({ asset }) => asset === 'BTC')?.total).toBe(btc.toFixed());
  rig.venue.close();
});
