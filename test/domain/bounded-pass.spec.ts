import { expect, it } from 'vitest';
import { BoundedPass } from '../../src/domain/queues.js';

function rounds(sweep: BoundedPass<string, number>, itemsMax: number): string[] {
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

it('visits each item once, a bounded number a turn, one cause after the other', () => {
  const sweep = new BoundedPass<string, number>();
  sweep.start('lost', [1, 2, 3, 4, 5]);
  sweep.start('back', [1, 2]);
  expect(rounds(sweep, 2)).toEqual(['lost: 1 2', 'lost: 3 4', 'lost: 5', 'back: 1 2']);
});

it('visits the items that existed when the pass started', () => {
  const sweep = new BoundedPass<string, number>();
  const items = [1, 2];
  sweep.start('lost', items);
  items.push(3);
  expect(rounds(sweep, 10)).toEqual(['lost: 1 2']);
});

it('is done at once when there are no items', () => {
  const sweep = new BoundedPass<string, number>();
  sweep.start('lost', []);
  expect(sweep.isDone).toBe(true);
  expect(() => sweep.run(1, () => expect.fail('an item was visited'))).not.toThrow();
});
