import { Big } from 'big.js';
import type { OrderDetails } from '../../client/wire.js';
import { PAIR_FIELDS } from '../ticket/pair-fields.js';
import { applies, FIELDS, type TicketField, type TicketValues } from '../ticket/ticket-fields.js';
import { DECIMAL, type Finding, put, sentValue } from '../ticket/ticket-request.js';
import type { TermChange } from './order-facts.js';
import { leadingLegOf } from './order-history.js';

/* The terms of an open order that an amendment can change, and the request that changes some of them. */

/** The terms of an order as the texts of a form. */
export interface PresentTerms {
  /** Fields that the order may have, with `strategy` besides. */
  readonly fields: readonly TicketField[];
  readonly values: TicketValues;
}

export interface AmendPlan {
  /** The request without the id of the order. */
  readonly terms: object;
  readonly changes: readonly TermChange[];
}

const QUANTITY = 'quantity';
/** `would`, `trigger` and `placement_infos` are replaced as a whole. */
const PART_OF_OBJECT = /^params\.\w+(?=\.)/;

/**
 * The present terms of an order that was read with its params. Of a PAIR, those of the leading leg and of the order.
 */
export function presentTerms(details: OrderDetails): PresentTerms {
  const leg = details.legs?.[leadingLegOf(details) ?? 0];
  const { limit_price: limit, params = {}, strategy = '' } = leg ?? details;
  const { quantity, end_time: endMs } = details;
  const known: Record<string, string> = { strategy, [QUANTITY]: textOf(quantity) };
  if (limit !== undefined) known['limit_price'] = textOf(limit);
  if (endMs !== undefined) known['end_time'] = new Date(endMs).toISOString().slice(0, 19).replace('T', ' ');
  for (const own of leg === undefined ? [params] : [params, details.params ?? {}]) flatten(known, 'params', own);
  const fields = amendableOf(leg !== undefined);
  for (const { name, usual = '' } of fields) known[name] ??= usual;
  return { fields, values: known };
}

function amendableOf(isPair: boolean): readonly TicketField[] {
  const kinds = isPair ? ['any'] : ['any', 'single'];
  const fields = FIELDS.filter(({ amend = '' }) => kinds.includes(amend));
  const ofPair = isPair ? PAIR_FIELDS.filter(({ amend }) => amend === 'pair') : [];
  return [...fields, ...ofPair].map(formField);
}

/** A choice with a usual value names it: an amendment cannot leave a field to the service. */
function formField(field: TicketField): TicketField {
  const { kind, choices, usual } = field;
  if (kind === 'size') return { ...field, kind: 'decimal' };
  return choices === undefined || usual === undefined
    ? field
    : { ...field, choices: choices.filter((choice) => choice !== '') };
}

/** Adds the members of params under the paths of their fields. */
function flatten(known: Record<string, string>, path: string, members: object): void {
  for (const [name, value] of Object.entries(members) as [string, unknown][]) {
    if (typeof value === 'object' && value !== null) flatten(known, `${path}.${name}`, value);
    else known[`${path}.${name}`] = textOf(value);
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'number') return new Big(value).toFixed();
  return value === false ? '' : String(value);
}

/** True when the new quantity is above the present one. */
export function isMore({ values: before }: PresentTerms, values: TicketValues): boolean {
  const [old = '', wanted = ''] = [before[QUANTITY], values[QUANTITY]?.trim()];
  return DECIMAL.test(wanted) && new Big(wanted).gt(old);
}

/** The request for what differs from the present terms; findings where an amendment cannot express it. */
export function amendPlanOf(present: PresentTerms, values: TicketValues): AmendPlan | readonly Finding[] {
  const used = present.fields.filter((field) => applies(field, values));
  const changed = used.filter((field) => isChanged(field, present.values, values));
  if (changed.length === 0) return [{ field: null, text: 'nothing is changed' }];
  const findings = changed
    .filter((field) => isRemoved(field, used, values))
    .map(({ name }) => ({ field: name, text: 'an amendment can replace this, not remove it' }));
  if (findings.length > 0) return findings;
  const whole = new Set(changed.map(({ name }) => PART_OF_OBJECT.exec(name)?.[0]));
  const sent = used.filter((field) => changed.includes(field) || whole.has(PART_OF_OBJECT.exec(field.name)?.[0] ?? ''));
  const terms: Record<string, unknown> = {};
  for (const { name, kind } of sent) {
    const text = (values[name] ?? '').trim();
    if (kind === 'flag') put(terms, name.split('.'), text !== '');
    else if (text !== '') put(terms, name.split('.'), sentValue(kind, text));
  }
  const changes = changed.map(({ name, label, kind }) => ({
    label,
    before: shownText(kind, present.values[name]),
    after: shownText(kind, values[name]),
  }));
  return { terms, changes };
}

function isChanged({ name, kind }: TicketField, before: TicketValues, values: TicketValues): boolean {
  const [old, wanted] = [(before[name] ?? '').trim(), (values[name] ?? '').trim()];
  if (DECIMAL.test(old) && DECIMAL.test(wanted)) return !new Big(old).eq(wanted);
  return sentValue(kind, old) !== sentValue(kind, wanted) || (old === '') !== (wanted === '');
}

/** True for an empty field, unless it is part of an object that keeps other values. */
function isRemoved({ name, kind }: TicketField, used: readonly TicketField[], values: TicketValues): boolean {
  if (kind === 'flag' || (values[name] ?? '').trim() !== '') return false;
  const [object] = PART_OF_OBJECT.exec(name) ?? [];
  if (object === undefined) return true;
  return !used.some((other) => other.name.startsWith(`${object}.`) && (values[other.name] ?? '').trim() !== '');
}

function shownText(kind: TicketField['kind'], text = ''): string {
  if (kind === 'flag') return text === '' ? 'no' : 'yes';
  return text.trim() === '' ? 'none' : text.trim();
}
