import { hash } from 'node:crypto';
import type { Instrument } from '../../domain/instrument.js';
import type { Grid } from '../../domain/quantity.js';
import type { Field, Slot } from '../field/field-slot.js';
import type { Parts } from './composite-values.js';
import { valueText } from '../field/field-value.js';

/*
 * Writes typed values back as the fields of a request, as canonical JSON: fields in the order of their table, decimals
 * as number literals, without fields that have their default. Equal requests give equal texts.
 */

type Values = Record<string, unknown>;

/** ECHO: the fields that frames repeat. MEANING: all fields that make the meaning of a request. */
type Contents = 'ECHO' | 'MEANING';

/** The echo of an order or a leg: a JSON object of the fields that frames repeat; '' when all have their default. */
export function echoText(slots: readonly Slot[], values: object, grid: Grid): string {
  const members = membersOf(slots, values as Values, grid, 'ECHO');
  return members === '' ? '' : `{${members}}`;
}

/** The slots that an echo reads. */
export function echoedSlots(slots: readonly Slot[]): readonly Slot[] {
  return slots.filter(
    ({ shape, fields }) => shape === 'NAMESPACE' || shape === 'OBJECT' || fields.some((one) => one.isEchoed),
  );
}

/**
 * The meaning of a request as a text. Uses the symbol of the instrument, because requests may spell it in several ways.
 */
export function meaningText(slots: readonly Slot[], values: object, instrument: Instrument): string {
  return `{${membersOf(slots, values as Values, instrument, 'MEANING')}}`;
}

const DIGEST_CHARACTERS = 32;

export function hashOf(meaning: string): string {
  return hash('sha256', meaning, 'hex').slice(0, DIGEST_CHARACTERS);
}

/** Members of a JSON object, with commas between them. */
function membersOf(slots: readonly Slot[], values: Values, grid: Grid | Instrument, contents: Contents): string {
  let text = '';
  for (const slot of slots) {
    const members = slotText(slot, values, grid, contents);
    if (members !== '') text = text === '' ? members : `${text},${members}`;
  }
  return text;
}

/** Members of a slot; '' when its value is a default that is left out. */
function slotText(slot: Slot, values: Values, grid: Grid | Instrument, contents: Contents): string {
  const value = values[slot.member];
  if (value === slot.default && slot.isDefaultLeftOut) return '';
  switch (slot.shape) {
    case 'VALUE':
      return fieldText(slot.fields[0] as Field, value, grid, contents);
    case 'NAMESPACE': {
      const members = membersOf(slot.slots, values, grid, contents);
      return members === '' ? '' : `"${slot.name}":{${members}}`;
    }
    case 'GROUP':
      return partsText(slot, value, grid, contents);
    case 'OBJECT':
      return `"${slot.name}":{${partsText(slot, value, grid, contents)}}`;
    case 'INSTRUMENT':
      if (contents === 'ECHO' || !('symbol' in grid)) return '';
      return `"symbol":"${grid.symbol}","asset_category":"${grid.assetCategory}"`;
  }
}

function partsText({ composite, fields }: Slot, value: unknown, grid: Grid, contents: Contents): string {
  const parts: Parts = composite === null ? {} : composite.split(value, grid);
  let text = '';
  for (const field of fields) {
    const part = parts[field.name];
    if (part === undefined || (part === field.default && !field.isEchoedAlways)) continue;
    const member = fieldText(field, part, grid, contents);
    if (member !== '') text = text === '' ? member : `${text},${member}`;
  }
  return text;
}

/** The client order id names a request and is not part of its meaning. */
function fieldText(field: Field, value: unknown, grid: Grid, contents: Contents): string {
  if (value === null || !(contents === 'ECHO' ? field.isEchoed : field.isMeaning)) return '';
  return field.key + valueText(field, value, grid);
}
