import { describe, expect, it } from 'vitest';
import { DataFormat, type FormatStep, PRESENT_FORMAT, type StoredRow } from '../../src/storage/format/format-steps.js';

function row(table: string, value: string): StoredRow {
  return { table, key: Buffer.from('key'), value: Buffer.from(value) };
}

/** Appends a letter to entries. */
function appending(letter: string): FormatStep {
  return { entry: (payload) => Buffer.concat([payload, Buffer.from(letter)]) };
}

const textOf = ({ table, value }: StoredRow): string => `${table} ${value.toString()}`;

describe('a format of stored data', () => {
  it('has the number of its steps plus 1', () => {
    expect(new DataFormat([]).number).toBe(1);
    expect(new DataFormat([{}, {}]).number).toBe(3);
  });

  it('lifts an entry by the steps after the format of its segment, in order', () => {
    const format = new DataFormat([appending('b'), {}, appending('d')]);
    const lifted = [1, 2, 3, 4].map((from) => Buffer.from(format.liftEntry(from, Buffer.from('a'))).toString());
    expect(lifted).toEqual(['abd', 'ad', 'ad', 'a']);
  });

  it('replaces a row by the rows of each step', () => {
    const twice: FormatStep = { rows: { state: (one) => [one, { ...one, table: 'index' }] } };
    const none: FormatStep = { rows: { state: (one) => (one.table === 'old' ? [] : [one]) } };
    const format = new DataFormat([twice, none]);
    expect(format.liftRow('state', 1, row('orders', 'x')).map(textOf)).toEqual(['orders x', 'index x']);
    expect(format.liftRow('state', 1, row('old', 'x')).map(textOf)).toEqual(['index x']);
    expect(format.liftRow('venue', 1, row('old', 'x')).map(textOf)).toEqual(['old x']);
  });

  it('lifts the entries among the rows of the state by the step for an entry', () => {
    const format = new DataFormat([appending('b')]);
    expect(format.liftRow('state', 1, row('carried', 'a')).map(textOf)).toEqual(['carried ab']);
    expect(format.liftRow('state', 1, row('orders', 'a')).map(textOf)).toEqual(['orders a']);
    const both = new DataFormat([{ ...appending('b'), rows: { state: (one) => [{ ...one, table: 'new' }] } }]);
    expect(both.liftRow('state', 1, row('carried', 'a')).map(textOf)).toEqual(['carried ab']);
    expect(both.liftRow('state', 1, row('orders', 'a')).map(textOf)).toEqual(['new a']);
  });

  it('says which stores must be copied', () => {
    const venue: FormatStep = { rows: { venue: (one) => [one] } };
    const format = new DataFormat([appending('b'), venue]);
    const changed = (from: number) =>
      (['identity', 'state', 'venue'] as const).map((store) => format.changesRows(store, from));
    expect(changed(1)).toEqual([false, true, true]);
    expect(changed(2)).toEqual([false, false, true]);
    expect(changed(3)).toEqual([false, false, false]);
  });

  it('refuses a later format and a number that is none', () => {
    for (const from of [PRESENT_FORMAT.number + 1, 0, 1.5, NaN]) {
      expect(() => PRESENT_FORMAT.liftEntry(from, Buffer.from('a'))).toThrow('this release reads formats 1 to');
    }
  });
});
