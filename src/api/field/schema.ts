import {
  type SchemaOptions,
  type StringOptions,
  type TSchema,
  type TString,
  type TUnsafe,
  Type,
} from '@sinclair/typebox';
import { DECIMAL, DECIMAL_CHARACTERS_MAX } from '../../domain/quantity.js';

/*
 * Kinds of fields. A schema with a title is a component of the documents with that name; all others are written
 * inline.
 */

/** A request: the service refuses members that its schema does not have. */
export const CLOSED = { additionalProperties: false } as const;

/** An enumeration that the documents name. */
export function choice<Name extends string>(title: string, names: readonly Name[], description: string): TUnsafe<Name> {
  return Type.Unsafe<Name>({ type: 'string', enum: [...names], title, description });
}

/** Key of the original schema in a schema with another description. */
export const BASE = Symbol('base');

/** The same schema with its own description for one field. */
export function described<Schema extends TSchema>(
  schema: Schema,
  description: string,
  more: SchemaOptions = {},
): Schema {
  return { ...schema, description, ...more, [BASE]: schema };
}

/** A decimal in a request: text, so that no digit is lost. It is above 0 unless another pattern is given. */
export function decimalText(description: string, example: string, more: StringOptions = {}): TString {
  return Type.String({
    pattern: POSITIVE_DECIMAL_FORM,
    maxLength: DECIMAL_CHARACTERS_MAX,
    description,
    examples: [example],
    ...more,
  });
}

/** An instant in a request. */
export function instantText(description: string): TString {
  return Type.String({ format: 'date-time', pattern: INSTANT_FORM, description });
}

/** An instant in an answer. */
export function instant(description: string): TString {
  return Type.String({ format: 'date-time', description });
}

export function epochMs(description: string) {
  return Type.Integer({ description: `${description} Milliseconds since the epoch.` });
}

/** A quantity, price or amount in an answer: a number literal that holds the exact decimal. */
export function decimal(description: string) {
  return Type.Number({ description });
}

/*
 * Forms of texts, as sources of regular expressions with the flag `u`. The parser uses them and the documents publish
 * them.
 */

export const DECIMAL_FORM = DECIMAL.source;
/** DECIMAL_FORM with at least one digit other than 0. */
const POSITIVE_DECIMAL_FORM = DECIMAL_FORM.replace('^', '^(?=.*[1-9])');
/** ISO 8601 in UTC. */
const INSTANT_FORM = String.raw`^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d(\.\d{1,9})?Z$`;
