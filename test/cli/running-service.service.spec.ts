import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newSite } from '../system/site.js';
import { sluice } from './command-line.js';
import type { Outcome } from './command-line.js';

const PROGRAM = join(import.meta.dirname, '../../dist/service/src/cli/main.js');
const TWAP =
  '--exchange BINANCE --symbol BTC/USDT --side BUY --quantity 0.05 --strategy TWAP --duration 15 --style AGGRESSIVE';
const LADDER = { exchange: 'OKX', symbol: 'ETH/USDT', asset_category: 'SPOT', side: 'BUY', quantity: '1' };

/** Runs the program in a process, with text on standard input. */
function piped(env: Readonly<Record<string, string>>, args: readonly string[], input: string): Promise<Outcome> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: { ...process.env, ...env } });
  const written = { out: '', error: '' };
  child.stdout.on('data', (chunk: Buffer) => (written.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (written.error += chunk.toString()));
  child.stdin.end(input);
  return new Promise((resolve) => child.once('close', (code) => resolve({ status: code ?? 1, ...written })));
}

it('the command line works with a running service, from the order to its fills', async () => {
  const site = newSite();
  const key = await site.issueKey();
  const port = await site.start({ env: { SLUICE_SIM_SPEED: '5' } }).ready();
  const env = {
    SLUICE_URL: `http://127.0.0.1:${port}`,
    SLUICE_API_KEY: key.apiKey,
    SLUICE_API_SECRET: key.apiSecret,
  };
  const json = async <Answer>(command: string): Promise<Answer> => {
    const { status, out, error } = await sluice([...command.split(' '), '--json'], env);
    expect({ status, error }, command).toEqual({ status: 0, error: '' });
    return JSON.parse(out) as Answer;
  };

  const created = await json<{ order_id: number; client_order_id: string }>(`order create ${TWAP}`);
  const watched = await sluice(['watch', String(created.order_id)], env);
  expect(watched).toMatchObject({ status: 0, error: '' });
  expect(watched.out).toMatch(/^\S+Z order FILLED /m);

  const [order] = await json<{ order_id: number; filled_quantity: number }[]>(
    `order get --client-order-id ${created.client_order_id}`,
  );
  expect(order).toMatchObject({ order_id: created.order_id, filled_quantity: 0.05 });
  const fills = await json<{ quantity: number }[]>(`order trades ${created.order_id}`);
  expect(fills.reduce((sum, { quantity }) => sum + quantity, 0)).toBeCloseTo(0.05, 8);
  expect(await json<object[]>('order open')).toEqual([]);
  expect(await json<object[]>('order find --limit 1')).toMatchObject([{ order_id: created.order_id }]);
  expect(await json<object[]>('balances')).toContainEqual(expect.objectContaining({ symbol: 'USDT' }));
  expect(await json<object[]>('exchanges')).toHaveLength(15);
  expect(await json<object[]>('instruments --exchange OKX --symbol BTC/USDT')).toHaveLength(1);

  const limit = { ...LADDER, strategy: 'LIMIT', limit_price: '1' };
  const resting = await piped(
    env,
    ['order', 'create', '--request', '-', '--json'],
    JSON.stringify({ orders: [limit] }),
  );
  expect(resting).toMatchObject({ status: 0, error: '' });
  expect(await json<object[]>('order cancel --all')).toHaveLength(1);
  expect(await sluice(['order', 'cancel', '1'], env)).toMatchObject({
    status: 1,
    error: expect.stringMatching(/^sluice: INVALID_ORDER: /) as string,
  });
});
