import { type SchemaOptions, type TObject, type TOptional, type TSchema, type TUnsafe, Type } from '@sinclair/typebox';
import { formatSteps } from '../../domain/quantity.js';
import type { FieldRow, FieldTable } from './field-row.js';
import { nameForm } from './json-value.js';
import { choice, CLOSED, DECIMAL_FORM, decimal, decimalText, described, instantText } from './schema.js';

/* Derives JSON Schemas from tables of fields, with static types for clients. */

type NamesOf<Row> = Row extends { readonly names: readonly (infer Name)[] } ? Name : never;
type FieldsOf<Row> = Row extends { readonly fields: infer Fields } ? Fields : never;
type KindOf<Row> = Row extends { readonly kind: infer Kind } ? Kind : never;

/** The JSON value of a field in a request. */
type Sent<Row> =
  KindOf<Row> extends 'flag'
    ? boolean
    : KindOf<Row> extends 'choice' | 'exchange'
      ? NamesOf<Row>
      : KindOf<Row> extends 'object'
        ? SentObject<FieldsOf<Row>>
        : KindOf<Row> extends 'legs'
          ? SentObject<FieldsOf<Row>>[]
          : Row extends { readonly range: { readonly asNumber: true } }
            ? number
            : string;

type Required = { readonly required: true };
type SentObject<Table> = {
  [Name in keyof Table as Table[Name] extends Required ? Name : never]: Sent<Table[Name]>;
} & {
  [Name in keyof Table as Table[Name] extends Required ? never : Name]?: Sent<Table[Name]>;
};

/** Properties of the schema of a table. */
export type PropertiesOf<Table> = {
  -readonly [Name in keyof Table]: Table[Name] extends Required
    ? TUnsafe<Sent<Table[Name]>>
    : TOptional<TUnsafe<Sent<Table[Name]>>>;
};

/** Rules between the fields of an object, by the title of its schema. */
export type ObjectRules = Readonly<Record<string, SchemaOptions>>;

/** Schemas of the fields of a table, by name. */
export function propertiesOf<Table extends FieldTable>(table: Table, rules: ObjectRules): PropertiesOf<Table> {
  const entries = Object.entries(table).map(([name, row]) => {
    const schema = schemaOf(row, rules);
    return [name, row.required === true ? schema : Type.Optional(schema)];
  });
  return Object.fromEntries(entries) as PropertiesOf<Table>;
}

/** Schema of one field. A row with a title becomes a component of the documents. */
export function fieldSchema<Row extends FieldRow>(row: Row, rules: ObjectRules = {}): TUnsafe<Sent<Row>> {
  return schemaOf(row, rules) as TUnsafe<Sent<Row>>;
}

function schemaOf(row: FieldRow, rules: ObjectRules): TSchema {
  const { kind, description, example = '' } = row;
  switch (kind) {
    case 'text':
      return Type.String({ pattern: nameForm(row.charactersMax ?? 0), description, ...examples(row) });
    case 'symbol':
    case 'currency':
      return Type.String({ description, ...examples(row) });
    case 'exchange':
    case 'choice':
      return choiceSchema(row);
    case 'flag':
      return Type.Boolean({ ...fallback(row), description });
    case 'instant':
      return instantText(description);
    case 'clip':
      return decimalText(description, example, { pattern: DECIMAL_FORM });
    case 'lots':
    case 'price':
    case 'amount':
      return decimalText(description, example);
    case 'number':
      return numberSchema(row);
    case 'object':
      return objectSchema(row, rules);
    case 'legs':
      return Type.Array(objectSchema(row, rules), { minItems: 2, maxItems: 2, description });
  }
}

function examples({ example }: FieldRow): SchemaOptions {
  return example === undefined ? {} : { examples: [example] };
}

function fallback(row: FieldRow): SchemaOptions {
  return row.default === undefined ? {} : { default: row.default };
}

const components = new Map<string, TUnsafe<string>>();

/**
 * The schema of a choice with a title. The first row with that title gives the description; later rows may override it.
 */
export function component<Row extends FieldRow>(row: Row): TUnsafe<NamesOf<Row>> {
  const { title = '', names = [], description } = row;
  const known = components.get(title) ?? choice(title, names, description);
  components.set(title, known);
  return known as TUnsafe<NamesOf<Row>>;
}

function choiceSchema(row: FieldRow): TSchema {
  const { title, names = [], description } = row;
  if (title === undefined) return Type.Unsafe({ type: 'string', enum: [...names], description, ...fallback(row) });
  return described(component(row), description, fallback(row));
}

function numberSchema({ range, description, example = '', default: steps }: FieldRow): TSchema {
  const { precision = 0, least = 0, most = 0, asNumber } = range ?? {};
  const text = typeof steps === 'number' ? formatSteps(steps, precision) : null;
  if (asNumber !== true) return decimalText(description, example, text === null ? {} : { default: text });
  const bounds = { minimum: Number(formatSteps(least, precision)), maximum: Number(formatSteps(most, precision)) };
  return Type.Number({ ...bounds, ...(text === null ? {} : { default: Number(text) }), description });
}

function objectSchema({ fields = {}, title = '', description }: FieldRow, rules: ObjectRules): TObject {
  return Type.Object(propertiesOf(fields, rules), { ...CLOSED, ...rules[title], title, description });
}

/** The JSON value of a field in a frame. */
type Echo<Row> =
  KindOf<Row> extends 'flag'
    ? true
    : KindOf<Row> extends 'choice'
      ? NamesOf<Row>
      : KindOf<Row> extends 'object'
        ? EchoedObject<FieldsOf<Row>>
        : number;

type Echoed = { readonly echo: string };
type Present = Required | { readonly echoedAlways: true };
type EchoedObject<Table> = {
  [Name in keyof Table as Table[Name] extends Echoed & Present ? Name : never]: Echo<Table[Name]>;
} & {
  [Name in keyof Table as Table[Name] extends Present ? never : Table[Name] extends Echoed ? Name : never]?: Echo<
    Table[Name]
  >;
};

/** Properties of the schema of the fields that frames repeat. */
export type EchoedProperties<Table> = {
  -readonly [Name in keyof Table as Table[Name] extends Echoed ? Name : never]: TOptional<TUnsafe<Echo<Table[Name]>>>;
};

export function echoedProperties<Table extends FieldTable>(table: Table): EchoedProperties<Table> {
  const entries = echoedRows(table).map(([name, row]) => [name, Type.Optional(echoSchema(row))]);
  return Object.fromEntries(entries) as EchoedProperties<Table>;
}

function echoedRows(table: FieldTable): (readonly [string, FieldRow])[] {
  return Object.entries(table).filter(([, { echo }]) => echo !== undefined);
}

function echoSchema(row: FieldRow): TSchema {
  const { kind, echo = '', title = '', names = [], range } = row;
  switch (kind) {
    case 'flag':
      return Type.Literal(true, { description: echo });
    case 'choice': {
      if (echo === '') return component(row);
      const echoed = names.filter((name) => name !== row.default);
      return choice(`Echoed${title}`, echoed, echo);
    }
    case 'object': {
      const properties = echoedRows(row.fields ?? {}).map(([name, inner]) => {
        const schema = echoSchema(inner);
        const isPresent = inner.required === true || inner.echoedAlways === true;
        return [name, isPresent ? schema : Type.Optional(schema)];
      });
      return Type.Object(Object.fromEntries(properties) as Record<string, TSchema>, {
        title: `Echoed${shortened(title)}`,
      });
    }
    case 'text':
    case 'exchange':
    case 'symbol':
    case 'lots':
    case 'price':
    case 'number':
    case 'amount':
    case 'currency':
    case 'clip':
    case 'instant':
    case 'legs':
      return range?.precision === 0 ? Type.Integer({ description: echo }) : decimal(echo);
  }
}

/** `WouldInfo` → `Would`. */
function shortened(title: string): string {
  return title.replace(/Info$/, '');
}
