import { describe, expect, it } from 'vitest';
import { decodeEvent } from '../../src/wire/codec/index.js';
import { toWirePair } from '../../src/wire/codec/pair.js';
import { sluice } from '../../src/wire/generated/messages.js';
import { toWireParentOrder } from '../../src/wire/codec/parent-order.js';
import { pairOf } from '../model/sample-pair.js';
import { PARENT } from '../stream/sample-events.js';

const wire = sluice.v1;
const PAIRED = pairOf(PARENT, 'OKX');
if (PAIRED.pair === null) throw new Error('the sample is a pair');
const message = toWirePair(PAIRED.pair);

/** The journal's bytes of an order with such a pair. */
function created(pair: sluice.v1.Pair.$Properties): Uint8Array {
  const order = { ...toWireParentOrder(PAIRED), pair };
  return wire.EventEnvelope.encode({ seq: 1, venue: wire.Venue.VENUE_BINANCE, parentCreated: { order } }).finish();
}

describe('a pair that is none', () => {
  it('is told from one that is', () => {
    expect(decodeEvent(created(message)).event).toStrictEqual({ kind: 'ParentCreated', order: PAIRED });
  });

  const [leg = {}] = message.legs ?? [];
  it.each<[string, sluice.v1.Pair.$Properties, string]>([
    ['no leg', { ...message, legs: [] }, 'Pair.legs: 0, not 2'],
    ['one leg', { ...message, legs: [leg] }, 'Pair.legs: 1, not 2'],
    ['three legs', { ...message, legs: [leg, leg, leg] }, 'Pair.legs: 3, not 2'],
    ['a leader that is no leg', { ...message, leadingIndex: 2 }, 'Pair.leading_index: 2'],
    ['a leg whose clip is of no kind', { ...message, legs: [{ ...leg, clip: {} }, leg] }, 'Clip'],
  ])('%s is refused', (_what, wrong, complaint) => {
    expect(() => decodeEvent(created(wrong))).toThrow(complaint);
  });
});
