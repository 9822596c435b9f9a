import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ABSENT, FileError, type Table, type TableColumn } from '../../../src/backtest/table/columns.js';
import { CsvReader, ROW_BYTES_MAX } from '../../../src/backtest/table/csv-reader.js';
import { formatSteps } from '../../../src/domain/quantity.js';

const COLUMNS: readonly TableColumn[] = [
  { name: 'recv_ns', values: { kind: 'instant' }, order: 'rising' },
  { name: 'price', values: { kind: 'steps', precision: 2, max: 1e15 } },
  { name: 'side', values: { kind: 'word', words: ['bid', 'ask'] } },
  { name: 'id', values: { kind: 'steps', precision: 0 }, isOptional: true },
];
const HEADER = 'recv_ns,skipped,side,price,id\n';
const FIRST = '1723161254087891268,x,bid,1,\n';

function readerOf(columns: readonly TableColumn[], check?: Table['check']): CsvReader {
  return new CsvReader('made.csv', { columns, ...(check && { check }) });
}

function read(text: string | Uint8Array, columns = COLUMNS, pieceBytes = Infinity): number[][] {
  const reader = readerOf(columns);
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.push(bytes.slice(at, at + pieceBytes));
  reader.finish();
  const { rows } = reader;
  return Array.from({ length: rows.count }, (_, row) =>
    Array.from({ length: rows.width }, (_cell, cell) => rows.at(row, cell)),
  );
}

describe('the CSV reader', () => {
  it('finds columns by the header and reads them in their format, with their line', () => {
    expect(read(`${HEADER}1723161254087891268,x,bid,61837.63000000,7\n1723161254087892000,,ask,5,8\n`)).toEqual([
      [1723161254087891, 268, 6183763, 0, 7, 2],
      [1723161254087892, 0, 500, 1, 8, 3],
    ]);
  });

  it('returns -1 for an optional field that is empty in all rows', () => {
    expect(read(`${HEADER}${FIRST}${FIRST}`).map((row) => row[4])).toEqual([ABSENT, ABSENT]);
  });

  it('reads the same rows for every split of the bytes, line end and quoting', () => {
    const row = fc.tuple(fc.nat({ max: 10 ** 12 }), fc.constantFrom('bid', 'ask'), fc.nat({ max: 999_999_999 }));
    const skipped = fc.constantFrom('-', '"a, b"', '"two\r\nlines"', '"a ""quote"""', '""');
    const style = fc.record({ skipped, end: fc.constantFrom('\n', '\r\n'), isQuoted: fc.boolean() });
    const mark = fc.constantFrom('', '\uFEFF');
    const tail = fc.constantFrom('', '\n', '\r\n', '\n\n');
    const all = fc.array(fc.tuple(row, style), { maxLength: 20 });
    fc.assert(
      fc.property(all, mark, tail, fc.integer({ min: 1, max: 200 }), (lines, start, end, pieceBytes) => {
        const sorted = lines.toSorted(([[, , one]], [[, , other]]) => one - other);
        const text = sorted.map(([[steps, side, nanos], { skipped: other, end: lineEnd, isQuoted }]) => {
          const fields = [`1700000000${String(nanos).padStart(9, '0')}`, other, side, formatSteps(steps, 2), ''];
          return fields.map((field, index) => (isQuoted && index !== 1 ? `"${field}"` : field)).join(',') + lineEnd;
        });
        const rows = read(start + HEADER + text.join('') + end, COLUMNS, pieceBytes);
        expect(rows.map((cells) => cells.slice(0, 5))).toEqual(
          sorted.map(([[steps, side, nanos]]) => [
            1_700_000_000_000_000 + Math.floor(nanos / 1000),
            nanos % 1000,
            steps,
            side === 'bid' ? 0 : 1,
            ABSENT,
          ]),
        );
      }),
    );
  });

  it('reads a last line without an end', () => {
    expect(read(`${HEADER}1723161254087891268,x,ask,1,`)).toHaveLength(1);
    expect(read(`${HEADER}1723161254087891268,x,ask,1,"5"`)[0]?.[4]).toBe(5);
  });

  it('reads quoted names of columns', () => {
    expect(read(`"recv_ns","a ""b"", c",side,"price","id"\r\n${FIRST}`)).toHaveLength(1);
  });

  it('counts the lines inside of quotes', () => {
    const text = `${HEADER}1723161254087891268,"one\ntwo",bid,1,\n1723161254087891268,x,bid,-,\n`;
    expect(() => read(text)).toThrow('made.csv, line 4, column 4 (price): "-" is not');
  });

  it('rounds down where the column allows it, but no value below the smallest', () => {
    const columns: TableColumn[] = [
      { name: 'qty', values: { kind: 'steps', precision: 2, min: 1, isRounded: true } },
      { name: 'lots', values: { kind: 'steps', precision: 0, step: 25 } },
    ];
    expect(read('qty,lots\n1.239,25\n0.009,0\n1.20000,100\n', columns).map((row) => row.slice(0, 2))).toEqual([
      [123, 1],
      [0, 0],
      [120, 4],
    ]);
    expect(() => read('qty,lots\n0.000,25\n', columns)).toThrow('"0.000" is not a decimal from 0.01');
    expect(() => read('qty,lots\n1,26\n', columns)).toThrow('"26" is not a decimal from 0 in steps of 25');
  });

  it.each([
    [
      'a price between two ticks',
      '1723161254087891268,x,bid,1.005,',
      'column 4 (price): "1.005" is not a decimal from 0',
    ],
    ['a text for a number', '1723161254087891268,x,bid,1e5,', 'column 4 (price): "1e5" is not a decimal'],
    ['an empty number', '1723161254087891268,x,bid,,', 'column 4 (price): "" is not a decimal'],
    ['a sign', '1723161254087891268,x,bid,-5,', 'column 4 (price): "-5" is not a decimal'],
    ['a point without digits after it', '1723161254087891268,x,bid,5.,', 'column 4 (price): "5." is not a decimal'],
    ['a point without digits before it', '1723161254087891268,x,bid,.5,', 'column 4 (price): ".5" is not a decimal'],
    ['a decimal comma', '1723161254087891268,x,bid,"1,5",', 'column 4 (price): "1,5" is not a decimal'],
    ['a blank', '1723161254087891268,x,bid, 1,', 'column 4 (price): " 1" is not a decimal'],
    [
      'a number beyond the exact integers',
      '1723161254087891268,x,bid,99999999999999999,',
      '"99999999999999999" is not',
    ],
    [
      'a short instant',
      '1723161254087,x,bid,1,',
      'column 1 (recv_ns): "1723161254087" is not 19 digits of nanoseconds',
    ],
    ['a long instant', '17231612540878912680,x,bid,1,', 'column 1 (recv_ns): "17231612540878912680" is not 19 digits'],
    ['an instant before 2001', '0723161254087891268,x,bid,1,', 'column 1 (recv_ns): "0723161254087891268" is not'],
    ['an earlier instant', '1723161254087891267,x,bid,1,', '"1723161254087891267" is smaller than in the row before'],
    ['a word in another case', '1723161254087891268,x,BID,1,', 'column 3 (side): "BID" is not one of "bid", "ask"'],
    ['a longer word', '1723161254087891268,x,bids,1,', 'column 3 (side): "bids" is not one of'],
    ['an empty word', '1723161254087891268,x,,1,', 'column 3 (side): "" is not one of'],
    [
      'a value where others are empty',
      '1723161254087891268,x,bid,1,7',
      '(id): "7" is given, unlike in the rows before',
    ],
    ['a missing field', '1723161254087891268,x,bid', 'column 3 (side): the row has 3 fields, the header 5'],
    ['a field too many', '1723161254087891268,x,bid,1,,2', 'column 5 (id): the row has 6 fields, the header 5'],
    ['text after a quote', '1723161254087891268,x,"bid"s,1,', 'column 3 (side): the field has text after its closing'],
    ['a quote inside of a field', '1723161254087891268,x"y,bid,1,', 'column 2 (skipped): the field has a quote but'],
    ['an open quote', '1723161254087891268,x,"bid,1,', 'a quote is not closed'],
    [
      'a stray carriage return',
      '1723161254087891268,x\ry,bid,1,',
      'column 2 (skipped): the field has a carriage return',
    ],
    ['a blank line between rows', `\n${FIRST.trimEnd()}`, 'the line is blank, and rows follow it'],
  ])('refuses %s and says where', (_, line, what) => {
    const text = `${HEADER}${FIRST}${line}\n`;
    for (const pieceBytes of [Infinity, 7]) {
      expect(() => read(text, COLUMNS, pieceBytes)).toThrow(FileError);
      expect(() => read(text, COLUMNS, pieceBytes)).toThrow(/^made\.csv, line 3/);
      expect(() => read(text, COLUMNS, pieceBytes)).toThrow(what);
    }
  });

  it.each([
    ['rising', '5\n5\n7\n', null],
    ['rising', '5\n4\n', 'line 3, column 1 (id): "4" is smaller than in the row before'],
    ['distinct', '5\n7\n7\n', 'line 4, column 1 (id): "7" is not larger than in the row before'],
    ['consecutive', '5\n6\n8\n', 'line 4, column 1 (id): "8" does not follow that of the row before'],
  ] as const)('checks that a column is %s: %j', (order, text, what) => {
    const columns: TableColumn[] = [{ name: 'id', values: { kind: 'steps', precision: 0 }, order }];
    if (what === null) expect(read(`id\n${text}`, columns)).toHaveLength(3);
    else expect(() => read(`id\n${text}`, columns)).toThrow(`made.csv, ${what}`);
  });

  it('names the column of a rule between rows', () => {
    const reader = readerOf(COLUMNS, (row, previous) => {
      return previous !== null && row[3] === previous[3] ? { column: 'side', what: 'is repeated' } : null;
    });
    const text = `${HEADER}${FIRST}${FIRST}`;
    expect(() => reader.push(new TextEncoder().encode(text))).toThrow('line 3, column 3 (side): "bid" is repeated');
  });

  it('refuses a file without a column, with one twice, and an empty file', () => {
    expect(() => read('recv_ns,price\n')).toThrow('made.csv, line 1: the header has no column side; it has');
    expect(() => read('recv_ns,side,price,id,price\n')).toThrow(
      'line 1, column 5: the header has the column price twice',
    );
    expect(() => read('')).toThrow('made.csv: the file is empty');
  });

  it('bounds the length of a row, in one piece or many', () => {
    const long = 'x'.repeat(ROW_BYTES_MAX);
    for (const pieceBytes of [Infinity, 1000]) {
      const text = `${HEADER}${FIRST}1723161254087891268,${long},bid,1,\n`;
      expect(() => read(text, COLUMNS, pieceBytes)).toThrow(
        `made.csv, line 3: the row has more than ${ROW_BYTES_MAX} bytes`,
      );
      const open = `${HEADER}${FIRST}1723161254087891268,"x,bid,1,\n${FIRST.repeat(ROW_BYTES_MAX / 16)}`;
      expect(() => read(open, COLUMNS, pieceBytes)).toThrow('made.csv, line 3: the row has more than');
    }
  });

  it('refuses bytes that are no text', () => {
    expect(() => read(Uint8Array.from({ length: 300 }, (_, index) => (index * 7) % 256))).toThrow(/^made\.csv, line 1/);
  });

  it.each([
    ['1714521600', 1_714_521_600_000],
    ['1714521600000', 1_714_521_600_000],
    ['1714521600000000', 1_714_521_600_000],
    ['2024-05-01 00:00:00.000000', 1_714_521_600_000],
    ['2024-05-01T00:00:00Z', 1_714_521_600_000],
    ['2024-05-01 00:00:00+00:00', 1_714_521_600_000],
    ['2024-02-30T00:00:00Z', null],
    ['2024-05-01T00:00:00+02:00', null],
    ['yesterday', null],
    ['', null],
    ['-5', null],
  ])('reads the time %s', (text, atMs) => {
    const columns: TableColumn[] = [
      { name: 'time', values: { kind: 'time' } },
      { name: 'x', values: { kind: 'number', min: 0, max: 10 } },
    ];
    if (atMs === null) expect(() => read(`time,x\n${text},1\n`, columns)).toThrow('line 2, column 1 (time)');
    else expect(read(`time,x\n${text},2.5e-1\n`, columns)[0]?.slice(0, 2)).toEqual([atMs, 0.25]);
  });
});
