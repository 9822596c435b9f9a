import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildCatalogue } from '../src/venue/index.js';
import { recordedRules, rulesOf, type Rules } from './listing-rules.js';
import type { Report } from './report.js';

const RECORDED = [
  { name: 'spot', category: 'SPOT', file: 'binance_spot_exchangeInfo_25sym.json' },
  { name: 'perpetual', category: 'FUTURE', file: 'binance_usdm_exchangeInfo_25sym.json' },
] as const;

/** How the rules of our BINANCE differ from those that the exchange itself published, for instruments that both list. */
export async function listing(report: Report, _isQuick: boolean, dataDir: string | undefined): Promise<void> {
  if (dataDir === undefined) {
    console.error('bench listing compares with recorded instruments: give their folder with --data DIR');
    process.exitCode = 2;
    return;
  }
  const ours = buildCatalogue().instruments.filter(({ venue }) => venue === 'BINANCE');
  for (const { name, category, file } of RECORDED) {
    const recorded = recordedRules(readFileSync(join(dataDir, 'instruments', file), 'utf8'));
    const both = ours.flatMap((instrument) => {
      const rules = recorded.get(instrument.base + instrument.quote);
      return instrument.assetCategory === category && rules !== undefined ? [{ instrument, rules }] : [];
    });
    const differences = both.flatMap(({ instrument, rules }) =>
      differencesOf(instrument.symbol, rulesOf(instrument), rules),
    );
    for (const difference of differences) report.progress(difference);
    const figure = { bench: 'listing', case: `BINANCE ${name}`, rounds: 1, reference: file };
    report.add({ ...figure, metric: 'instruments', value: both.length, unit: '1', reference_value: recorded.size });
    report.add({ ...figure, metric: 'differences', value: differences.length, unit: '1', reference_value: 0 });
  }
}

function differencesOf(symbol: string, ours: Rules, theirs: Rules): string[] {
  return [...theirs].flatMap(([rule, value]) => {
    const own = ours.get(rule);
    return own === value ? [] : [`${symbol} ${rule}: ours ${own ?? 'missing'}, recorded ${value}`];
  });
}
