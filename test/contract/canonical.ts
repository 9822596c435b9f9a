import type { TSchema } from '@sinclair/typebox';
import { DECIMAL, DECIMAL_CHARACTERS_MAX } from '../../src/domain/quantity.js';

/*
 * Converts a request to the canonical form of the schemas. The contract tolerates other forms: letter case of
 * enumerations, null for an absent field, JSON numbers for decimals and texts for numbers, texts of ids, instants
 * without seconds. With one conversion a test can compare a schema with the parser.
 */

type Fields = { readonly [name: string]: unknown };

export function canonical(schema: TSchema, value: unknown): unknown {
  if (schema['type'] === 'object') return isFields(value) ? canonicalFields(schema, value) : value;
  if (schema['type'] === 'array') {
    return Array.isArray(value) ? value.map((item) => canonical(schema['items'] as TSchema, item)) : value;
  }
  if (schema['enum'] !== undefined && typeof value === 'string') return value.toUpperCase();
  if (schema['type'] === 'integer' && typeof value === 'string' && /^[1-9]\d*$/.test(value)) return Number(value);
  if (schema['type'] === 'number' && typeof value === 'string' && isDecimalText(value)) return Number(value);
  if (schema['format'] === 'date-time' && typeof value === 'string') return value.replace(/(T\d\d:\d\d)Z$/, '$1:00Z');
  const isDecimal = String(schema['pattern']).includes(String.raw`\d+\.?\d*`);
  return isDecimal && typeof value === 'number' ? decimalOf(value) : value;
}

function canonicalFields(schema: TSchema, fields: Fields): Fields {
  const properties = schema['properties'] as { readonly [name: string]: TSchema };
  // A member that the schema does not have is refused, also with null.
  const kept = Object.entries(fields).filter(([name, value]) => value !== null || !Object.hasOwn(properties, name));
  return Object.fromEntries(
    kept.map(([name, value]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return [name, property === undefined ? value : canonical(property, value)];
    }),
  );
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDecimalText(text: string): boolean {
  return text.length <= DECIMAL_CHARACTERS_MAX && DECIMAL.test(text);
}

function decimalOf(value: number): string {
  return value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 });
}
