import { expect, it } from 'vitest';
import { verifyJournal } from '../../src/journal/verification.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { BellRinger, createBell } from '../../src/wire/bell.js';
import { createRing } from '../../src/wire/ring.js';
import { runs } from '../runs.js';
import { answerOf, startPeer } from '../wire/peer-thread.js';
import { dataFolders } from './data-folders.js';
import { recover } from './journal-world.js';
import type { LeaderPeerAnswer, LeaderPeerData } from './leader-peer.js';

const RING_BYTES = 512 * 1024;
const SEGMENT_BYTES = 256 * 1024;
const folders = dataFolders();

it.each([2, 3])('%i producers and the journal thread lead in turn, never two at once', async (producerCount) => {
  const turnCount = runs(3_000, 40_000);
  const dataDir = folders.fresh();
  const main = recover(dataDir, { segmentBytes: SEGMENT_BYTES });
  const watch = new SharedArrayBuffer(12);
  const producers = Array.from({ length: producerCount }, () => ({
    appends: createRing(RING_BYTES),
    places: createRing(RING_BYTES),
    bell: createBell(),
  }));
  const peerOf = (role: LeaderPeerData['role']) =>
    startPeer('journal/leader-peer', {
      role,
      dataDir,
      shared: main.shared,
      producers,
      turnCount,
      watch,
    } satisfies LeaderPeerData);
  const journal = answerOf(await peerOf('journal'));
  const answers = (await Promise.all(
    producers.map(async (_, number) => answerOf(await peerOf(number))),
  )) as LeaderPeerAnswer[];
  Atomics.store(new Int32Array(watch), 2, 1);
  new BellRinger(main.shared.bell).ring();
  await journal;
  for (const { ledCount } of answers) expect(ledCount, 'writes of a producer').toBeGreaterThan(turnCount / 20);
  const released = new Map(answers.flatMap(({ released: each }) => each));
  expect(released.size).toBeGreaterThan(producerCount * turnCount);
  const image = folders.crashImage(dataDir);
  await main.close();
  // A new start reads the whole journal: it has no gap, and each event is the one that was released with its number.
  const again = recover(image, { segmentBytes: SEGMENT_BYTES });
  expect(again.report).toMatchObject({ lastSeq: released.size, isTornTurnCut: false });
  const stored = new Map(
    [...released.values()].map((orderId) => {
      const [first] = again.reader.latest().events(orderId as never, 0, 1);
      return [first?.seq, orderId];
    }),
  );
  expect([...released].filter(([seq, orderId]) => stored.get(seq as never) !== orderId)).toEqual([]);
  expect((await verifyJournal(image, foldEnvelope)).problems).toEqual([]);
  await again.close();
});
