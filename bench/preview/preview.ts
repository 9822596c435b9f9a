import { STRATEGY_NAMES } from '../../src/domain/order.js';
import { type Flags, type Report, windowsOf } from '../report.js';
import { fitLines } from './fit.js';
import { groupsOf, type PreviewGroup } from './preview-group.js';
import { previewAndWork, type PreviewedAndWorked } from './previewed-order.js';
import { recordedOrders } from './recorded-preview.js';

const BENCH = 'preview';
const ORDERS = 500;
const QUICK_ORDERS = 10;

/**
 * Compares previewed with realised costs by strategy and style, in simulated markets and in one half of the recordings
 * of --data DIR. --windows N: simulated orders of each strategy; --seed S. With --fit, other simulated orders serve to
 * fit the parameters of `src/pretrade/preview-fit.ts`, and the fits are printed.
 */
export async function preview(
  report: Report,
  isQuick: boolean,
  dataDir: string | undefined,
  flags: Flags,
): Promise<void> {
  const { half, instrumentsFile, isFit } = flags;
  const simulated = await simulatedOrders(report, isQuick, flags);
  reportPlace(report, { place: 'simulated', half: null, orders: simulated });
  if (isFit) for (const line of fitLines(simulated)) report.text(line);
  if (dataDir === undefined) return report.progress('no --data DIR: simulated markets only');
  const progress = (text: string): void => report.progress(text);
  const recordings = await recordedOrders({ dataDir, instrumentsFile, half, isQuick, progress });
  for (const { name, orders } of recordings) reportPlace(report, { place: name, half, orders });
  const recorded = recordings.flatMap(({ orders }) => orders);
  if (recordings.length > 1) reportPlace(report, { place: 'all recordings', half, orders: recorded });
  if (isFit) for (const line of fitLines(recorded)) report.text(line);
}

async function simulatedOrders(report: Report, isQuick: boolean, flags: Flags): Promise<PreviewedAndWorked[]> {
  const { seed, isFit } = flags;
  const count = windowsOf(flags, { isQuick, quick: QUICK_ORDERS, whole: ORDERS });
  const orders: PreviewedAndWorked[] = [];
  for (const strategy of STRATEGY_NAMES) {
    for (let index = 0; index < count; index += 1) {
      if (index % 100 === 0) report.progress(`${strategy}: order ${index + 1} of ${count}`);
      const order = await previewAndWork(strategy, `${isFit ? 'fit' : 'judge'}/${seed}/${strategy}/${index}`);
      if (order !== null) orders.push(order);
    }
  }
  return orders;
}

/** Compared orders of one market, or of all recordings. */
interface Place {
  readonly place: string;
  /** null: simulated. */
  readonly half: Flags['half'] | null;
  readonly orders: readonly PreviewedAndWorked[];
}

function reportPlace(report: Report, { place, half, orders }: Place): void {
  if (orders.length === 0) return;
  report.text(`\n${place}${half === null ? '' : `, ${half} half`}: realised − expected, bps`);
  for (const group of groupsOf(orders)) reportGroup(report, group, { place, half });
}

function reportGroup(report: Report, group: PreviewGroup, { place, half }: Pick<Place, 'place' | 'half'>): void {
  const { name, count, clusters, bias, within, isUnbiased, isCovered, makerShare, expectedMakerShare } = group;
  const about = { bench: BENCH, case: `${place}: ${name}`, rounds: count };
  const [low, high] = [bias.mean - group.tolerance, bias.mean + group.tolerance];
  report.detail({ ...about, metric: 'realised_minus_expected', value: bias.mean, unit: 'bps', low, high });
  report.detail({ ...about, metric: 'within_one_stdev', value: within.mean, unit: 'share' });
  report.detail({ ...about, metric: 'clusters', value: clusters, unit: 'count' });
  if (makerShare !== null) {
    report.detail({ ...about, metric: 'maker_share', value: makerShare, unit: 'share' });
    report.detail({ ...about, metric: 'expected_maker_share', value: expectedMakerShare, unit: 'share' });
  }
  const figures = { bias: bias.mean, error: bias.error, within: within.mean, clusters, makerShare, expectedMakerShare };
  report.record({ ...about, half, ...figures, isUnbiased, isCovered });
  report.text(
    `  ${name.padEnd(18)} n=${String(count).padEnd(4)} clusters=${String(clusters).padEnd(4)}` +
      ` ${bias.mean.toFixed(2).padStart(6)} ± ${bias.error.toFixed(2).padStart(5)} ${passOrMiss(isUnbiased)}` +
      `  within one stdev ${percent(within.mean)} ± ${percent(within.error)} ${passOrMiss(isCovered)}` +
      `  maker ${makerShare === null ? '    –' : percent(makerShare)}, expected ${percent(expectedMakerShare)}`,
  );
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1).padStart(5)} %`;
}

function passOrMiss(isPassed: boolean): string {
  return isPassed ? 'pass' : 'MISS';
}
