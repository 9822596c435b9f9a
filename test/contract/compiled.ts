import type { TSchema } from '@sinclair/typebox';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/*
 * Schemas compiled by Ajv in its strict mode: a keyword or format that it does not know is an error, not ignored.
 */

function newAjv(): Ajv2020 {
  // A conditional may require what the object around it describes.
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });
  // The package is CommonJS: its default export is the module.
  (addFormats as unknown as typeof addFormats.default)(ajv);
  return ajv;
}

const ajv = newAjv();

/** As the documents have it: fields that it does not name are let through. */
export function open(schema: TSchema): ValidateFunction {
  return ajv.compile(plain(schema));
}

/** For answers under test: a field that is not documented is an error, at any depth. */
export function closed(schema: TSchema): ValidateFunction {
  return ajv.compile(closedSchema(plain(schema)));
}

/** What a validator found, in one line for people. */
export function complaintsOf(validate: ValidateFunction, value: unknown): string {
  if (validate(value)) return '';
  return ajv.errorsText(validate.errors, { separator: '; ' });
}

type Plain = { readonly [keyword: string]: unknown };

/** Without TypeBox's own marks, and without titles that say which component it is. */
function plain(schema: TSchema): Plain {
  return JSON.parse(JSON.stringify(schema)) as Plain;
}

function closedSchema(value: unknown): Plain {
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) => {
    const isObject = typeof part === 'object' && part !== null && 'properties' in part && 'type' in part;
    return isObject ? { additionalProperties: false, ...part } : part;
  }) as Plain;
}
