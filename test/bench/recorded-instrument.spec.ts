import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, describe, it } from 'vitest';
import { arenasOf } from '../../bench/quality/arenas.js';
import { MARKET_AT_ONCE } from '../../bench/quality/baselines.js';
import { HYBRID } from '../../bench/quality/policy.js';
import { instrumentOfRecording } from '../../bench/quality/recorded-instrument.js';
import type { RecordingHeader } from '../../bench/quality/recording-header.js';
import { trialOf } from '../../bench/quality/trial.js';
import { recordingsIn } from '../../src/backtest/recording.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';

const MADE = join(import.meta.dirname, '../backtest/recordings');
const folder = mkdtempSync(join(tmpdir(), 'sluice-recording-'));
const catalogue = buildCatalogue();
const name = 'binance_cm_MADEUSD_PERP_made';
const header: RecordingHeader = {
  exchange: 'BINANCE',
  asset_category: 'FUTURE',
  base: 'MADE',
  quote: 'USD',
  settle: 'MADE',
  price_step: '0.01',
  quantity_step: '0.01',
  taker_fee_bps: 4.5,
};

for (const file of readdirSync(MADE)) {
  copyFileSync(join(MADE, file), join(folder, file.replace('binance_spot_BTCUSDT_made', name)));
}
const [recording] = recordingsIn(folder);
afterAll(() => rmSync(folder, { recursive: true }));

const choice = { dataDir: folder, windows: 0, seed: 1, isQuick: true, half: 'judge', isGrid: false } as const;

describe('a recording of an instrument that the catalogue does not know', () => {
  it('is reported with the reason while nothing describes it', async () => {
    const { arenas, unused } = await arenasOf({ ...choice, instrumentsFile: undefined });
    expect(arenas).toEqual([]);
    expect(unused).toEqual([
      { recording: name, reason: expect.stringMatching(/catalogue.*header\.json.*--instruments/) as string },
    ]);
  });

  it('is worked by the file of --instruments, also a coin-margined one', async () => {
    const instrumentsFile = join(folder, 'instruments.json');
    writeFileSync(instrumentsFile, JSON.stringify([{ ...header, recording: 'binance_cm_MADEUSD' }]));
    const { arenas, unused } = await arenasOf({ ...choice, instrumentsFile });
    expect(unused).toEqual([]);
    const [arena] = arenas;
    expect(arena!.instrument).toMatchObject({ symbol: 'MADE/USD:MADE', takerFeePpm: 450, quantityPrecision: 2 });
    const own = trialOf(await arena!.work(HYBRID, 0, 'BUY'), arena!.instrument);
    expect(own.allIn).not.toBeNull();
    const market = { ...HYBRID, baseline: MARKET_AT_ONCE };
    const taken = trialOf(await arena!.work(market, 0, 'BUY'), arena!.instrument);
    expect(taken).toMatchObject({ completion: 1, makerShare: 0, fees: expect.closeTo(4.5, 1) as number });
  });

  it('is worked by the header beside it, before all else', () => {
    writeFileSync(join(folder, `${name}.header.json`), JSON.stringify({ ...header, taker_fee_bps: 3 }));
    const headers = [{ ...header, recording: name }];
    expect(instrumentOfRecording(recording!, { catalogue, headers })).toMatchObject({
      instrument: { symbol: 'MADE/USD:MADE', takerFeePpm: 300 },
    });
  });

  it.each([
    ['an unknown exchange', { exchange: 'NOWHERE' }, /unknown exchange: NOWHERE/],
    ['a step that is no power of ten', { price_step: '0.5' }, /0\.5 .* not powers of ten/],
    [
      'an unknown field',
      { taker_fee: 5 },
      /header\.json, header 1: taker_fee is no field of a header; it has recording,/,
    ],
    ['a missing field', { base: undefined }, /header\.json, header 1: base= is not a text/],
    ['a number as text', { quantity_min: '1' }, /header 1: quantity_min="1" is not a number from 0/],
    ['another category', { asset_category: 'spot' }, /header 1: asset_category="spot" is not SPOT or FUTURE/],
  ])('is refused for %s', (_, change, reason) => {
    writeFileSync(join(folder, `${name}.header.json`), JSON.stringify({ ...header, ...change }));
    expect(instrumentOfRecording(recording!, { catalogue, headers: [] }).reason).toMatch(reason);
  });

  it('is refused for a header that is not JSON, with line and column', () => {
    writeFileSync(join(folder, `${name}.header.json`), '{\n  "exchange": BINANCE\n}');
    const { reason } = instrumentOfRecording(recording!, { catalogue, headers: [] });
    expect(reason).toMatch(/header\.json, line 2, column 15: the body is not JSON$/);
  });
});
