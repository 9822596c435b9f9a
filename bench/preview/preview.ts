import { meanOf } from '../paired-difference.js';
import { STRATEGY_NAMES, type StrategyName } from '../../src/domain/order.js';
import { type Flags, type Report, windowsOf } from '../report.js';
import { fitLines } from './fit.js';
import { previewAndWork, type PreviewedAndWorked } from './previewed-order.js';

const BENCH = 'preview';
const ORDERS = 500;
const QUICK_ORDERS = 10;
/** A mean within this many standard errors of 0 counts as unbiased. */
const UNBIASED_ERRORS = 2;
/** Bounds of the share of orders within one expected standard deviation; 68 % for a normal distribution. */
const WITHIN_LEAST = 0.6;
const WITHIN_MOST = 0.75;

/**
 * Compares previewed with realised costs in simulated markets, by strategy. --windows N: orders of each; --seed S. With
 * --fit, other orders serve to fit the parameters of `src/pretrade/preview-fit.ts`, and the fits are printed.
 */
export async function preview(
  report: Report,
  isQuick: boolean,
  _dataDir: string | undefined,
  flags: Flags,
): Promise<void> {
  const { seed, isFit } = flags;
  const count = windowsOf(flags, { isQuick, quick: QUICK_ORDERS, whole: ORDERS });
  const all: PreviewedAndWorked[] = [];
  for (const strategy of STRATEGY_NAMES) {
    const orders: PreviewedAndWorked[] = [];
    for (let index = 0; index < count; index += 1) {
      if (index % 100 === 0) report.progress(`${strategy}: order ${index + 1} of ${count}`);
      const order = await previewAndWork(strategy, `${isFit ? 'fit' : 'judge'}/${seed}/${strategy}/${index}`);
      if (order !== null) orders.push(order);
    }
    all.push(...orders);
    reportStrategy(report, strategy, orders);
  }
  if (isFit) for (const line of fitLines(all)) report.text(line);
}

/** Reports the bias of a strategy's previews and the share of orders within one standard deviation. */
function reportStrategy(report: Report, strategy: StrategyName, orders: readonly PreviewedAndWorked[]): void {
  const misses = orders.map(({ realisedBps, preview: { cost } }) => realisedBps - cost.totalBps);
  const bias = meanOf(misses);
  const variance = misses.reduce((sum, miss) => sum + (miss - bias) ** 2, 0) / Math.max(1, misses.length - 1);
  const error = Math.sqrt(variance / misses.length);
  const within = orders.filter(({ preview: { cost } }, index) => Math.abs(misses[index]!) <= cost.stdevBps).length;
  const share = within / orders.length;
  const isUnbiased = Math.abs(bias) <= UNBIASED_ERRORS * error;
  const isCovered = share >= WITHIN_LEAST && share <= WITHIN_MOST;
  const about = { bench: BENCH, case: strategy, rounds: orders.length };
  const [low, high] = [bias - UNBIASED_ERRORS * error, bias + UNBIASED_ERRORS * error];
  report.detail({ ...about, metric: 'realised_minus_expected', value: bias, unit: 'bps', low, high });
  report.detail({ ...about, metric: 'standard_error', value: error, unit: 'bps' });
  report.detail({ ...about, metric: 'within_one_stdev', value: share, unit: 'share' });
  report.record({ ...about, bias, error, within: share });
  report.text(
    `  ${strategy.padEnd(8)} n=${String(orders.length).padEnd(4)}` +
      ` realised − expected ${bias.toFixed(2).padStart(6)} ± ${error.toFixed(2)} bps ${passOrMiss(isUnbiased)}` +
      `  within one stdev ${(100 * share).toFixed(1).padStart(5)} % ${passOrMiss(isCovered)}`,
  );
}

function passOrMiss(isPassed: boolean): string {
  return isPassed ? 'pass' : 'MISS';
}
