import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import type { FeedFrame } from '../../src/journal/port.js';
import { FEED_REORDER_FRAMES_MAX } from '../../src/domain/limits/clients.js';
import { FeedSequencer } from '../../src/stream/feed.js';
import { ACCEPTED } from './sample-events.js';

function started(last: number): { sequencer: FeedSequencer; delivered: number[] } {
  const delivered: number[] = [];
  return { sequencer: new FeedSequencer(last, (n) => delivered.push(n)), delivered };
}

function frames(from: number, to: number): FeedFrame[] {
  return Array.from({ length: to - from + 1 }, (_, k) => ({ n: from + k, envelope: ACCEPTED }));
}

describe('FeedSequencer', () => {
  it('delivers frames in order at once', () => {
    const { sequencer, delivered } = started(6);
    expect(sequencer.offer(7, ACCEPTED)).toBe('delivered');
    expect(sequencer.offer(8, ACCEPTED)).toBe('delivered');
    expect(delivered).toEqual([7, 8]);
  });

  it('holds a frame until the frame before it has come', () => {
    const { sequencer, delivered } = started(0);
    expect(sequencer.offer(2, ACCEPTED)).toBe('held');
    expect(sequencer.offer(3, ACCEPTED)).toBe('held');
    expect(sequencer.hasGap).toBe(true);
    expect(sequencer.offer(1, ACCEPTED)).toBe('delivered');
    expect(delivered).toEqual([1, 2, 3]);
    expect(sequencer.hasGap).toBe(false);
  });

  it('recognizes a frame that it has delivered', () => {
    const { sequencer, delivered } = started(5);
    expect(sequencer.offer(5, ACCEPTED)).toBe('known');
    sequencer.offer(6, ACCEPTED);
    expect(sequencer.offer(6, ACCEPTED)).toBe('known');
    expect(delivered).toEqual([6]);
  });

  it('holds a bounded number of frames and reports when the journal must be read', () => {
    const { sequencer, delivered } = started(0);
    for (let n = 2; n < FEED_REORDER_FRAMES_MAX + 2; n += 1) expect(sequencer.offer(n, ACCEPTED)).toBe('held');
    expect(sequencer.offer(FEED_REORDER_FRAMES_MAX + 2, ACCEPTED)).toBe('full');
    sequencer.fill(frames(1, FEED_REORDER_FRAMES_MAX + 2));
    expect(delivered).toEqual(frames(1, FEED_REORDER_FRAMES_MAX + 2).map(({ n }) => n));
    expect(sequencer.hasGap).toBe(false);
  });

  it('reports when the journal no longer has the next frame', () => {
    const { sequencer, delivered } = started(3);
    expect(sequencer.fill(frames(6, 7))).toBe(false);
    sequencer.skipTo(5);
    expect(sequencer.fill(frames(6, 7))).toBe(true);
    expect(delivered).toEqual([6, 7]);
  });

  it('delivers each frame once and in order for any reordering, repetition or read of the journal', () => {
    const step = fc.oneof(
      fc.record({ offer: fc.nat({ max: 40 }) }),
      fc.record({ read: fc.nat({ max: 40 }), length: fc.nat({ max: 10 }) }),
    );
    fc.assert(
      fc.property(fc.nat({ max: 5 }), fc.array(step, { maxLength: 120 }), (head, steps) => {
        const { sequencer, delivered } = started(head);
        for (const taken of steps) {
          if ('offer' in taken) sequencer.offer(taken.offer, ACCEPTED);
          else sequencer.fill(frames(taken.read, taken.read + taken.length));
        }
        expect(delivered).toEqual(frames(head + 1, head + delivered.length).map(({ n }) => n));
        expect(sequencer.last).toBe(head + delivered.length);
      }),
    );
  });
});
