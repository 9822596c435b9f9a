import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeCommand,
  decodeShardMessage,
  encodeCommand,
  encodeCreate,
  encodePublished,
  encodeShardMessage,
} from '../../../src/wire/codec/command.js';
import type { CorrelationId, Seq } from '../../../src/domain/ids.js';
import { orderInCreate, orderInEvent, orderInState } from '../../../src/wire/codec/encoded-order.js';
import {
  decodeEvent,
  decodeFoldable,
  encodeEvent,
  encodeUnnumberedEvent,
  numberEncodedEvent,
} from '../../../src/wire/codec/envelope.js';
import { decodeMarketUpdate, encodeMarketUpdate } from '../../../src/wire/codec/market.js';
import { decodeState, encodeState } from '../../../src/wire/codec/state.js';
import { decodeVenueReport, encodeVenueReport } from '../../../src/wire/codec/venue-report.js';
import { decodeVenueRequest, encodeVenueRequest } from '../../../src/wire/codec/venue-request.js';
import { feedMark, liveChildren, parentState } from './arbitraries.js';
import {
  commands,
  envelope,
  envelopeOf,
  events,
  marketUpdates,
  queriedState,
  shardMessages,
  venueReports,
  venueRequests,
} from './message-arbitraries.js';
import { runs } from '../../runs.js';

/** Checks that decoding returns the encoded model, and that encoding it again gives the same bytes. */
function survives<Model>(
  models: Arbitrary<Model>,
  encode: (model: Model) => Uint8Array,
  decode: (bytes: Uint8Array) => unknown,
): void {
  fc.assert(
    fc.property(models, (model) => {
      const bytes = encode(model);
      const decoded = decode(bytes);
      expect(decoded).toStrictEqual(model);
      expect(Buffer.compare(encode(decoded as Model), bytes)).toBe(0);
    }),
    { numRuns: runs(20, 60) },
  );
}

describe('a round trip preserves', () => {
  it.each(Object.entries(commands))('command %s', (_, arbitrary) => {
    survives(arbitrary, encodeCommand, decodeCommand);
  });
  it.each(Object.entries(events))('event %s', (_, arbitrary) => {
    survives(envelopeOf(arbitrary), encodeEvent, decodeEvent);
  });
  it.each(Object.entries(shardMessages))('shard message %s', (_, arbitrary) => {
    survives(arbitrary, encodeShardMessage, decodeShardMessage);
  });
  it.each(Object.entries(venueRequests))('venue request %s', (_, arbitrary) => {
    survives(arbitrary, encodeVenueRequest, decodeVenueRequest);
  });
  it.each(Object.entries(venueReports))('venue report %s', (_, arbitrary) => {
    survives(arbitrary, encodeVenueReport, decodeVenueReport);
  });
  it.each(Object.entries(marketUpdates))('market update %s', (_, arbitrary) => {
    survives(arbitrary, encodeMarketUpdate, decodeMarketUpdate);
  });
  it('a status answer of every state', () => {
    const reports = fc
      .tuple(venueReports.StatusAnswered, queriedState)
      .map(([report, answer]) => ({ ...report, answer }));
    survives(reports, encodeVenueReport, decodeVenueReport);
  });
  it('a state', () => {
    survives(parentState, encodeState, decodeState);
  });
  it.each(Object.entries(liveChildren))('a state with a child %s', (_, arbitrary) => {
    const states = fc.tuple(parentState, arbitrary).map(([state, child]) => ({
      ...state,
      legs: [{ ...state.legs[0], children: [child] }] as const,
    }));
    survives(states, encodeState, decodeState);
  });
});

describe('An event for a fold', () => {
  it.each(Object.entries(events))('%s has everything but its snapshots, whatever is decoded later', (_, arbitrary) => {
    fc.assert(
      fc.property(envelopeOf(arbitrary), envelope, (event, later) => {
        const folded = decodeFoldable(encodeEvent(event));
        decodeFoldable(encodeEvent(later));
        expect(folded).toStrictEqual({ ...event, parent: null, child: null });
      }),
      { numRuns: runs(20, 60) },
    );
  });
});

describe('A create', () => {
  it('has the same bytes when its order is taken from the bytes of its event', () => {
    fc.assert(
      fc.property(envelopeOf(events.ParentCreated), (created) => {
        const { event, correlationId, seq } = created;
        if (event.kind !== 'ParentCreated') throw new Error('only creations are made here');
        const command = { kind: 'CreateParent', correlationId, order: event.order, seq } as const;
        expect(Buffer.from(encodeCreate(created, encodeEvent(created)))).toEqual(Buffer.from(encodeCommand(command)));
      }),
      { numRuns: runs(50, 200) },
    );
  });

  it('is refused for bytes without a creation', () => {
    fc.assert(
      fc.property(envelopeOf(events.ParentAccepted), (accepted) => {
        expect(() => encodeCreate(accepted, encodeEvent(accepted))).toThrow('EventEnvelope.parent_created: absent');
      }),
      { numRuns: 20 },
    );
  });
});

describe('An encoded order', () => {
  it('is the same in an event, a command and a state, and makes the same bytes of a state', () => {
    fc.assert(
      fc.property(envelopeOf(events.ParentCreated), parentState, (created, other) => {
        if (created.event.kind !== 'ParentCreated') throw new Error('the arbitrary makes creations');
        const state = { ...other, order: created.event.order };
        const whole = encodeState(state);
        const { correlationId, seq } = created;
        const inEvent = orderInEvent(encodeEvent(created));
        const command = { kind: 'CreateParent', correlationId, order: state.order, seq } as const;
        expectSameBytes(orderInCreate(encodeCommand(command)), inEvent);
        expectSameBytes(orderInCreate(encodeCreate(created, encodeEvent(created))), inEvent);
        expectSameBytes(orderInState(whole), inEvent);
        expectSameBytes(encodeState(state, inEvent), whole);
        expectSameBytes(encodeState(state, orderInState(whole)), whole);
      }),
      { numRuns: runs(60, 300) },
    );
  });

  it('is refused in bytes without an order', () => {
    expect(() => orderInCreate(encodeCommand({ kind: 'StopShard', correlationId: 0 as CorrelationId }))).toThrow(
      'Command.create_parent: absent',
    );
    expect(() => orderInState(new Uint8Array(0))).toThrow('ParentState.order: absent');
  });
});

describe('An event without a number', () => {
  it('gets the bytes of the numbered event, with a causation of the same turn or an earlier one', () => {
    fc.assert(
      fc.property(envelope, fc.nat({ max: 5 }), fc.boolean(), (event, back, isEarlier) => {
        const seq = (event.seq + 10) as Seq;
        const causationSeq = isEarlier ? event.causationSeq : -back;
        const bytes = encodeUnnumberedEvent({ ...event, causationSeq });
        numberEncodedEvent(bytes, 0, seq);
        const cause = causationSeq < 0 ? seq + causationSeq : causationSeq;
        expect(Buffer.from(bytes)).toEqual(Buffer.from(encodeEvent({ ...event, seq, causationSeq: cause })));
      }),
      { numRuns: runs(50, 200) },
    );
  });
});

describe('Published', () => {
  it("contains the journal's bytes unchanged", () => {
    fc.assert(
      fc.property(envelope, fc.array(feedMark, { maxLength: 4 }), (event, marks) => {
        const journalled = encodeEvent(event);
        const published = Buffer.from(encodePublished(event, journalled, marks));
        expect(published.includes(Buffer.from(journalled))).toBe(true);
        expect(decodeShardMessage(published)).toStrictEqual({
          kind: 'Published',
          correlationId: event.correlationId,
          account: event.account,
          marks,
          envelope: event,
        });
      }),
      { numRuns: 60 },
    );
  });
});

function expectSameBytes(bytes: Uint8Array, expected: Uint8Array): void {
  expect(Buffer.compare(Buffer.from(bytes), Buffer.from(expected))).toBe(0);
}
