import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatSteps } from '../../../src/domain/quantity.js';
import { ABSENT, type CsvColumn, RecordingError, CsvRowReader } from '../../../src/backtest/venue/row-reader.js';

const COLUMNS: readonly CsvColumn[] = [
  { name: 'recv_ns', reading: 'instant' },
  { name: 'price', reading: 'steps', precision: 2 },
  { name: 'side', reading: 'initial' },
];
const HEADER = 'recv_ns,skipped,side,price\n';

function read(text: string, columns = COLUMNS, pieceBytes = Infinity): number[][] {
  const reader = new CsvRowReader('made.csv', columns);
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.push(bytes.slice(at, at + pieceBytes));
  reader.finish();
  const { rows } = reader;
  return Array.from({ length: rows.count }, (_, row) =>
    Array.from({ length: rows.width }, (_cell, cell) => rows.at(row, cell)),
  );
}

describe('the row reader', () => {
  it('finds columns by the header and reads them in their format', () => {
    expect(read(`${HEADER}1723161254087891268,x,bid,61837.63000000\n1723161254087892000,,,5\n`)).toEqual([
      [1723161254087891, 268, 6183763, 'b'.charCodeAt(0)],
      [1723161254087892, 0, 500, 0],
    ]);
  });

  it('returns -1 for an empty number', () => {
    expect(read(`${HEADER}1723161254087891268,x,bid,\n`)[0]?.[2]).toBe(ABSENT);
  });

  it('reads a last line without a line feed', () => {
    expect(read(`${HEADER}1723161254087891268,x,ask,1`)).toHaveLength(1);
  });

  it('reads the same rows for every split of the bytes', () => {
    const row = fc.tuple(fc.nat({ max: 10 ** 12 }), fc.constantFrom('bid', 'ask', ''), fc.nat({ max: 999_999_999 }));
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), fc.integer({ min: 1, max: 200 }), (rows, pieceBytes) => {
        const text = rows.map(([steps, side, nanos]) => {
          return `1700000000${String(nanos).padStart(9, '0')},-,${side},${formatSteps(steps, 2)}\n`;
        });
        expect(read(HEADER + text.join(''), COLUMNS, pieceBytes)).toEqual(
          rows.map(([steps, side, nanos]) => [
            1_700_000_000_000_000 + Math.floor(nanos / 1000),
            nanos % 1000,
            steps,
            side === '' ? 0 : side.charCodeAt(0),
          ]),
        );
      }),
    );
  });

  it('rounds down where the column allows it', () => {
    const columns: CsvColumn[] = [{ name: 'qty', reading: 'steps', precision: 2, isRounded: true }];
    expect(read('qty\n1.239\n0.009\n1.20000\n', columns)).toEqual([[123], [0], [120]]);
  });

  it.each([
    ['a price between two ticks', '1723161254087891268,x,bid,1.005', 'price lies between two steps'],
    ['a text for a number', '1723161254087891268,x,bid,1e5', 'price has no valid separator'],
    ['a sign', '1723161254087891268,x,bid,-5', 'price has no valid separator'],
    ['a number beyond the exact integers', '1723161254087891268,x,bid,99999999999999999', 'price is too large'],
    ['a short instant', '1723161254087,x,bid,1', 'recv_ns is not 19 digits'],
    ['a long instant', '17231612540878912680,x,bid,1', 'recv_ns has no valid separator'],
    ['a missing field', '1723161254087891268,x,bid', 'side has no valid separator'],
    ['a field too many', '1723161254087891268,x,bid,1,2', 'price has no valid separator after it'],
  ])('refuses %s and says where', (_, line, what) => {
    const text = `${HEADER}1723161254087891268,x,bid,1\n${line}\n`;
    expect(() => read(text)).toThrow(RecordingError);
    expect(() => read(text)).toThrow(`made.csv, line 3: ${what}`);
  });

  it('refuses a file without the column, and an empty file', () => {
    expect(() => read('recv_ns,price\n')).toThrow('made.csv has no column side in its header row');
    expect(() => read('')).toThrow('made.csv is empty');
  });
});
