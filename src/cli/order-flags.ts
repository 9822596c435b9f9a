import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliFlag, FieldRow, FieldTable } from '../api/field/field-row.js';
import { ORDER_FIELDS } from '../api/order/order-fields.js';
import { PAIR_PARAMS } from '../api/pair/pair-fields.js';
import { ambiguityOf, parseJson } from '../api/field/json-body.js';
import type { OrderAmendment, OrderRequest } from '../client/index.js';
import { isRejected } from '../domain/rejection.js';
import { choice } from './arguments.js';
import { UsageError } from './context.js';

/*
 * Flags that describe an order or an amendment. The tables of fields say which there are. Values are sent as text; the
 * service checks them.
 */

/** Values of the flags by their name in camel case. */
export type OrderFlags = Readonly<Record<string, unknown>>;

/** A flag and the field that it sets. */
interface OrderFlag {
  readonly option: Option;
  /** Names from the request to the field, for example `params`, `would`, `would_price`. */
  readonly path: readonly string[];
  readonly row: FieldRow;
  readonly flag: CliFlag;
}

const GROUPS = ['The order:', 'Execution:', 'Conditions:', 'Ladder:'];

const CREATE_FLAGS = flagsOf(ORDER_FIELDS, [], { group: 'The order:', isAmendment: false }).sort(byGroup);
const AMEND_FLAGS = [
  ...flagsOf(ORDER_FIELDS, [], { group: 'The order:', isAmendment: true }),
  ...flagsOf(PAIR_PARAMS, ['params'], { group: 'Multi-leg orders:', isAmendment: true }),
];

interface FlagPlace {
  readonly group: string;
  readonly isAmendment: boolean;
}

/** Flags of a table and of the objects in it. An amendment has those of amendable fields. */
function flagsOf(table: FieldTable, above: readonly string[], { group, isAmendment }: FlagPlace): OrderFlag[] {
  return Object.entries(table).flatMap(([name, row]) => {
    const path = [...above, name];
    const place = { group: row.group ?? group, isAmendment };
    // Fields of an amendable object are replaced together with it.
    if (row.fields !== undefined) {
      const isWhole = isAmendment && row.amend !== undefined;
      return isWhole ? flagsOf(row.fields, path, { ...place, isAmendment: false }) : flagsOf(row.fields, path, place);
    }
    if (isAmendment && row.amend === undefined) return [];
    return cliFlags(row).map((flag) => ({ path, row, flag, option: optionOf(row, flag, place) }));
  });
}

function cliFlags({ cli = [] }: FieldRow): readonly CliFlag[] {
  return 'flags' in cli ? [cli] : cli;
}

function optionOf(row: FieldRow, flag: CliFlag, { group, isAmendment }: FlagPlace): Option {
  const { flags, help, checked } = flag;
  const { names, strategies = [], amend } = row;
  const text = isAmendment ? (amend?.help ?? help) : help;
  const description = strategies.length === 0 ? text : `${strategies.join(', ')}: ${text}`;
  const option =
    names !== undefined && flag.rest === undefined && (isAmendment || checked === true)
      ? choice(flags, description, names)
      : new Option(flags, description);
  if (flag.rest !== undefined) option.argParser(typeAndValue);
  else if (names !== undefined && option.argChoices === undefined) suggest(option, names);
  if (!isAmendment && flag.default !== undefined) option.default(flag.default);
  const others = cliFlags(row).filter((other) => other !== flag);
  option.conflicts(others.map((other) => new Option(other.flags).attributeName()));
  return option.helpGroup(group);
}

/** Help and completion offer the names; other values are sent too, because the service may know more of them. */
function suggest(option: Option, names: readonly string[]): void {
  option.choices(names).argParser((text) => text);
}

function byGroup(one: OrderFlag, other: OrderFlag): number {
  return GROUPS.indexOf(one.option.helpGroupHeading ?? '') - GROUPS.indexOf(other.option.helpGroupHeading ?? '');
}

/** Adds the flags of a create. */
export function addOrderFlags(command: Command): Command {
  for (const { option } of CREATE_FLAGS) command.addOption(option);
  return command
    .optionsGroup('Other parameters:')
    .option('--param <name=value>', 'any other parameter; the value is JSON or plain text; repeatable', parameter);
}

/** Adds the flags of an amendment. */
export function addAmendmentFlags(command: Command): Command {
  for (const { option } of AMEND_FLAGS) command.addOption(option);
  return command;
}

interface TypeAndValue {
  readonly type: string;
  readonly value?: string;
}

function typeAndValue(text: string): TypeAndValue {
  const [type = '', value, ...more] = text.split(':');
  if (type === '' || value === '' || more.length > 0) throw new InvalidArgumentError('not of the form TYPE:VALUE');
  return value === undefined ? { type } : { type, value };
}

function parameter(text: string, before: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('not of the form name=value');
  const name = text.slice(0, equals);
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`${name} is given twice`);
  return { ...before, [name]: jsonOrText(text.slice(equals + 1)) };
}

/** Parses JSON. Numbers stay text, because the service reads decimals exactly from text. */
function jsonOrText(text: string): unknown {
  const bytes = Buffer.from(text);
  const parsed = parseJson(bytes);
  if (isRejected(parsed)) return text;
  if (parsed.isAmbiguous) throw new InvalidArgumentError(ambiguityOf(bytes).message);
  return typeof parsed.value === 'number' ? text : parsed.value;
}

/** Builds the body of a create request. Throws UsageError when a required flag is missing. */
export function orderRequest(flags: OrderFlags): OrderRequest {
  const isGiven = ({ option }: OrderFlag): boolean => flags[option.attributeName()] !== undefined;
  // Fields of nested objects are required only with their object.
  const missing = CREATE_FLAGS.filter((one) => one.row.required === true && one.path.length === 1 && !isGiven(one));
  if (missing.length > 0) {
    const names = missing.map(({ option }) => option.long).join(', ');
    throw new UsageError(`missing: ${names}, or --request with the whole order`);
  }
  const body = bodyOf(CREATE_FLAGS, flags);
  const others = flags['param'] as Record<string, unknown> | undefined;
  if (others !== undefined) {
    const params = (body['params'] ?? {}) as Record<string, unknown>;
    const twice = Object.keys(others).find((name) => Object.hasOwn(params, name));
    if (twice !== undefined) throw new UsageError(`--param ${twice} is given by another flag too`);
    body['params'] = { ...params, ...others };
  }
  return body as unknown as OrderRequest;
}

/** The new terms of an amendment, without the name of the order. */
export function amendedTerms(flags: OrderFlags): Omit<OrderAmendment, 'order_id' | 'client_order_id'> {
  const { client_order_id: _, ...terms } = bodyOf(AMEND_FLAGS, flags);
  return terms;
}

type Body = Record<string, unknown>;

function bodyOf(all: readonly OrderFlag[], flags: OrderFlags): Body {
  const body: Body = {};
  for (const one of all) {
    const value = flags[one.option.attributeName()];
    if (value !== undefined) setField(objectAt(body, one.path), one, value);
  }
  return body;
}

/** The object that has the last field of the path; made when it is missing. */
function objectAt(body: Body, path: readonly string[]): Body {
  let object = body;
  for (const name of path.slice(0, -1)) object = (object[name] ??= {}) as Body;
  return object;
}

/** Sets the field of a flag in the object that has it. */
function setField(object: Body, { path, row, flag }: OrderFlag, value: unknown): void {
  const name = path.at(-1) ?? '';
  if (flag.also !== undefined) object[flag.also.field] = flag.also.value;
  if (flag.rest !== undefined) {
    const { type, value: rest } = value as TypeAndValue;
    object[name] = type;
    if (rest !== undefined) object[flag.rest] = rest;
    return;
  }
  // A flag without its value means the default of the service.
  if (value === true && row.kind !== 'flag') return;
  object[name] = row.range?.asNumber === true ? Number(value) : value;
}
