import * as fc from 'fast-check';
import type { AnyEvent } from '../../../src/domain/event.js';
import { decodeEvent, encodeEvent } from '../../../src/wire/codec/envelope.js';
import { decodeState, encodeState } from '../../../src/wire/codec/state.js';
import { textOf } from '../../journal/format/aged-data.js';
import { parentState } from '../../wire/codec/arbitraries.js';
import { envelopeOf, events } from '../../wire/codec/message-arbitraries.js';

const SAMPLE = { seed: 1, numRuns: 40 };
const BYTES_MAX = 1_200;
const STATES_COUNT = 6;

/** Stored bytes in hexadecimal, and the text of their model. */
export interface SampleMessage {
  readonly bytes: string;
  readonly text: string;
}

/** One journal entry of each kind of event, and a few states. */
export interface SampleMessages {
  readonly entries: Readonly<Record<string, SampleMessage>>;
  readonly states: readonly SampleMessage[];
}

export const EVENT_KINDS = Object.keys(events) as AnyEvent['kind'][];

export function makeMessages(): SampleMessages {
  const entries = EVENT_KINDS.map((kind) => {
    const arbitrary = envelopeOf(events[kind] as fc.Arbitrary<AnyEvent>);
    const samples = fc.sample(arbitrary, SAMPLE).map((envelope) => encodeEvent(envelope));
    return [kind, entryOf(largest(samples)[0]!)] as const;
  });
  const states = fc.sample(parentState, SAMPLE).map((state) => encodeState(state));
  return {
    entries: Object.fromEntries(entries),
    states: largest(states).slice(0, STATES_COUNT).map(stateOf),
  };
}

/** The bytes that this release writes for what it reads in the bytes. */
export function entryOf(bytes: Uint8Array): SampleMessage {
  const envelope = decodeEvent(bytes);
  return { bytes: hex(encodeEvent(envelope)), text: textOf(envelope) };
}

export function stateOf(bytes: Uint8Array): SampleMessage {
  const state = decodeState(bytes);
  return { bytes: hex(encodeState(state)), text: textOf(state) };
}

/** Samples with most bytes first, up to a bound that keeps the file small. */
function largest(samples: readonly Uint8Array[]): Uint8Array[] {
  const sorted = samples.toSorted((one, other) => other.length - one.length);
  const small = sorted.filter(({ length }) => length <= BYTES_MAX);
  return small.length > 0 ? small : sorted.slice(-1);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
