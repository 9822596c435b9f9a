import { describe, expect, test } from 'vitest';
import { type FillSink, type MatchingOperation, OwnPlayer, PeerPlayer } from '../../../bench/matching/players.js';
import type { Side } from '../../../src/domain/order.js';
import { IS_FULL, runs } from '../../runs.js';
import { RandomOperations } from './random-operations.js';

/* MATCHING_SEED=3 npx vitest run test/sim/matching/peer repeats the operations of one seed. */
const { MATCHING_SEED } = process.env;
const OPERATIONS = runs(8_000, 1_000_000);
const SEEDS = MATCHING_SEED === undefined ? [1, 2, 3, 4, 5] : [Number(MATCHING_SEED)];
/** A comparison of the whole book takes longer than an operation. */
const OPERATIONS_PER_LOOK = 200;
const LEVELS = 1_000;
const MINUTES_MAX = 10;

function sinkOf(list: string[]): FillSink {
  return (taker, maker, price, quantity) => void list.push(`${taker} ${maker} ${price} ${quantity}`);
}

describe('the book and nodejs-order-book have the same fills', () => {
  test.each(SEEDS)(
    `in ${OPERATIONS} operations of seed %i`,
    (seed) => {
      const chance = new RandomOperations(`peer ${seed}`);
      const fills: string[][] = [[], []];
      const own = new OwnPlayer(sinkOf(fills[0]!));
      const peer = new PeerPlayer(sinkOf(fills[1]!));
      let filled = 0;
      for (let count = 1; count <= OPERATIONS; count += 1) {
        const operation = chance.next();
        own.play(operation);
        peer.play(operation);
        const [ours, theirs] = fills.map((list) => list.splice(0).join(', '));
        if (ours !== theirs) expect(ours, failure(seed, operation)).toBe(theirs);
        if (ours !== '') filled += 1;
        if (count % OPERATIONS_PER_LOOK === 0 || count === OPERATIONS)
          expect([depth(own, 'SELL'), depth(own, 'BUY')], failure(seed, operation)).toEqual(peer.book.depth());
      }
      expect(filled / OPERATIONS, 'share of operations that match').toBeGreaterThan(0.1);
    },
    MINUTES_MAX * 60_000,
  );
});

function failure(seed: number, operation: MatchingOperation): string {
  const replay = `${IS_FULL ? 'SLUICE_TEST_RUNS=full ' : ''}MATCHING_SEED=${seed} npx vitest run test/sim/matching/peer`;
  return `${JSON.stringify(operation)}\nto repeat: ${replay}\n`;
}

/** Levels in the format of the peer: [price, quantity], best first. */
function depth({ book }: OwnPlayer, side: Side): [number, number][] {
  const prices = new Float64Array(LEVELS);
  const quantities = new Float64Array(LEVELS);
  const count = book.depth(side, prices, quantities, LEVELS);
  return Array.from({ length: count }, (_, index) => [prices[index]!, quantities[index]!]);
}
