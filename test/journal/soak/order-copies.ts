import type { AccountId, OrderId } from '../../../src/domain/ids.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { encodeUnnumberedEvent } from '../../../src/wire/codec/envelope.js';
import { RingConsumer, RingProducer } from '../../../src/wire/ring.js';
import type { ProducerMemory } from '../../../src/journal/shared-journal.js';
import { TurnWriter, unnumberedMarks, type UnnumberedMark } from '../../../src/journal/turn/turn-record.js';
import { ScriptedOrders } from '../scripted-orders.js';

const ACCOUNT = 'demo' as AccountId;
const NUMBER_BYTES = 8;
/** Numbers that no other field of an order has. */
const SAMPLE_ID = 7_777_777_777_771;
const SAMPLE_MS = 1_789_789_789_789;
const SAMPLE_CLIENT_ID = 'c-000000000000000';
/** From the creation of an order to its end time. */
const LIFE_MS = 60_000;

type Kind = 'filled' | 'cancelled';

interface CopiedEvent {
  readonly payload: Buffer;
  readonly marks: readonly UnnumberedMark[];
  /** Offsets of the fields that differ between orders. */
  readonly ids: readonly number[];
  readonly times: readonly number[];
  readonly ends: readonly number[];
  readonly clientIds: readonly number[];
}

/**
 * Writes whole orders into the ring of a producer as copies of the encoded events of one order, with their own ids and
 * times. So a run of millions of orders spends its time in the journal and not in making events.
 */
export class OrderCopies {
  readonly #appends: RingProducer;
  readonly #places: RingConsumer;
  readonly #writer: TurnWriter;
  readonly #makeRoom: () => void;
  readonly #events: Readonly<Record<Kind, readonly CopiedEvent[]>> = {
    filled: sampleOf('filled'),
    cancelled: sampleOf('cancelled'),
  };

  /** `makeRoom`: lets the journal thread read the ring. */
  constructor({ appends, places }: ProducerMemory, makeRoom: () => void) {
    this.#appends = new RingProducer(appends);
    this.#places = new RingConsumer(places);
    this.#writer = new TurnWriter(this.#appends.capacityBytes, (record) => this.#send(record));
    this.#makeRoom = makeRoom;
  }

  add(kind: Kind, orderId: OrderId, nowMs: EpochMs): void {
    const clientId = `c-${String(orderId).padStart(SAMPLE_CLIENT_ID.length - 2, '0')}`;
    for (const { payload, marks, ids, times, ends, clientIds } of this.#events[kind]) {
      for (const at of ids) payload.writeDoubleLE(orderId, at);
      for (const at of times) payload.writeDoubleLE(nowMs, at);
      for (const at of ends) payload.writeDoubleLE(nowMs + LIFE_MS, at);
      for (const at of clientIds) payload.write(clientId, at, 'latin1');
      this.#writer.add(payload, ACCOUNT, marks);
    }
  }

  /** Ends the turn. */
  end(): void {
    this.#writer.end(true);
    this.#places.drain(Infinity, () => undefined);
  }

  #send(record: Uint8Array): void {
    while (this.#appends.tryWrite(record) !== 'written') {
      this.#makeRoom();
      this.#places.drain(Infinity, () => undefined);
    }
  }
}

function sampleOf(kind: Kind): readonly CopiedEvent[] {
  const orders = new ScriptedOrders(SAMPLE_ID);
  orders.nowMs = SAMPLE_MS as EpochMs;
  if (kind === 'filled') orders.completeOrder(ACCOUNT, SAMPLE_CLIENT_ID);
  else orders.cancel(orders.create(ACCOUNT, SAMPLE_CLIENT_ID));
  return orders.take().events.map((event) => {
    const payload = Buffer.from(encodeUnnumberedEvent(event));
    return {
      payload,
      marks: unnumberedMarks(event),
      ids: offsetsOf(payload, numberBytes(SAMPLE_ID)),
      times: offsetsOf(payload, numberBytes(SAMPLE_MS)),
      ends: offsetsOf(payload, numberBytes(SAMPLE_MS + LIFE_MS)),
      clientIds: offsetsOf(payload, Buffer.from(SAMPLE_CLIENT_ID)),
    };
  });
}

function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(NUMBER_BYTES);
  bytes.writeDoubleLE(value);
  return bytes;
}

function offsetsOf(payload: Buffer, wanted: Buffer): number[] {
  const offsets: number[] = [];
  for (let at = payload.indexOf(wanted); at !== -1; at = payload.indexOf(wanted, at + 1)) offsets.push(at);
  return offsets;
}
