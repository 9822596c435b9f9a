import { describe, expect, it } from 'vitest';
import { decodeEvent } from '../../../src/wire/codec/envelope.js';
import { toWirePair, toWireParentOrder } from '../../../src/wire/codec/parent-order.js';
import { sluice } from '../../../src/wire/generated/messages.js';
import { pairOf } from '../../domain/sample-pair.js';
import { PARENT } from '../../stream/sample-events.js';

const wire = sluice.v1;
const PAIRED = pairOf(PARENT, 'OKX');
if (PAIRED.pair === null) throw new Error('the sample is a pair');
const message = toWirePair(PAIRED.pair);

/** Journal bytes of an order with the given pair. */
function created(pair: sluice.v1.Pair.$Properties): Uint8Array {
  const order = { ...toWireParentOrder(PAIRED), pair };
  return wire.EventEnvelope.encode({ seq: 1, venue: wire.Venue.VENUE_BINANCE, parentCreated: { order } }).finish();
}

describe('the decoder of a pair', () => {
  it('reads a valid pair', () => {
    expect(decodeEvent(created(message)).event).toStrictEqual({ kind: 'ParentCreated', order: PAIRED });
  });

  const [leg = {}] = message.legs ?? [];
  it.each<[string, sluice.v1.Pair.$Properties, string]>([
    ['no leg', { ...message, legs: [] }, 'Pair.legs: 0, not 2'],
    ['one leg', { ...message, legs: [leg] }, 'Pair.legs: 1, not 2'],
    ['three legs', { ...message, legs: [leg, leg, leg] }, 'Pair.legs: 3, not 2'],
    ['a leading index beyond its legs', { ...message, leadingIndex: 2 }, 'Pair.leading_index: 2'],
    ['a leg with a clip without a kind', { ...message, legs: [{ ...leg, clip: {} }, leg] }, 'Clip'],
  ])('refuses a pair with %s', (_what, wrong, complaint) => {
    expect(() => decodeEvent(created(wrong))).toThrow(complaint);
  });
});
