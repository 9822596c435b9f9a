import { meanOf } from '../src/analytics/paired-difference.js';
import { STRATEGY_NAMES, type StrategyName } from '../src/model/order.js';
import { windowsOf, type Flags } from './flags.js';
import { fitLines } from './preview/fit.js';
import { foretellAndWork, type ForetoldOrder } from './preview/foretold-order.js';
import type { Report } from './report.js';

const BENCH = 'preview';
const ORDERS = 500;
const QUICK_ORDERS = 10;
/** A mean within so many of its standard errors of nothing is not told from it. */
const UNBIASED_ERRORS = 2;
/** Of orders whose cost was within one standard deviation of what was expected: 68 % of a normal distribution. */
const WITHIN_LEAST = 0.6;
const WITHIN_MOST = 0.75;

/**
 * What previews expect against what orders then cost, in simulated markets, strategy by strategy. --windows N orders of
 * each, --seed S. With --fit the orders are others, and what is fitted is told anew: the numbers of
 * `src/analytics/preview-fit.ts` are fitted to those and judged by these.
 */
export async function preview(
  report: Report,
  isQuick: boolean,
  _dataDir: string | undefined,
  flags: Flags,
): Promise<void> {
  const { seed, isFit } = flags;
  const count = windowsOf(flags, { isQuick, quick: QUICK_ORDERS, whole: ORDERS });
  const all: ForetoldOrder[] = [];
  for (const strategy of STRATEGY_NAMES) {
    const orders: ForetoldOrder[] = [];
    for (let index = 0; index < count; index += 1) {
      if (index % 100 === 0) report.progress(`${strategy}: order ${index + 1} of ${count}`);
      const order = await foretellAndWork(strategy, `${isFit ? 'fit' : 'judge'}/${seed}/${strategy}/${index}`);
      if (order !== null) orders.push(order);
    }
    all.push(...orders);
    tell(report, strategy, orders);
  }
  if (isFit) for (const line of fitLines(all)) report.text(line);
}

/** How far off the previews of a strategy were, and how often within what they said. */
function tell(report: Report, strategy: StrategyName, orders: readonly ForetoldOrder[]): void {
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
