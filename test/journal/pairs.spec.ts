import { expect, test } from 'vitest';
import type { AccountId } from '../../src/domain/ids.js';
import { dataFolders } from './data-folders.js';
import { dump, JournalWorld, loseState, recover } from './journal-world.js';
import { ScriptedOrders } from './scripted-orders.js';

const folders = dataFolders();

const DEMO = 'demo' as AccountId;

test('a pair makes one event and a frame in the feed of each of its venues', async () => {
  const world = new JournalWorld(folders.fresh());
  const orders = new ScriptedOrders();
  orders.completeOrder();
  orders.createPair();
  const pair = world.commit(orders).slice(-2);
  expect(pair.map(({ envelope, marks }) => [envelope.event.kind, envelope.venue, envelope.otherVenue, marks])).toEqual([
    [
      'ParentCreated',
      'BINANCE',
      'OKX',
      [
        { topic: 'order', n: 4 },
        { topic: 'order', n: 1, venue: 'OKX' },
      ],
    ],
    [
      'ParentAccepted',
      'BINANCE',
      'OKX',
      [
        { topic: 'order', n: 5 },
        { topic: 'order', n: 2, venue: 'OKX' },
      ],
    ],
  ]);

  const reader = world.main.reader.latest();
  const frames = (venue: 'BINANCE' | 'OKX', after: number) =>
    reader.feed({ account: DEMO, topic: 'order', venue }, after, 10).map(({ n, envelope }) => [n, envelope.event.kind]);
  expect(frames('OKX', 0)).toEqual([
    [1, 'ParentCreated'],
    [2, 'ParentAccepted'],
  ]);
  expect(frames('BINANCE', 3)).toEqual([
    [4, 'ParentCreated'],
    [5, 'ParentAccepted'],
  ]);
  expect(reader.feedHead({ account: DEMO, topic: 'child_order', venue: 'OKX' })).toBe(0);
  await world.close();
});

test('pairs are rebuilt from the journal alone, byte for byte, and their feeds go on', async () => {
  const world = new JournalWorld(folders.fresh());
  const orders = new ScriptedOrders();
  for (let count = 0; count < 20; count += 1) {
    orders.createPair(DEMO, `pair-${count}`);
    orders.completeOrder();
    world.commit(orders);
  }
  const image = folders.crashImage(world.dataDir);
  await world.close();
  loseState(image);
  await recover(image).close();
  expect(dump(image)).toEqual(dump(world.dataDir));

  const again = new JournalWorld(image);
  orders.createPair();
  expect(again.commit(orders)[1]?.marks.at(-1)).toEqual({ topic: 'order', n: 42, venue: 'OKX' });
  await again.close();
});
