import { describe, expect, test } from 'vitest';
import { type AssetCategory, type Venue, VENUES } from '../../../../src/domain/exchange.js';
import type { ChildNumber, OrderId } from '../../../../src/domain/ids.js';
import { clientIdRule, type ClientIdRule } from '../../../../src/venue/live/client-id/client-id-rules.js';
import type { ChildName, ClientIdCodec } from '../../../../src/venue/live/client-id/codec.js';
import { randomFrom } from '../../../wire/random.js';
import { runs } from '../../../runs.js';

const CATEGORIES: readonly AssetCategory[] = ['SPOT', 'FUTURE'];

interface Row {
  readonly name: string;
  readonly rule: ClientIdRule;
}

const ROWS: readonly Row[] = VENUES.flatMap((venue) =>
  CATEGORIES.flatMap((category) => {
    const rule = clientIdRule(venue, category);
    return rule === null ? [] : [{ name: `${venue} ${category}`, rule }];
  }),
);

function codecOf(venue: Venue, category: AssetCategory = 'FUTURE'): ClientIdCodec {
  const rule = clientIdRule(venue, category);
  if (rule === null) throw new Error(`no rule for ${venue}`);
  return rule.codec;
}

function encode(codec: ClientIdCodec, orderId: number, child: number): string | null {
  return codec.encode(orderId as OrderId, child as ChildNumber);
}

const name = (orderId: number, child: number): ChildName => ({
  orderId: orderId as OrderId,
  child: child as ChildNumber,
});

/** The codecs are shared by exchanges: each is run once. */
const CODECS = [...new Map(ROWS.map((row) => [row.rule.codec, row])).values()];
/** Order ids and child numbers of every size, today's most often, for all codecs together. */
const RANDOM_IDS = Math.ceil(runs(100_000, 1_050_000) / CODECS.length);

test('gives a rule to 13 exchanges in both categories', () => {
  expect(ROWS).toHaveLength(26);
  expect(clientIdRule('B2C2', 'SPOT')).toBeNull();
  expect(clientIdRule('COINBASE_PRIME', 'SPOT')).toBeNull();
});

test.each([
  ['BINANCE', 'SPOT', '3814123456789-17'],
  ['OKX', 'SPOT', '3814123456789x17'],
  ['GATEIO', 'FUTURE', 't-3814123456789-17'],
  ['KRAKEN', 'SPOT', '0003780b-7949-4150-8000-0001151c1ce5'],
  ['KRAKEN', 'FUTURE', '3814123456789-17'],
  ['COINBASE_INTL', 'FUTURE', '0003780b-7949-4150-8000-0001151c1ce5'],
  ['HYPERLIQUID', 'FUTURE', '0x000003780b79491500000001151c1ce5'],
  ['HUOBI', 'SPOT', '3814123456789-17'],
  ['HUOBI', 'FUTURE', (3_814_123_456_789n * 1024n + 17n).toString()],
  ['WOO', 'SPOT', (3_814_123_456_789n * 262_144n + 17n).toString()],
] as const)('writes a child of %s %s as documented', (venue, category, text) => {
  expect(encode(codecOf(venue, category), 3_814_123_456_789, 17)).toBe(text);
});

describe.each(CODECS)('the codec of $name', ({ rule }) => {
  test('keeps random ids bijective, in charset and in length', () => {
    const random = randomFrom(20_261_124);
    const allowed = new RegExp(`^${rule.charset}{1,${rule.lengthMax}}$`);
    let encoded = 0;
    let wrong = 0;
    for (let round = 0; round < RANDOM_IDS; round += 1) {
      const isToday = random(4) > 0;
      const orderId = isToday
        ? 3_000_000_000_000 + random(2 ** 31) * 512
        : Math.max(1, Math.floor((random(2 ** 26) * 2 ** 27 + random(2 ** 27)) / 2 ** random(53)));
      const child = random(8) > 0 ? 1 + random(1_000) : 1 + Math.floor(random(2 ** 31) / 2 ** random(31));
      const text = encode(rule.codec, orderId, child);
      if (text === null) continue;
      encoded += 1;
      const back = rule.codec.decode(text);
      if (back?.orderId !== orderId || back.child !== child || !allowed.test(text)) wrong += 1;
    }
    expect(wrong).toBe(0);
    // Integers of 53 or 63 bits hold only a part of the ids that have any size.
    expect(encoded).toBeGreaterThan(RANDOM_IDS * 0.6);
  });

  test('makes again each text that it decodes, also after a random change', () => {
    const random = randomFrom(7);
    const characters = '0123456789abcdefxABCDEF-_t. +Oe';
    let wrong = 0;
    for (let round = 0; round < runs(4_000, 40_000); round += 1) {
      const text = Array.from(encode(rule.codec, 3_814_123_456_789 + random(1_000_000), 1 + random(900)) ?? '');
      for (let changes = random(3); changes >= 0; changes -= 1) {
        const at = random(text.length + 1);
        text.splice(at, random(2), ...(random(3) === 0 ? [] : [characters[random(characters.length)] ?? '']));
      }
      const changed = text.join('');
      const back = rule.codec.decode(changed);
      if (back !== null && rule.codec.encode(back.orderId, back.child) !== changed) wrong += 1;
    }
    expect(wrong).toBe(0);
  });

  test('takes the first and refuses what is no order id or child number', () => {
    const first = encode(rule.codec, 1, 1);
    expect(rule.codec.decode(first ?? '')).toEqual(name(1, 1));
    for (const [orderId, child] of [
      [0, 1],
      [1, 0],
      [-1, 1],
      [1, -1],
      [1.5, 1],
      [1, 1.5],
      [Number.NaN, 1],
      [1, Number.NaN],
      [Infinity, 1],
      [2 ** 53, 1],
      [1, 10_000_000_000],
    ] as const) {
      expect(encode(rule.codec, orderId, child), `${orderId}-${child}`).toBeNull();
    }
  });

  test('refuses ids that other clients and the exchanges make', () => {
    for (const foreign of [
      '',
      ' ',
      '0',
      '-1',
      '+1',
      '1.0',
      '1e3',
      '0x',
      '3814123456789',
      '3814123456789-',
      '-17',
      '3814123456789-017',
      '03814123456789-17',
      '3814123456789-17 ',
      '3814123456789-17\n',
      '3814123456789--17',
      '3814123456789_17',
      '3814123456789X17',
      't-3814123456789x17',
      'T-3814123456789-17',
      '9007199254740992-1',
      '9999999999999999-1',
      '9007199254740992x1',
      't-9007199254740993-1',
      'x-TKT5PX2F-4c0bb9c1c0d3e2a1b4f5e6',
      'web_0b3ea2f6a0c14b3fa2e1',
      'and_a53b0bb0a6a74db7a1e3c0e6c3a3b1de',
      'electron_5d2f0f9a8c7b6e5d4c3b2a19',
      'adl_autoclose',
      'settlement_autoclose-1700000000000',
      'd15708c1-dbb6-465d-b77d-47258319cc90',
      'D15708C1-DBB6-465D-B77D-47258319CC90',
      '00037809-0DCB-4150-8000-0000051C1CE5',
      '00000000-0000-4000-8000-0000051c1ce5',
      'ffffffff-ffff-4fff-8fff-ffffff1c1ce5',
      '000378090dcb4150800000000051c1ce5',
      '0x1234567890abcdef1234567890abcdef',
      '0x00000000000000000000000000000000',
      '0X0000037809000000000000000051C1CE5',
      '0',
      '00',
      '99999999999999999999',
      '9223372036854775808',
      '18446744073709551615',
      'ccxt3e4e2a5f-4a89-',
      'apiv4-ws',
      't-web',
      'nfqkvdjp-0d1c2b3a',
      'O-20210711-193500-BINANCE-001-001-982',
      '１２３-1',
    ]) {
      expect(rule.codec.decode(foreign), foreign).toSatisfy(
        (decoded: ChildName | null) => decoded === null || (rule.charset === '[0-9]' && /^[1-9]\d*$/.test(foreign)),
      );
    }
  });
});

describe('a codec with 63 bits', () => {
  const codec = codecOf('WOO');

  test('reaches the largest signed 64-bit integer and refuses larger ids', () => {
    expect(encode(codec, 2 ** 45 - 1, 2 ** 18 - 1)).toBe('9223372036854775807');
    expect(codec.decode('9223372036854775807')).toEqual(name(2 ** 45 - 1, 2 ** 18 - 1));
    expect(encode(codec, 2 ** 45, 1)).toBeNull();
    expect(encode(codec, 1, 2 ** 18)).toBeNull();
    expect(codec.decode('9223372036854775808')).toBeNull();
  });

  test('refuses integers without an order or without a child', () => {
    expect(codec.decode('262143')).toBeNull();
    expect(codec.decode('262144')).toBeNull();
    expect(codec.decode('262145')).toEqual(name(1, 1));
  });
});

describe('a codec with 53 bits', () => {
  const codec = codecOf('HUOBI');

  test('makes exact JavaScript numbers only and refuses larger ids', () => {
    const largest = encode(codec, 2 ** 43 - 1, 1_023);
    expect(Number(largest)).toBe(Number.MAX_SAFE_INTEGER);
    expect(encode(codec, 2 ** 43, 1)).toBeNull();
    expect(encode(codec, 3_814_123_456_789, 1_024)).toBeNull();
    expect(codec.decode('9007199254740992')).toBeNull();
  });
});
