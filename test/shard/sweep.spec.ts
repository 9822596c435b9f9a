import { expect, it } from 'vitest';
import { Sweep } from '../../src/shard/sweep.js';

function rounds(sweep: Sweep<string, number>, itemsMax: number): string[] {
  const handled: string[] = [];
  while (!sweep.isDone) {
    const items: number[] = [];
    let cause = '';
    sweep.run(itemsMax, (why, item) => {
      cause = why;
      items.push(item);
    });
    handled.push(`${cause}: ${items.join(' ')}`);
  }
  return handled;
}

it('looks at every item once, at most so many a turn, one cause after the other', () => {
  const sweep = new Sweep<string, number>();
  sweep.start('lost', [1, 2, 3, 4, 5]);
  sweep.start('back', [1, 2]);
  expect(rounds(sweep, 2)).toEqual(['lost: 1 2', 'lost: 3 4', 'lost: 5', 'back: 1 2']);
});

it('looks at those that were there when it was started', () => {
  const sweep = new Sweep<string, number>();
  const items = [1, 2];
  sweep.start('lost', items);
  items.push(3);
  expect(rounds(sweep, 10)).toEqual(['lost: 1 2']);
});

it('is done at once when there is nothing to look at', () => {
  const sweep = new Sweep<string, number>();
  sweep.start('lost', []);
  expect(sweep.isDone).toBe(true);
  expect(() => sweep.run(1, () => expect.fail('there is nothing'))).not.toThrow();
});
