/** All steps and the full numbers of runs, as `npm run test:long` sets it. Otherwise tests take samples. */
export const IS_FULL = process.env['SLUICE_TEST_RUNS'] === 'full';

/** How often a property is tried: `sample` times in `npm test`, `full` times in `npm run test:long`. */
export function runs(sample: number, full: number): number {
  return IS_FULL ? full : sample;
}

/**
 * The items to try: all of them in `npm run test:long`, otherwise at most `sampleCount` that are spread evenly, with
 * the first and the last one.
 */
export function spread<Item>(items: readonly Item[], sampleCount: number): readonly Item[] {
  if (IS_FULL || items.length <= sampleCount) return items;
  if (sampleCount === 1) return items.slice(0, 1);
  const step = (items.length - 1) / (sampleCount - 1);
  return Array.from({ length: sampleCount }, (_, index) => items[Math.round(index * step)] as Item);
}
