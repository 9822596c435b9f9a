import type { TSchema } from '@sinclair/typebox';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/*
 * Schemas compiled by Ajv in strict mode: an unknown keyword or format is an error.
 */

function newAjv(): Ajv2020 {
  // A conditional may require a member that the enclosing object describes.
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });
  // The package is CommonJS, so its default export is the module.
  (addFormats as unknown as typeof addFormats.default)(ajv);
  return ajv;
}

const ajv = newAjv();

/** Compiles a schema as in the documents: unknown fields are accepted. */
export function open(schema: TSchema): ValidateFunction {
  return ajv.compile(plain(schema));
}

/** Compiles a schema for answers: an undocumented field is an error at any depth. */
export function closed(schema: TSchema): ValidateFunction {
  return ajv.compile(closedSchema(plain(schema)));
}

/** The errors of a validator in one line. */
export function complaintsOf(validate: ValidateFunction, value: unknown): string {
  if (validate(value)) return '';
  return ajv.errorsText(validate.errors, { separator: '; ' });
}

type Plain = { readonly [keyword: string]: unknown };

/** The schema without TypeBox's own marks and without titles that name a component. */
function plain(schema: TSchema): Plain {
  return JSON.parse(JSON.stringify(schema)) as Plain;
}

function closedSchema(value: unknown): Plain {
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) => {
    const isObject = typeof part === 'object' && part !== null && 'properties' in part && 'type' in part;
    return isObject ? { additionalProperties: false, ...part } : part;
  }) as Plain;
}
