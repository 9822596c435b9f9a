import type { RejectionCode } from '../../domain/rejection.js';
import { type Composite, COMPOSITES, type Parts } from '../order/composite-values.js';
import type { FieldKind, FieldRow, FieldTable, NumberRange } from './field-row.js';
import { nameForm } from './json-value.js';

/*
 * Compiles the rows of a table into slots of one shape each, so that the loops of the parser and of the echo are fast.
 */

/** One row, ready to be read and written. */
export class Field {
  readonly name: string;
  /** Name in messages, for example `params.would.would_pct`. */
  readonly path: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly missingCode: RejectionCode;
  readonly code: RejectionCode;
  readonly names: readonly string[];
  readonly range: NumberRange | null;
  readonly form: RegExp | null;
  readonly charactersMax: number;
  /** Value of an absent field. */
  readonly default: unknown;
  readonly isEchoed: boolean;
  readonly isEchoedAlways: boolean;
  /** Part of the meaning of a request: every field except client_order_id. */
  readonly isMeaning: boolean;
  /** `"name":` in JSON. */
  readonly key: string;

  constructor(name: string, path: string, row: FieldRow) {
    this.name = name;
    this.path = path;
    this.kind = row.kind;
    this.isRequired = row.required === true;
    this.missingCode = row.code ?? 'INVALID_REQUEST';
    this.code = row.code ?? 'INVALID_PARAM';
    this.names = row.names ?? [];
    this.range = row.range ?? null;
    this.charactersMax = row.charactersMax ?? 0;
    this.form = row.kind === 'text' ? new RegExp(nameForm(this.charactersMax), 'u') : null;
    this.default = row.default ?? null;
    this.isEchoed = row.echo !== undefined;
    this.isEchoedAlways = row.echoedAlways === true;
    this.isMeaning = name !== 'client_order_id';
    this.key = `"${name}":`;
  }
}

type SlotShape =
  /** One field, one value. */
  | 'VALUE'
  /** Adjacent fields that make one value. */
  | 'GROUP'
  /** An object whose fields make one value. */
  | 'OBJECT'
  /** An object whose fields are members of the typed order. */
  | 'NAMESPACE'
  /** Symbol and asset category. */
  | 'INSTRUMENT';

interface SlotParts {
  readonly shape: SlotShape;
  /** Member of the typed order. */
  readonly member: string;
  /** The first field, or the object that has the fields. */
  readonly object: Field;
  readonly fields: readonly Field[];
  /** Slots of a namespace. Absent: none. */
  readonly slots?: readonly Slot[];
}

/** One value of the typed order. */
export class Slot {
  readonly shape: SlotShape;
  /** Name and path of the first field, or of the object. */
  readonly name: string;
  readonly path: string;
  readonly member: string;
  readonly fields: readonly Field[];
  /** Slots of a namespace. */
  readonly slots: readonly Slot[];
  readonly isRequired: boolean;
  /** Reading needs the grid or the names of the instrument. */
  readonly needsInstrument: boolean;
  /** The text of a request leaves out a value that equals the default. */
  readonly isDefaultLeftOut: boolean;
  /** Value of an absent field, and values of absent parts. */
  readonly default: unknown;
  readonly defaultParts: Parts;
  /** Composite of a group or an object. */
  readonly composite: Composite | null;

  constructor({ shape, member, object, fields, slots = [] }: SlotParts) {
    this.shape = shape;
    this.name = object.name;
    this.path = object.path;
    this.member = member;
    this.fields = fields;
    this.slots = slots;
    this.isRequired = object.isRequired || shape === 'INSTRUMENT';
    this.needsInstrument =
      shape !== 'INSTRUMENT' &&
      (fields.some(({ kind }) => GRID_KINDS.has(kind)) || slots.some(({ needsInstrument }) => needsInstrument));
    this.composite = shape === 'GROUP' || shape === 'OBJECT' ? (COMPOSITES[member] ?? null) : null;
    this.default = shape === 'VALUE' ? object.default : (this.composite?.none ?? null);
    this.isDefaultLeftOut = shape !== 'NAMESPACE' && !(shape === 'VALUE' && object.isEchoedAlways);
    this.defaultParts = Object.fromEntries(fields.map((field) => [field.name, field.default]));
  }
}

const GRID_KINDS: ReadonlySet<FieldKind> = new Set(['lots', 'price', 'clip', 'currency']);

/** Slots of a table in its order; `prefix` begins the paths of the fields. */
export function slotsOf(table: FieldTable, prefix = ''): readonly Slot[] {
  const slots: Slot[] = [];
  const rows = Object.entries(table).filter(([, { kind }]) => kind !== 'legs');
  for (let index = 0; index < rows.length;) {
    const [name, row] = rows[index] as [string, FieldRow];
    const size = groupSize(rows, index);
    const fields = rows.slice(index, index + size).map(([part, one]) => new Field(part, prefix + part, one));
    slots.push(slotOf(name, prefix, row, fields));
    index += size;
  }
  return slots;
}

/** Number of adjacent rows from the index on that have the same member. */
function groupSize(rows: readonly (readonly [string, FieldRow])[], index: number): number {
  const member = rows[index]?.[1].member;
  if (member === undefined) return 1;
  const end = rows.findIndex(([, row], other) => other > index && row.member !== member);
  return (end === -1 ? rows.length : end) - index;
}

function slotOf(name: string, prefix: string, row: FieldRow, fields: readonly Field[]): Slot {
  const [object = new Field(name, prefix + name, row)] = fields;
  const { kind, member = name, fields: inner = {} } = row;
  if (kind === 'symbol') return new Slot({ shape: 'INSTRUMENT', member, object, fields });
  if (kind !== 'object') return new Slot({ shape: fields.length > 1 ? 'GROUP' : 'VALUE', member, object, fields });
  const path = `${prefix}${name}.`;
  if (row.member === undefined) {
    return new Slot({ shape: 'NAMESPACE', member, object, fields: [], slots: slotsOf(inner, path) });
  }
  const parts = Object.entries(inner).map(([part, one]) => new Field(part, path + part, one));
  return new Slot({ shape: 'OBJECT', member, object, fields: parts });
}
