import * as fc from 'fast-check';
import protobuf from 'protobufjs/minimal.js';
import { describe, expect, it } from 'vitest';
import type { EventEnvelope, Fill } from '../../../src/domain/event.js';
import { INTEGER_TEXT_CHARACTERS_MAX } from '../../../src/domain/limits/process.js';
import type { VenueReport } from '../../../src/domain/venue-report.js';
import { CodecError } from '../../../src/wire/codec/message.js';
import {
  decodeCommand,
  decodeShardMessage,
  encodeCommand,
  encodeShardMessage,
} from '../../../src/wire/codec/command.js';
import { decodeEvent, decodeFoldable, encodeEvent } from '../../../src/wire/codec/envelope.js';
import { decodeMarketUpdate } from '../../../src/wire/codec/market.js';
import { decodeState, encodeState } from '../../../src/wire/codec/state.js';
import { decodeVenueReport, encodeVenueReport } from '../../../src/wire/codec/venue-report.js';
import { decodeVenueRequest } from '../../../src/wire/codec/venue-request.js';
import { sluice } from '../../../src/wire/generated/messages.js';
import { parentState } from './arbitraries.js';
import { commands, envelope, envelopeOf, events, shardMessages, venueReports } from './message-arbitraries.js';
import { withTerms } from '../../domain/plain-order.js';
import { pairOf } from '../../domain/sample-pair.js';
import { PARENT } from '../../stream/sample-events.js';
import type { ParentOrder } from '../../../src/domain/order.js';
import { runs } from '../../runs.js';

const wire = sluice.v1;

const DECODERS: readonly ((bytes: Uint8Array) => unknown)[] = [
  decodeCommand,
  decodeEvent,
  decodeFoldable,
  decodeMarketUpdate,
  decodeShardMessage,
  decodeState,
  decodeVenueReport,
  decodeVenueRequest,
];

/** Damaged bytes may decode as another message. Otherwise the decoder must throw CodecError. */
function readsOrRefuses(decode: (bytes: Uint8Array) => unknown, bytes: Uint8Array): void {
  try {
    decode(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(CodecError);
  }
}

/** A view like a ring's: shared memory, not from its start. */
function shared(bytes: Uint8Array): Uint8Array {
  const view = new Uint8Array(new SharedArrayBuffer(bytes.length + 8), 8);
  view.set(bytes);
  return view;
}

const whole = fc.oneof(
  envelope.map((model) => ({ bytes: encodeEvent(model), decode: decodeEvent })),
  envelope.map((model) => ({ bytes: encodeEvent(model), decode: decodeFoldable })),
  parentState.map((model) => ({ bytes: encodeState(model), decode: decodeState })),
  fc.oneof(...Object.values(commands)).map((model) => ({ bytes: encodeCommand(model), decode: decodeCommand })),
  shardMessages.Published.map((model) => ({ bytes: encodeShardMessage(model), decode: decodeShardMessage })),
  venueReports.Funds.map((model) => ({ bytes: encodeVenueReport(model), decode: decodeVenueReport })),
);

describe('damaged bytes', () => {
  it('refuses a truncated event at every length', () => {
    fc.assert(
      fc.property(envelope, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (event, part) => {
        const bytes = encodeEvent(event);
        const truncated = bytes.subarray(0, Math.floor(bytes.length * part));
        expect(() => decodeEvent(truncated)).toThrow(CodecError);
        expect(() => decodeFoldable(truncated)).toThrow(CodecError);
      }),
      { numRuns: runs(100, 300) },
    );
  });

  it('refuses truncated bytes of any message, or reads them as another message', () => {
    fc.assert(
      fc.property(whole, fc.double({ min: 0, max: 1, noNaN: true }), ({ bytes, decode }, part) => {
        readsOrRefuses(decode, bytes.subarray(0, Math.floor(bytes.length * part)));
      }),
      { numRuns: runs(100, 300) },
    );
  });

  it('refuses a message with one changed byte, or reads it as another message', () => {
    fc.assert(
      fc.property(whole, fc.nat(), fc.integer({ min: 1, max: 255 }), ({ bytes, decode }, at, flip) => {
        const changed = Uint8Array.from(bytes);
        const index = at % bytes.length;
        changed[index] = (changed[index] ?? 0) ^ flip;
        readsOrRefuses(decode, changed);
      }),
      { numRuns: runs(150, 500) },
    );
  });

  it('refuses random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        for (const decode of DECODERS) readsOrRefuses(decode, bytes);
      }),
      { numRuns: runs(150, 500) },
    );
  });

  it('allocates nothing for a length far beyond the end', () => {
    const lengthOf2GiB = [0xff, 0xff, 0xff, 0xff, 0x07];
    for (const decode of DECODERS) {
      for (let field = 1; field <= 24; field += 1) {
        const tag = protobuf.Writer.create()
          .uint32((field << 3) | 2)
          .finish();
        expect(() => decode(Uint8Array.from([...tag, ...lengthOf2GiB]))).toThrow(CodecError);
      }
    }
  });

  it('refuses endlessly nested groups', () => {
    const startGroup1000 = protobuf.Writer.create()
      .uint32((1000 << 3) | 3)
      .finish();
    const nested = Buffer.concat(Array.from({ length: 100_000 }, () => startGroup1000));
    for (const decode of DECODERS) expect(() => decode(nested)).toThrow(CodecError);
  });

  it('refuses a sum with too many digits before it parses it', () => {
    const digits = '9'.repeat(INTEGER_TEXT_CHARACTERS_MAX + 1);
    const bytes = wire.EventEnvelope.encode({
      venue: wire.Venue.VENUE_BINANCE,
      balanceChanged: { venue: wire.Venue.VENUE_BINANCE, total: digits },
    }).finish();
    expect(() => decodeEvent(bytes)).toThrow(`BalanceChanged.total: not the text of an integer`);
  });

  it.each([1.5, 2 ** 53, Infinity, NaN])('refuses a quantity of %d', (quantity) => {
    const bytes = wire.MarketUpdate.encode({ traded: { takerSide: wire.Side.SIDE_BUY, quantity } }).finish();
    expect(() => decodeMarketUpdate(bytes)).toThrow(`TradePrint.quantity: ${quantity} is not an integer below 2^53`);
  });
});

describe('a value that cannot be encoded', () => {
  it.each([
    ['an unknown liquidity', { liquidity: 'NEITHER' }, 'liquidity "NEITHER"'],
    ['an exchange order id of 2,000 characters', { venueOrderId: 'x'.repeat(2_000) }, 'venueOrderId "xxx'],
    ['a fee of 63 digits', { fee: 10n ** 62n }, 'fee 1000'],
    ['half a lot', { quantity: 0.5 }, 'Fill.quantity: 0.5'],
    ['no price', { price: NaN }, 'Fill.price: NaN'],
  ])('makes the report of a fill unreadable: %s', (_, change, detail) => {
    const [filled] = fc.sample(venueReports.Filled, 1) as [Extract<VenueReport, { kind: 'Filled' }>];
    const { fill, account, venue, orderId, atMs } = filled;
    const garbled = { ...filled, fill: { ...fill, ...change } } as VenueReport;
    const read = decodeVenueReport(encodeVenueReport(garbled));
    expect(read).toMatchObject({ kind: 'Unreadable', account, venue, orderId, atMs });
    expect((read as Extract<VenueReport, { kind: 'Unreadable' }>).detail).toContain(detail);
  });

  it('throws in the encoder of an event', () => {
    const [event] = fc.sample(envelopeOf(events.ChildFilled), 1) as [EventEnvelope & { event: { fill: Fill } }];
    const garbled = { ...event, event: { ...event.event, fill: { ...event.event.fill, liquidity: 'NEITHER' } } };
    expect(() => encodeEvent(garbled as never)).toThrow('NEITHER is no Liquidity');
  });
});

describe('decoded messages', () => {
  it('have no view of the bytes, which may be shared memory and change later', () => {
    fc.assert(
      fc.property(shardMessages.Published, parentState, (message, state) => {
        const messageBytes = shared(encodeShardMessage(message));
        const stateBytes = shared(encodeState(state));
        const decoded = [decodeShardMessage(messageBytes), decodeState(stateBytes)];
        messageBytes.fill(0xff);
        stateBytes.fill(0xff);
        expect(decoded).toStrictEqual([message, state]);
      }),
      { numRuns: 50 },
    );
  });
});

describe('text that cannot be encoded', () => {
  const [command] = fc.sample(commands.CreateParent, { numRuns: 1, seed: 1 });
  const [created] = fc.sample(envelope, { numRuns: 1, seed: 1 });

  function creationOf(order: ParentOrder): EventEnvelope {
    return { ...created!, event: { kind: 'ParentCreated', order } };
  }

  it.each(['clientOrderId', 'subaccount', 'symbol', 'requestEcho'] as const)(
    'is refused in %s for half of a surrogate pair',
    (field) => {
      const order = withTerms(command!.order, { [field]: 'half \ud83d' });
      expect(() => encodeEvent(creationOf(order))).toThrow('holds half of a surrogate pair');
      const paired = withTerms(command!.order, { [field]: 'whole \ud83d\ude00' });
      expect(decodeEvent(encodeEvent(creationOf(paired)))).toMatchObject({ event: { order: paired } });
    },
  );

  it('is refused in each leg of a pair and in its own echo', () => {
    const order = pairOf(PARENT, 'OKX');
    const [first, second] = order.legs;
    const broken: readonly Partial<ParentOrder>[] = [
      { legs: [{ ...first, symbol: 'half \ud83d' }, second!] },
      { legs: [first, { ...second!, requestEcho: 'half \ud83d' }] },
      { pair: { ...order.pair!, requestEcho: 'half \ud83d' } },
    ];
    for (const change of broken) {
      expect(() => encodeEvent(creationOf({ ...order, ...change }))).toThrow('holds half of a surrogate pair');
    }
  });

  it('leaves no bytes in the next message after an encoder error', () => {
    const broken = { ...command!.order, account: { length: 3 } as never };
    expect(() => encodeCommand({ ...command!, order: broken })).toThrow(TypeError);
    expect(decodeCommand(encodeCommand(command!))).toStrictEqual(command);
  });
});
