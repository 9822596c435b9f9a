import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { BINS_PER_DAY } from '../../src/strategy/volume/profile.js';
import { recordedData } from '../recorded-data.js';
import { DAYS, expectHourly, learn } from './hourly-volume.js';

const RECORDED = recordedData('candles', 'ftx_BTC-PERP_1m_20211231-20220201.csv.gz');
const RECORDED_FROM_MS = Date.UTC(2022, 0, 1);
const BIN_MS = 300_000;

it('a volume profile has the known hourly shares of recorded days', () => {
  const [, ...rows] = gunzipSync(readFileSync(RECORDED)).toString().trim().split('\n');
  const volumes = new Float64Array(DAYS * BINS_PER_DAY);
  for (const row of rows) {
    const [time = '', , , , close, turnover] = row.split(',');
    const bin = Math.floor((Date.parse(`${time.slice(0, 19).replace(' ', 'T')}Z`) - RECORDED_FROM_MS) / BIN_MS);
    if (bin >= 0 && bin < volumes.length) volumes[bin]! += Number(turnover) / Number(close);
  }
  const profile = learn(volumes);
  expectHourly(profile);
  expect(profile.dailyVolume).toBeCloseTo(77_396, -2);
});
