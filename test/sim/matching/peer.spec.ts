import { describe, expect, test } from 'vitest';
import { type FillSink, type MatchingOperation, OwnPlayer, PeerPlayer } from '../../../bench/matching/players.js';
import type { Side } from '../../../src/domain/order.js';
import { RandomOperations } from './random-operations.js';

/**
 * 200,000 operations in total. Set these for more, or for one failed seed: MATCHING_SEED=3
 * MATCHING_OPERATIONS=1000000.
 */
const { MATCHING_OPERATIONS, MATCHING_SEED } = process.env;
const OPERATIONS = Number(MATCHING_OPERATIONS ?? 40_000);
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
        if (ours !== theirs) expect(ours, failure(seed, count, operation)).toBe(theirs);
        if (ours !== '') filled += 1;
        if (count % OPERATIONS_PER_LOOK === 0 || count === OPERATIONS)
          expect([depth(own, 'SELL'), depth(own, 'BUY')], failure(seed, count, operation)).toEqual(peer.book.depth());
      }
      expect(filled / OPERATIONS, 'share of operations that match').toBeGreaterThan(0.1);
    },
    MINUTES_MAX * 60_000,
  );
});

function failure(seed: number, count: number, operation: MatchingOperation): string {
  const replay = `MATCHING_SEED=${seed} MATCHING_OPERATIONS=${count} npx vitest run test/sim/matching/peer.spec.ts`;
  return `${JSON.stringify(operation)}\nto repeat: ${replay}\n`;
}

/** Levels in the format of the peer: [price, quantity], best first. */
function depth({ book }: OwnPlayer, side: Side): [number, number][] {
  const prices = new Float64Array(LEVELS);
  const quantities = new Float64Array(LEVELS);
  const count = book.depth(side, prices, quantities, LEVELS);
  return Array.from({ length: count }, (_, index) => [prices[index]!, quantities[index]!]);
}
