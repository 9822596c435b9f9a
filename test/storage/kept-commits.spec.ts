import { describe, expect, it } from 'vitest';
import { checkedEnvironment, numberIn, rowOf } from './checked-environment.js';

describe('a checked transaction', () => {
  it('runs its work once, returns its result, and writes nothing when it throws', () => {
    const { table } = checkedEnvironment(false);
    let runs = 0;
    expect(table.transactionSync(() => (runs += 1))).toBe(1);
    const failing = (): void =>
      table.transactionSync(() => {
        table.putSync('a', rowOf(1));
        throw new Error('no');
      });
    expect(failing).toThrow('no');
    expect([runs, table.get('a')]).toEqual([1, undefined]);
    table.putSync('a', rowOf(2));
    expect(numberIn(table, 'a')).toBe(2);
  });

  it('may write with the calls that wait for the disk', async () => {
    const { table } = checkedEnvironment(false);
    const written = table.transaction(() => {
      void table.put('a', rowOf(1));
      return 'done';
    });
    expect(await written).toBe('done');
    expect(numberIn(table, 'a')).toBe(1);
    expect(await table.put('b', rowOf(2))).toBe(true);
    expect(await table.remove('a')).toBe(true);
    expect([numberIn(table, 'a'), numberIn(table, 'b')]).toEqual([0, 2]);
  });
});
