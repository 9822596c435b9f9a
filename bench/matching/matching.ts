import { MatchingFlow } from './order-flow.js';
import { type FillSink, type MatchingOperation, type MatchingPlayer, OwnPlayer, PeerPlayer } from './players.js';
import { median, type Report } from '../report.js';

const BENCH = 'matching';
const SEED = 'matching';
const FULL = { operations: 400_000, rounds: 5 };
const QUICK = { operations: 2_000, rounds: 1 };
const LEVELS = [100, 1_000];
const NS_PER_S = 1e9;

/** Result of one stream: speed and a digest of all fills. */
interface Run {
  readonly perSecond: number;
  readonly digest: number;
}

/** Plays the same mixed stream of placements, cancels and matches on our book and on npm nodejs-order-book, in turn. */
export async function matching(report: Report, isQuick: boolean): Promise<void> {
  const sizes = isQuick ? QUICK : FULL;
  for (const levels of LEVELS) measure(report, levels, sizes);
}

function measure(report: Report, levels: number, { operations, rounds }: typeof FULL): void {
  report.progress(`${operations} operations on ${levels} levels per side`);
  const flow = new MatchingFlow(SEED, levels);
  const opening = flow.opening();
  const stream = flow.operations(operations);
  const own: number[] = [];
  const peer: number[] = [];
  // The first round only warms up.
  for (let round = 0; round <= rounds; round += 1) {
    const ours = play((sink) => new OwnPlayer(sink), opening, stream);
    const theirs = play((sink) => new PeerPlayer(sink), opening, stream);
    if (ours.digest !== theirs.digest) throw new Error(`the two books filled the stream of seed ${SEED} differently`);
    if (round === 0) continue;
    own.push(ours.perSecond);
    peer.push(theirs.perSecond);
  }
  report.add({
    bench: BENCH,
    case: `levels=${levels}`,
    metric: 'throughput',
    value: median(own),
    unit: '1/s',
    reference: 'nodejs-order-book',
    reference_value: median(peer),
    ratio: median(own) / median(peer),
    rounds,
  });
}

function play(
  makePlayer: (sink: FillSink) => MatchingPlayer,
  opening: readonly MatchingOperation[],
  stream: readonly MatchingOperation[],
): Run {
  let digest = 0;
  const player = makePlayer((taker, maker, price, quantity) => {
    digest = mix(mix(mix(mix(digest, taker), maker), price), quantity);
  });
  for (const operation of opening) player.play(operation);
  globalThis.gc?.();
  const startNs = process.hrtime.bigint();
  for (const operation of stream) player.play(operation);
  const elapsedNs = Number(process.hrtime.bigint() - startNs);
  return { perSecond: (stream.length * NS_PER_S) / elapsedNs, digest };
}

function mix(digest: number, value: number): number {
  return (Math.imul(digest, 31) + value) | 0;
}
