import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import type { CliFlag, FieldRow, FieldTable } from '../../src/api/field/field-row.js';
import { AmendOrderRequest } from '../../src/api/order/order-control.js';
import { EchoedPairParams, EchoedParams, OrderLegPart } from '../../src/api/order/order-answer.js';
import { ORDER_FIELDS } from '../../src/api/order/order-fields.js';
import { digestOf, echoOf } from '../../src/api/order/order-parser.js';
import { CreateParentOrderRequest } from '../../src/api/order/order-schema.js';
import { ORDER_PARAMS } from '../../src/api/order/param-fields.js';
import { CreateMultiLegsParentOrderRequest } from '../../src/api/pair/pair-schema.js';
import { LEG_FIELDS, PAIR_FIELDS, PAIR_PARAMS } from '../../src/api/pair/pair-fields.js';
import { addAmendmentFlags, addOrderFlags } from '../../src/cli/order-flags.js';
import { parsed } from './order-requests.js';

type Schema = { readonly properties: Readonly<Record<string, Schema>>; readonly items?: Schema };

/** Rows of a table and of the objects in it, with the names that lead to them. */
function rowsOf(
  table: FieldTable,
  above: readonly string[] = [],
): (readonly [path: readonly string[], row: FieldRow])[] {
  return Object.entries(table).flatMap(([name, row]) => {
    const path = [...above, name];
    return [[path, row] as const, ...rowsOf(row.fields ?? {}, path)];
  });
}

function schemaAt(schema: unknown, path: readonly string[]): Schema | undefined {
  let at = schema as Schema | undefined;
  for (const name of path) at = (at?.items ?? at)?.properties[name];
  return at;
}

function flagsOf({ cli = [] }: FieldRow): readonly CliFlag[] {
  return 'flags' in cli ? [cli] : cli;
}

function namesOf(command: Command): readonly string[] {
  return command.options.map(({ flags }) => flags);
}

function amendable(table: FieldTable): string[] {
  return Object.entries(table).flatMap(([name, { amend }]) => (amend === undefined ? [] : [name]));
}

function echoed(table: FieldTable): string[] {
  return Object.entries(table).flatMap(([name, { echo }]) => (echo === undefined ? [] : [name]));
}

describe('the tables of request fields', () => {
  it.each([
    ['a create', ORDER_FIELDS, CreateParentOrderRequest],
    ['a leg', LEG_FIELDS, schemaAt(CreateMultiLegsParentOrderRequest, ['legs'])?.items],
    ['a multi-leg create', PAIR_FIELDS, CreateMultiLegsParentOrderRequest],
  ])('give the schema of %s every field', (_what, table, schema) => {
    for (const [path, row] of rowsOf(table)) {
      const description = schemaAt(schema, path)?.['description' as never] as unknown;
      const isTitled = row.kind === 'legs' || row.fields !== undefined;
      expect(schemaAt(schema, path), path.join('.')).toBeDefined();
      if (!isTitled) expect(description, path.join('.')).toBe(row.description);
    }
  });

  it('give an amendment every amendable field and no other', () => {
    const { order_id: _id, client_order_id: _name, params, ...terms } = AmendOrderRequest.properties;
    expect(Object.keys(terms)).toEqual(amendable(ORDER_FIELDS));
    expect(Object.keys(params.properties)).toEqual([...amendable(ORDER_PARAMS), ...amendable(PAIR_PARAMS)]);
  });

  it('give frames every echoed field', () => {
    expect(Object.keys(EchoedParams.properties)).toEqual(echoed(ORDER_PARAMS));
    expect(Object.keys(EchoedPairParams.properties)).toEqual(echoed(PAIR_PARAMS));
    expect(Object.keys(OrderLegPart.properties)).toEqual(expect.arrayContaining(echoed(ORDER_FIELDS)));
  });

  it('give the command line a flag for every field of a create', () => {
    const flags = namesOf(addOrderFlags(new Command()));
    const rows = rowsOf(ORDER_FIELDS);
    const setByOthers = new Set(
      rows.flatMap(([, row]) => flagsOf(row).flatMap(({ also, rest }) => [also?.field, rest])),
    );
    for (const [path, row] of rows) {
      if (row.fields !== undefined || setByOthers.has(path.at(-1))) continue;
      expect(flagsOf(row), path.join('.')).not.toEqual([]);
      for (const { flags: own } of flagsOf(row)) expect(flags).toContain(own);
    }
  });

  it('give the command line a flag for every amendable field with a flag', () => {
    const flags = namesOf(addAmendmentFlags(new Command()));
    for (const table of [ORDER_FIELDS, ORDER_PARAMS, PAIR_PARAMS] as readonly FieldTable[]) {
      for (const row of Object.values(table)) {
        if (row.amend !== undefined) for (const { flags: own } of flagsOf(row)) expect(flags).toContain(own);
      }
    }
  });

  const OTHERS: Readonly<Record<string, Record<string, unknown>>> = {
    duration_seconds: { params: { duration_seconds: '61' } },
    trading_style: { params: { duration_seconds: '60', trading_style: 'PASSIVE' } },
    urgency: { params: { duration_seconds: '60', urgency: 'LOW' } },
    randomize_amount: { params: { duration_seconds: '60', randomize_amount: true } },
    would: { params: { duration_seconds: '60', would: { would_price: '59000' } } },
    trigger: { params: { duration_seconds: '60', trigger: { trigger_price: '61000', trigger_condition: 'ABOVE' } } },
    placement_infos: { params: { duration_seconds: '60', placement_infos: { placement_mode: 'TIGHT' } } },
    reduce_only: { asset_category: 'FUTURE', params: { duration_seconds: '60', reduce_only: true } },
    ob_imbalance_cancel: { params: { duration_seconds: '60', ob_imbalance_cancel: true } },
    price_lock_bps: { params: { duration_seconds: '60', price_lock_bps: 5 } },
    post_only: { params: { duration_seconds: '60', post_only: true } },
    start_ladder_price: { strategy: 'ICEBERG', params: { start_ladder_price: '59000', end_ladder_price: '60000' } },
  };

  it.each(Object.entries(OTHERS))('count %s in the echo and in the meaning', (name, fields) => {
    const [plain, other] = [parsed({ ...fields, params: { duration_seconds: '60' } }), parsed(fields)];
    expect(echoOf(other.values, other.instrument)).toContain(`"${name}"`);
    expect(digestOf(other)).not.toBe(digestOf(plain));
  });

  it('have an example of another value for every param', () => {
    const members = Object.entries<FieldRow>(ORDER_PARAMS).map(([name, { member }]) => [member, name] as const);
    const [first, covered] = [new Map(members.toReversed()), Object.keys(OTHERS)];
    expect(covered.toSorted()).toEqual([...first.values()].toSorted());
  });
});
