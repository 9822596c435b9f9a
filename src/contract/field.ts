import {
  Type,
  type SchemaOptions,
  type StringOptions,
  type TSchema,
  type TString,
  type TUnsafe,
} from '@sinclair/typebox';
import { DECIMAL_CHARACTERS_MAX } from '../model/quantity.js';
import { INSTANT_FORM, POSITIVE_DECIMAL_FORM } from './text-form.js';

/*
 * Kinds of fields. A schema with a title is a component of the documents, named by that title; all others are written
 * out where they stand.
 */

/** An enumeration that the documents name. */
export function choice<Name extends string>(title: string, names: readonly Name[], description: string): TUnsafe<Name> {
  return Type.Unsafe<Name>({ type: 'string', enum: [...names], title, description });
}

/** Where a schema that was given other words keeps the one it was made from. */
export const BASE = Symbol('base');

/** The same schema with words of its own for one field. */
export function described<Schema extends TSchema>(
  schema: Schema,
  description: string,
  more: SchemaOptions = {},
): Schema {
  return { ...schema, description, ...more, [BASE]: schema };
}

/** A decimal in a request, above 0 unless another pattern is given: text, so that no digit is lost on its way. */
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
