import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { faultySource, MUTATIONS } from './list.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

describe('The list of planted faults', () => {
  it.each(MUTATIONS)('matches the present code: $name', (mutation) => {
    expect(faultySource(ROOT, mutation)).not.toBe('');
  });

  it('rejects a fault whose text is not in the code', () => {
    const stale = { name: 'stale', file: 'src/order/decide.ts', before: 'no such text', after: '' };
    expect(() => faultySource(ROOT, stale)).toThrow('occurs 0 times in src/order/decide.ts');
  });
});
