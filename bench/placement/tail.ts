import { median, type Report } from '../report.js';
import { allocatedPerS, type Collection, longestPauseUs, longPauses, promotedPerS } from './collections.js';
import type { Sample } from './contest.js';
import type { Heading } from './figures.js';

interface Traced {
  readonly collections: readonly Collection[];
  /** Samples of the rounds in which the collections count. */
  readonly samples: readonly Sample[];
  /** Names of threads by their number. */
  readonly names: ReadonlyMap<number, string>;
}

const KINDS = ['scavenge', 'mark-compact', 'marking step'] as const;

/**
 * Reports the pauses for the garbage collector, all and by thread, and the bytes that each thread allocates and
 * promotes for a create.
 */
export function reportTail(report: Report, heading: Heading, { collections, samples, names }: Traced): void {
  const pauses = longPauses(collections, samples);
  for (const kind of KINDS) {
    const { count = 0, sumUs = 0, longestUs = 0 } = pauses.find((one) => one.kind === kind) ?? {};
    const metric = `gc_${kind.replaceAll(/[ -]/g, '_')}`;
    report.add({ ...heading, metric: `${metric}_over_1ms`, value: count, unit: 'count' });
    report.add({ ...heading, metric: `${metric}_sum`, value: sumUs, unit: 'us' });
    report.add({ ...heading, metric: `${metric}_longest`, value: longestUs, unit: 'us' });
  }
  const createsPerS = median(samples.map(({ throughput }) => throughput));
  for (const [tid, name] of names) {
    const own = collections.filter((one) => one.tid === tid);
    const of = { ...heading, case: `${heading.case} thread=${name}` };
    const allocated = allocatedPerS(own, samples);
    if (allocated === null) continue;
    report.add({ ...of, metric: 'allocated', value: allocated / createsPerS, unit: 'B' });
    const promoted = promotedPerS(own, samples);
    if (promoted !== null) report.add({ ...of, metric: 'promoted', value: promoted / createsPerS, unit: 'B' });
    report.add({ ...of, metric: 'gc_longest', value: longestPauseUs(own, samples), unit: 'us' });
  }
}
