import type { TSchema } from '@sinclair/typebox';
import { assert } from '../model/assert.js';
import { BASE } from './field.js';

/** A part of a document. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

/**
 * Writes schemas into a document. One with a title is written once, under `components.schemas`, and pointed to from
 * everywhere else; words that differ from its own stay beside the pointer.
 *
 *     { title: 'Side', enum: [...], description: 'Side of the order.' }
 *        →  { $ref: '#/components/schemas/Side', description: 'Side of the order.' }
 */
export class Components {
  readonly #schemas = new Map<string, JsonObject>();

  /** The schema as it stands where it is used. */
  place(schema: TSchema): JsonObject {
    const { title, description, default: fallback } = schema;
    if (title === undefined) return this.#written(schema);
    const own = this.#component(title, (schema as { [BASE]?: TSchema })[BASE] ?? schema);
    return {
      $ref: `#/components/schemas/${title}`,
      ...(description === undefined || description === own['description'] ? {} : { description }),
      ...(fallback === undefined ? {} : { default: fallback as Json }),
    };
  }

  /** All that were placed, by name. */
  get schemas(): JsonObject {
    return Object.fromEntries([...this.#schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** The first to use a component writes it. */
  #component(title: string, schema: TSchema): JsonObject {
    const known = this.#schemas.get(title);
    if (known !== undefined) return known;
    const written = this.#written(schema);
    this.#schemas.set(title, written);
    return written;
  }

  #written(schema: TSchema): JsonObject {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => [keyword, this.#keyword(keyword, value)]),
    );
  }

  #keyword(keyword: string, value: unknown): Json {
    switch (keyword) {
      case 'properties':
      case 'patternProperties':
        return Object.fromEntries(
          Object.entries(value as Readonly<Record<string, TSchema>>).map(([name, schema]) => [
            name,
            this.place(schema),
          ]),
        );
      case 'items':
        return this.place(value as TSchema);
      case 'anyOf':
        return (value as readonly TSchema[]).map((schema) => this.place(schema));
      default:
        assert(value !== undefined, 'a keyword has a value');
        return value as Json;
    }
  }
}
