import type { TSchema } from '@sinclair/typebox';
import { assert } from '../../domain/rejection.js';
import { BASE } from '../field/schema.js';

/** A part of a document. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type DocumentPart = { readonly [name: string]: Json };

/**
 * Writes schemas into a document. A schema with a title is written once, under `components.schemas`, and referenced
 * elsewhere. A description that differs from the component's own is written beside the reference.
 *
 *     { title: 'Side', enum: [...], description: 'Side of the order.' }
 *        →  { $ref: '#/components/schemas/Side', description: 'Side of the order.' }
 */
export class Components {
  readonly #schemas = new Map<string, DocumentPart>();

  /** The schema for the place of its use. */
  place(schema: TSchema): DocumentPart {
    const { title, description, default: fallback } = schema;
    if (title === undefined) return this.#written(schema);
    const own = this.#component(title, (schema as { [BASE]?: TSchema })[BASE] ?? schema);
    return {
      $ref: `#/components/schemas/${title}`,
      ...(description === undefined || description === own['description'] ? {} : { description }),
      ...(fallback === undefined ? {} : { default: fallback as Json }),
    };
  }

  /** All components, by name. */
  get schemas(): DocumentPart {
    return Object.fromEntries([...this.#schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** The first use of a component writes it. */
  #component(title: string, schema: TSchema): DocumentPart {
    const known = this.#schemas.get(title);
    if (known !== undefined) return known;
    const written = this.#written(schema);
    this.#schemas.set(title, written);
    return written;
  }

  #written(schema: TSchema): DocumentPart {
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
