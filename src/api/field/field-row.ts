import type { StrategyName } from '../../domain/order.js';
import type { RejectionCode } from '../../domain/rejection.js';

/** One field of a request, as plain data. The key of a row in its table is the name of the field in JSON. */
export interface FieldRow {
  /** How the value is read, published and written. */
  readonly kind: FieldKind;
  /** Member of the typed order that has the value. Rows with the same member are parts of one value. */
  readonly member?: string;
  readonly required?: true;
  /** Value of an absent field, in the unit of the typed order. Without a default it is null. */
  readonly default?: string | number | boolean;
  /** Error code of a missing or wrong value. Absent: INVALID_REQUEST when missing, INVALID_PARAM when wrong. */
  readonly code?: RejectionCode;
  /** Name of the schema of a choice or an object. */
  readonly title?: string;
  /** Values of a choice, in upper case. A request may use any letter case. */
  readonly names?: readonly string[];
  readonly range?: NumberRange;
  /** Length of a text. */
  readonly charactersMax?: number;
  /** Fields of an object, or of each leg. */
  readonly fields?: FieldTable;
  readonly description: string;
  readonly example?: string;
  /** Description of the field in frames, '' for that of the named schema. Absent: frames do not repeat the field. */
  readonly echo?: string;
  /** The echo has the value even when it is the default. */
  readonly echoedAlways?: true;
  /** Strategies that use the field. Absent: all. */
  readonly strategies?: readonly StrategyName[];
  /** Absent: an open order keeps its value. */
  readonly amend?: Amendable;
  /** Absent: only a request file has the field. */
  readonly cli?: CliFlag | readonly CliFlag[];
  /** Heading of the flag in the help. Absent: that of the table. */
  readonly group?: string;
}

export type FieldTable = { readonly [name: string]: FieldRow };

export type FieldKind =
  /** Printable characters without a comma. */
  | 'text'
  | 'exchange'
  /** Names the instrument, together with exchange and asset category. */
  | 'symbol'
  | 'choice'
  /** Quantity on the lot grid of the instrument. */
  | 'lots'
  /** Price on the tick grid of the instrument. */
  | 'price'
  | 'number'
  /** Money or a quantity, exact. */
  | 'amount'
  | 'currency'
  /** Size of a child; its unit depends on the type of the clip. */
  | 'clip'
  | 'instant'
  | 'flag'
  | 'object'
  | 'legs';

/** A decimal is kept as an integer in units of 10^-precision, from `least` to `most`. */
export interface NumberRange {
  readonly precision: number;
  readonly least: number;
  readonly most: number;
  /** The range in words. */
  readonly rule: string;
  /** The schema has a JSON number instead of a decimal text. */
  readonly asNumber?: true;
}

interface Amendable {
  /** Kind of order. In a multi-leg order, a field of a leg changes the leading leg. */
  readonly of: 'any' | 'single' | 'pair';
  /** Description and help in an amendment, where they differ from those in a create. */
  readonly description?: string;
  readonly help?: string;
}

/** A flag of the command line. */
export interface CliFlag {
  /** As commander reads it. A value in square brackets may be absent. */
  readonly flags: string;
  readonly help: string;
  readonly default?: string;
  /** The command refuses values that are not names of the choice. */
  readonly checked?: true;
  /** A field that the flag sets too. */
  readonly also?: { readonly field: string; readonly value: string | boolean };
  /** The field that gets the text after a colon. */
  readonly rest?: string;
}

type AmendableFields<Table> = {
  [Name in keyof Table as Table[Name] extends { readonly amend: object } ? Name : never]: Omit<
    Table[Name],
    'required' | 'default'
  >;
};

/** Fields that an amendment may have, all optional and without a default. */
export function amendableFields<Table extends FieldTable>(table: Table): AmendableFields<Table> {
  const rows = Object.entries(table).flatMap(([name, row]) => {
    const { required: _required, default: _default, amend, ...kept } = row;
    return amend === undefined ? [] : [[name, { ...kept, amend, description: amend.description ?? row.description }]];
  });
  return Object.fromEntries(rows) as AmendableFields<Table>;
}
