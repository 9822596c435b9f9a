import { describe, expect, it } from 'vitest';
import { decodeEvent } from '../../../src/wire/codec/envelope.js';
import { toWireParentOrder } from '../../../src/wire/codec/parent-order.js';
import { sluice } from '../../../src/wire/generated/messages.js';
import { pairOf } from '../../domain/sample-pair.js';
import { PARENT } from '../../stream/sample-events.js';

const wire = sluice.v1;
const PAIRED = pairOf(PARENT, 'OKX');
const message = toWireParentOrder(PAIRED);

/** Journal bytes of the pair with changed members. */
function created(change: sluice.v1.ParentOrder.$Properties): Uint8Array {
  const order = { ...message, ...change };
  return wire.EventEnvelope.encode({ seq: 1, venue: wire.Venue.VENUE_BINANCE, parentCreated: { order } }).finish();
}

describe('the decoder of a pair', () => {
  it('reads a valid pair', () => {
    expect(decodeEvent(created({})).event).toStrictEqual({ kind: 'ParentCreated', order: PAIRED });
  });

  const [leg = {}] = message.legs ?? [];
  it.each<[string, sluice.v1.ParentOrder.$Properties, string]>([
    ['no leg', { legs: [] }, 'ParentOrder.legs: 0'],
    ['one leg', { legs: [leg] }, 'ParentOrder.pair: present with legs: 1'],
    ['three legs', { legs: [leg, leg, leg] }, 'ParentOrder.legs: 3'],
    ['two legs without terms that bind them', { pair: null }, 'ParentOrder.pair: absent with legs: 2'],
    ['a leading index beyond its legs', { pair: { ...message.pair, leadingIndex: 2 } }, 'Pair.leading_index: 2'],
    ['a leg with a clip without a kind', { legs: [{ ...leg, clip: {} }, leg] }, 'Clip'],
  ])('refuses a pair with %s', (_what, wrong, complaint) => {
    expect(() => decodeEvent(created(wrong))).toThrow(complaint);
  });
});
