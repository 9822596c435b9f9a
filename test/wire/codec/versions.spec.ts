import * as fc from 'fast-check';
import protobuf from 'protobufjs/minimal.js';
import { describe, expect, it } from 'vitest';
import { EXCHANGE_IDS, VENUES } from '../../../src/domain/exchange.js';
import { decodeCommand, decodeShardMessage, encodeCommand } from '../../../src/wire/codec/command.js';
import { decodeEvent, encodeEvent } from '../../../src/wire/codec/envelope.js';
import { decodeMarketUpdate } from '../../../src/wire/codec/market.js';
import { decodeState, encodeState } from '../../../src/wire/codec/state.js';
import { decodeVenueReport } from '../../../src/wire/codec/venue-report.js';
import { decodeVenueRequest } from '../../../src/wire/codec/venue-request.js';
import { toWireParentOrder } from '../../../src/wire/codec/parent-order.js';
import { sluice } from '../../../src/wire/generated/messages.js';
import { UNPARAMETERED, UNPARAMETERED_LEG } from '../../domain/plain-order.js';
import { parentState } from './arbitraries.js';
import { commands, envelope } from './message-arbitraries.js';

const wire = sluice.v1;
const { Writer } = protobuf;
const LENGTH_DELIMITED = 2;

/** Appends fields of every wire type, with numbers that this version does not use. */
function withNewerFields(bytes: Uint8Array): Uint8Array {
  const newer = Writer.create();
  newer.uint32(1000 << 3).uint32(7);
  newer.uint32((1001 << 3) | 1).double(1.5);
  newer.uint32((1002 << 3) | LENGTH_DELIMITED).string('from the future');
  newer.uint32((1003 << 3) | 5).fixed32(9);
  return Buffer.concat([bytes, newer.finish()]);
}

/** The bytes of a message with another message in the given field. */
function holding(field: number, bytes: Uint8Array): Uint8Array {
  return Writer.create()
    .uint32((field << 3) | LENGTH_DELIMITED)
    .bytes(bytes)
    .finish();
}

describe('a message of a newer version', () => {
  it('has its unknown fields skipped', () => {
    fc.assert(
      fc.property(commands.CreateParent, envelope, parentState, (command, event, state) => {
        expect(decodeCommand(withNewerFields(encodeCommand(command)))).toStrictEqual(command);
        expect(decodeEvent(withNewerFields(encodeEvent(event)))).toStrictEqual(event);
        expect(decodeState(withNewerFields(encodeState(state)))).toStrictEqual(state);
      }),
      { numRuns: 50 },
    );
  });

  it('has the unknown fields of a nested order skipped', () => {
    fc.assert(
      fc.property(commands.CreateParent, (command) => {
        const order = wire.ParentOrder.encode(toWireParentOrder(command.order)).finish();
        const head = wire.Command.encode({ correlationId: command.correlationId }).finish();
        const bytes = Buffer.concat([head, holding(10, holding(1, withNewerFields(order)))]);
        expect(decodeCommand(bytes)).toStrictEqual({ ...command, seq: 0 });
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['Command', decodeCommand, wire.Command.encode({ correlationId: 1 }).finish()],
    ['EventEnvelope', decodeEvent, wire.EventEnvelope.encode({ seq: 1, venue: wire.Venue.VENUE_BINANCE }).finish()],
    ['ShardMessage', decodeShardMessage, new Uint8Array()],
    ['VenueRequest', decodeVenueRequest, wire.VenueRequest.encode({ venue: wire.Venue.VENUE_BINANCE }).finish()],
    ['MarketUpdate', decodeMarketUpdate, new Uint8Array()],
    ['VenueReport', decodeVenueReport, wire.VenueReport.encode({ venue: wire.Venue.VENUE_BINANCE }).finish()],
  ])('is refused when %s has an unknown kind', (name, decode, head) => {
    const message = `${name}.kind: absent, or a kind this version does not know`;
    expect(() => decode(Buffer.concat([head, holding(999, new Uint8Array(4))]))).toThrow(
      expect.objectContaining({ name: 'CodecError', message }),
    );
  });

  it('is refused with field and value for an unknown enum value', () => {
    const print = Uint8Array.from([4 << 3, 77]);
    expect(() => decodeMarketUpdate(holding(1, print))).toThrow(
      'TradePrint.taker_side: 77 is no Side this version knows',
    );
  });
});

describe('a message of an older version', () => {
  const leg = {
    venue: wire.Venue.VENUE_OKX,
    assetCategory: wire.AssetCategory.ASSET_CATEGORY_SPOT,
    side: wire.Side.SIDE_SELL,
    strategy: wire.Strategy.STRATEGY_TWAP,
    clip: { automatic: true },
  };
  const order = { orderId: 7, legs: [leg] };

  it('gets the documented defaults for absent fields of an order', () => {
    const bytes = wire.Command.encode({ correlationId: 3, createParent: { order } }).finish();
    expect(decodeCommand(bytes)).toStrictEqual({
      kind: 'CreateParent',
      correlationId: 3,
      seq: 0,
      order: {
        ...UNPARAMETERED,
        orderId: 7,
        account: '',
        clientOrderId: null,
        subaccount: null,
        legs: [
          {
            ...UNPARAMETERED_LEG,
            venue: 'OKX',
            instrument: 0,
            symbol: '',
            assetCategory: 'SPOT',
            side: 'SELL',
            quantity: 0,
            strategy: 'TWAP',
            limitPrice: null,
            durationMs: null,
            clip: { type: 'AUTOMATIC' },
            style: 'HYBRID',
            urgency: 'MEDIUM',
            requestEcho: '',
            quantityPrecision: 0,
            pricePrecision: 0,
            quantityStep: 1,
            priceStep: 1,
          },
        ],
        createdAtMs: 0,
        startAtMs: 0,
        endAtMs: null,
        requestDigest: '',
      },
    });
  });

  it('gets the documented defaults for absent fields of a state', () => {
    const bytes = wire.ParentState.encode({
      order,
      status: wire.OrderStatus.ORDER_STATUS_ACCEPTED,
      legs: [{}],
    }).finish();
    expect(decodeState(bytes)).toMatchObject({
      status: 'ACCEPTED',
      legs: [
        {
          progress: { filled: 0, notional: 0n },
          fees: [],
          arrivalTwiceMid: null,
          children: [],
          lastRefusal: null,
          memory: null,
        },
      ],
      startedAtMs: null,
      endedAtMs: null,
      outcome: null,
      lateFills: 0,
      cancelCause: null,
    });
  });

  it.each([
    ['ParentCancelRequested', { parentCancelRequested: {} }, { cancelCause: null }],
    ['ParentCancelled', { parentCancelled: {} }, { cause: null, cancelCause: null }],
    ['ParentReleased', { parentReleased: {} }, { cancelCause: null }],
  ] as const)('has no cause of a cancel: %s', (kind, message, members) => {
    const parent = { status: wire.OrderStatus.ORDER_STATUS_PENDING_CANCEL, legs: [{}] };
    const bytes = wire.EventEnvelope.encode({ seq: 1, venue: wire.Venue.VENUE_OKX, parent, ...message }).finish();
    expect(decodeEvent(bytes)).toMatchObject({ event: { kind, ...members }, parent: { cancelCause: null } });
  });

  it('reads an empty candle as zeros', () => {
    const change = { interval: wire.CandleInterval.CANDLE_INTERVAL_ONE_MINUTE, candle: {} };
    expect(decodeMarketUpdate(wire.MarketUpdate.encode({ candleChanged: change }).finish())).toStrictEqual({
      kind: 'CandleChanged',
      instrument: 0,
      interval: 'ONE_MINUTE',
      candle: { openAtMs: 0, open: 0, high: 0, low: 0, close: 0, volume: 0 },
      isClosed: false,
    });
  });

  it('is refused with the field name when a field without a default is absent', () => {
    const ofLeg = (change: sluice.v1.Leg.$Properties): Uint8Array =>
      wire.Command.encode({ createParent: { order: { ...order, legs: [{ ...leg, ...change }] } } }).finish();
    const noClip = ofLeg({ clip: {} });
    const noSide = ofLeg({ side: wire.Side.SIDE_UNSPECIFIED });
    const noLeg = wire.Command.encode({ createParent: { order: { orderId: 7 } } }).finish();
    const noOrder = wire.Command.encode({ createParent: {} }).finish();
    expect(() => decodeCommand(noClip)).toThrow('Clip.kind: absent');
    expect(() => decodeCommand(noSide)).toThrow('Leg.side: 0 is no Side');
    expect(() => decodeCommand(noLeg)).toThrow('ParentOrder.legs: 0, not 1 or 2');
    expect(() => decodeCommand(noOrder)).toThrow('CreateParent.order: absent');
  });
});

describe('the schema', () => {
  it('numbers venues by their public ids', () => {
    for (const venue of VENUES) expect(wire.Venue[`VENUE_${venue}`]).toBe(EXCHANGE_IDS[venue]);
  });
});
