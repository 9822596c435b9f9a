import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseVenue } from '../../src/domain/exchange.js';
import { asciiLower, asciiUpper } from '../../src/domain/letter-case.js';
import { CATALOGUE } from '../http/orders.js';

const SOURCE = join(import.meta.dirname, '../../src');
/** Folders that read names which clients and operators send. */
const READERS = ['domain', 'api', 'http', 'stream', 'intake', 'keys', 'cli/operator'];

describe('letter case', () => {
  it('is that of ASCII letters', () => {
    expect(asciiUpper('btc/usdt:usdt_1')).toBe('BTC/USDT:USDT_1');
    expect(asciiLower('BTC/USDT:USDT_1')).toBe('btc/usdt:usdt_1');
    expect(asciiUpper('ſell ıceberg ﬁ ß é 币a')).toBe('ſELL ıCEBERG ﬁ ß é 币A');
    expect(asciiLower('\u212aRAKEN İ É 币A')).toBe('\u212araken İ É 币a');
  });

  it('does not make the name of an exchange or a symbol from other letters', () => {
    expect([parseVenue('kraKen'), parseVenue('bınance'), parseVenue('\u212araken')]).toEqual(['KRAKEN', null, null]);
    expect(CATALOGUE.find('BINANCE', 'SPOT', 'btc/usdt')).not.toBeNull();
    expect(CATALOGUE.find('BINANCE', 'SPOT', 'btc/uſdt')).toBeNull();
    expect(CATALOGUE.find('BINANCE', 'SPOT', 'btcuſdt')).toBeNull();
  });

  it('is changed in one place where names are read', () => {
    const files = READERS.flatMap((folder) =>
      readdirSync(join(SOURCE, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => `${folder}/${file}`),
    ).filter((file) => file !== 'domain/letter-case.ts');
    expect(files.length).toBeGreaterThan(50);
    expect(
      files.filter((file) => /\.to(Locale)?(Upper|Lower)Case\(/.test(readFileSync(join(SOURCE, file), 'utf8'))),
    ).toEqual([]);
  });
});
