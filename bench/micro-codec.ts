import type { Command } from '../src/model/command.js';
import type { CorrelationId } from '../src/model/ids.js';
import {
  decodeCommand,
  decodeEvent,
  decodeState,
  encodeCommand,
  encodeEvent,
  encodeState,
} from '../src/wire/codec/index.js';
import { repeated, type MicroGroup } from './micro-case.js';
import { CREATED, FILLED, parentOrder, WORKING } from './micro-sample.js';

/** What goes through rings and into the journal. */
export function codecCases(): MicroGroup {
  const create: Command = {
    kind: 'CreateParent',
    correlationId: 77 as CorrelationId,
    order: parentOrder(1_000_000),
  };
  // Copies, for the encoders write into memory of their own that the next call writes again.
  const [createBytes, createdBytes] = [copy(encodeCommand(create)), copy(encodeEvent(CREATED))];
  const [filledBytes, stateBytes] = [copy(encodeEvent(FILLED)), copy(encodeState(WORKING))];
  return repeated({
    'encode CreateParent': () => encodeCommand(create),
    'decode CreateParent': () => decodeCommand(createBytes),
    'encode ParentCreated': () => encodeEvent(CREATED),
    'decode ParentCreated': () => decodeEvent(createdBytes),
    'encode ChildFilled': () => encodeEvent(FILLED),
    'decode ChildFilled': () => decodeEvent(filledBytes),
    'encode state': () => encodeState(WORKING),
    'decode state': () => decodeState(stateBytes),
  });
}

function copy(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes);
}
