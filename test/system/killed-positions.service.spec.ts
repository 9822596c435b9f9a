import { expect, it } from 'vitest';
import { StreamClient, type OrderRequest, type PositionFrame, type SluiceClient } from '../../src/client/index.js';
import { eventually } from './eventually.js';
import { newSite } from './site.js';

const EXCHANGE = 'BINANCE';
const KILLS_COUNT = 3;
const CLIENTS_COUNT = 6;
const QUANTITIES: readonly (readonly [symbol: string, quantity: string])[] = [
  ['BTC/USDT:USDT', '0.1'],
  ['ETH/USDT:USDT', '0.1'],
  ['SOL/USDT:USDT', '1'],
];

/** Trades futures to and fro until the service dies. */
async function tradeUntilDeath(client: SluiceClient, first: number): Promise<void> {
  for (let count = first; ; count += 1) {
    const [symbol, quantity] = QUANTITIES[count % QUANTITIES.length] ?? ['', ''];
    const side = Math.floor(count / QUANTITIES.length) % 2 === 0 ? 'BUY' : 'SELL';
    const order: OrderRequest = {
      exchange: EXCHANGE,
      symbol,
      asset_category: 'FUTURE',
      side,
      quantity,
      strategy: 'MARKET',
    };
    try {
      await client.create(order);
    } catch {
      return;
    }
  }
}

function shown({ symbol, side, contracts }: { symbol: string; side: string; contracts: number }): string {
  return `${symbol} ${side} ${contracts}`;
}

it(`the stream of positions ends where REST does, without a gap, over ${KILLS_COUNT} SIGKILLs among fills`, async () => {
  const site = newSite();
  const key = await site.issueKey();
  const seqs: number[] = [];
  const latest = new Map<string, PositionFrame>();
  for (let kills = 0; kills <= KILLS_COUNT; kills += 1) {
    const run = site.start();
    const port = await run.ready();
    const client = site.client(port, key);
    const stream = new StreamClient({ url: `http://127.0.0.1:${port}`, listenKey: () => client.listenKey() });
    await stream.connect();
    await stream.subscribe({ topic: 'position', exchange: EXCHANGE, resumeFrom: seqs.length }, (frame) => {
      seqs.push(frame.seq);
      latest.set(frame.symbol, frame);
    });
    // Orders that were under way when the service died may still be filled.
    await eventually(
      async () => {
        const stated = [...latest.values()].filter(({ contracts }) => contracts > 0).map(shown);
        return { stated: stated.toSorted(), held: (await client.positions(EXCHANGE)).map(shown).toSorted() };
      },
      ({ stated, held }) => JSON.stringify(stated) === JSON.stringify(held),
    );
    if (kills < KILLS_COUNT) {
      const work = Array.from({ length: CLIENTS_COUNT }, (_, first) => tradeUntilDeath(client, first));
      const { length: before } = seqs;
      await eventually(
        () => seqs.length - before,
        (count) => count > 20,
      );
      await run.kill();
      stream.close();
      client.close();
      await Promise.all(work);
    } else stream.close();
  }
  expect(seqs).toEqual(seqs.map((_, place) => place + 1));
});
