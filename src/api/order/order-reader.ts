import type { AssetCategory, Venue } from '../../domain/exchange.js';
import type { Instrument, InstrumentCatalogue } from '../../domain/instrument.js';
import type { TradingStyle } from '../../domain/order.js';
import { assert, isRejected, type OrRejection, reject, type Rejection } from '../../domain/rejection.js';
import type { Field, Slot } from '../field/field-slot.js';
import { readValue } from '../field/field-value.js';
import { choiceOf, isAbsent, isJsonObject, type JsonObject, shown } from '../field/json-value.js';
import type { Parts } from './composite-values.js';

/** Typed values by member. An order or a leg is one of these. */
type Values = Record<string, unknown>;

/** A rule between fields. */
export interface Check<Checked> {
  /** Names of the fields. The check is skipped when one of them is wrong. */
  readonly needs: readonly string[];
  readonly check: (values: Checked, instrument: Instrument) => Rejection | null;
}

/**
 * Reads the fields of a request into the values of an order. The values begin as the base: defaults for a create, the
 * open order for an amendment. A field that the request does not have keeps the value of the base.
 *
 * A create stops at the first violation. A preview continues, and skips fields and checks that need a wrong field.
 */
export class OrderReader<Base extends object> {
  readonly values: Base;
  readonly violations: Rejection[] = [];
  /** null until exchange, symbol and asset category are read. */
  instrument: Instrument | null;
  readonly #catalogue: InstrumentCatalogue;
  readonly #isComplete: boolean;
  /** Names of fields that are wrong. */
  readonly #wrong = new Set<string>();

  /** The reader changes `values`. With `isComplete` it collects all violations. */
  constructor(values: Base, instrument: Instrument | null, catalogue: InstrumentCatalogue, isComplete: boolean) {
    this.values = values;
    this.instrument = instrument;
    this.#catalogue = catalogue;
    this.#isComplete = isComplete;
  }

  /** The first violation stops a create. */
  get isStopped(): boolean {
    return this.violations.length > 0 && !this.#isComplete;
  }

  /** Reads the fields of the body in the order of the slots. The slots are a constant list: their index is kept. */
  readFields(slots: readonly Slot[], body: JsonObject): void {
    // Slots of a namespace have an index of their own, so these marks stay valid.
    const marks = indexOf(slots).marksOf(body);
    for (let index = 0; index < slots.length; index += 1) {
      if (marks[index] === 0) continue;
      this.#readSlot(slots[index]!, body);
      if (this.isStopped) return;
    }
  }

  check<Checked>(checks: readonly Check<Checked>[]): void {
    for (const { needs, check } of checks) {
      if (this.isStopped) return;
      if (this.#wrong.size > 0 && needs.some((name) => this.#wrong.has(name))) continue;
      const violation = this.instrument === null ? null : check(this.values as unknown as Checked, this.instrument);
      if (violation !== null) this.violations.push(violation);
    }
  }

  #readSlot(slot: Slot, body: JsonObject): void {
    switch (slot.shape) {
      case 'VALUE': {
        const value = body[slot.name];
        if (value === undefined || value === null) {
          if (slot.isRequired) this.#refuse(slot, missing(slot.fields[0] as Field));
          return;
        }
        if (slot.needsInstrument && this.instrument === null) return this.#skip(slot);
        const read = readValue(slot.fields[0] as Field, value, this.instrument);
        if (isRejected(read)) this.#refuse(slot, read);
        else (this.values as Values)[slot.member] = read;
        return;
      }
      case 'GROUP':
        if (isAnyGiven(slot.fields, body)) this.#readParts(slot, body, this.#partsOf(slot));
        return;
      case 'OBJECT':
      case 'NAMESPACE': {
        const value = body[slot.name];
        if (isAbsent(value)) return;
        if (!isJsonObject(value)) {
          for (const { name } of slot.slots) this.#wrong.add(name);
          this.#refuse(slot, reject('INVALID_PARAM', `${slot.path} is ${shown(value)}, not an object`));
        } else if (slot.shape === 'OBJECT') this.#readParts(slot, value, { ...slot.defaultParts });
        else this.readFields(slot.slots, value);
        return;
      }
      case 'INSTRUMENT':
        this.#readInstrument(slot, body);
    }
  }

  /** Values of the fields of a group as the base has them. */
  #partsOf(slot: Slot): Parts {
    const { composite } = slot;
    const value = (this.values as Values)[slot.member];
    if (composite === null || this.instrument === null || value === composite.none) return { ...slot.defaultParts };
    return { ...slot.defaultParts, ...composite.split(value, this.instrument) };
  }

  #readParts(slot: Slot, body: JsonObject, parts: Parts): void {
    const { instrument } = this;
    if (instrument === null) return this.#skip(slot);
    const before = this.violations.length;
    for (const field of slot.fields) {
      const value = body[field.name];
      const read = !isAbsent(value)
        ? readValue(field, value, instrument)
        : field.isRequired
          ? missing(field)
          : parts[field.name];
      if (isRejected(read)) this.#refuse(slot, read);
      else parts[field.name] = read;
      if (this.isStopped) return;
    }
    if (this.violations.length > before) return;
    const { style } = this.values as { readonly style?: TradingStyle };
    const joined = slot.composite?.join(parts, instrument, style ?? 'HYBRID') ?? null;
    if (isRejected(joined)) this.#refuse(slot, joined);
    else (this.values as Values)[slot.member] = joined;
  }

  #readInstrument(slot: Slot, body: JsonObject): void {
    if (this.#wrong.has('exchange')) return this.#skip(slot);
    const values = this.values as Values;
    const found = findInstrument(slot.fields, body, values['venue'] as Venue, this.#catalogue);
    if (isRejected(found)) return this.#refuse(slot, found);
    this.instrument = found;
    values['instrument'] = found.index;
    values['symbol'] = body['symbol'];
    values['assetCategory'] = found.assetCategory;
    values['quantityPrecision'] = found.quantityPrecision;
    values['pricePrecision'] = found.pricePrecision;
    values['quantityStep'] = found.quantityStep;
    values['priceStep'] = found.priceStep;
  }

  #refuse(slot: Slot, { rejection }: { readonly rejection: Rejection }): void {
    this.violations.push(rejection);
    this.#skip(slot);
  }

  #skip({ name, fields }: Slot): void {
    this.#wrong.add(name);
    for (const field of fields) this.#wrong.add(field.name);
  }
}

/** Finds the slots that a request has, without a look-up of each field that it could have. */
class SlotIndex {
  /** 1 for the slots to read. It is valid until the next call of `marksOf`. */
  readonly #marks: Uint8Array;
  /** 1 for slots that are read in any case: their absence is a violation. */
  readonly #always: Uint8Array;
  readonly #indexByName = new Map<string, number>();

  constructor(slots: readonly Slot[]) {
    this.#marks = new Uint8Array(slots.length);
    this.#always = Uint8Array.from(slots, ({ shape, isRequired }) =>
      shape === 'INSTRUMENT' || (shape === 'VALUE' && isRequired) ? 1 : 0,
    );
    for (const [index, slot] of slots.entries()) {
      const names = slot.shape === 'GROUP' ? slot.fields.map(({ name }) => name) : [slot.name];
      for (const name of names) {
        assert(!this.#indexByName.has(name), `field ${name} belongs to one slot`);
        this.#indexByName.set(name, index);
      }
    }
  }

  /** Marks the slots to read, in the order of the slots. */
  marksOf(body: JsonObject): Uint8Array {
    this.#marks.set(this.#always);
    for (const name in body) {
      const index = this.#indexByName.get(name);
      if (index !== undefined) this.#marks[index] = 1;
    }
    return this.#marks;
  }
}

const indexes = new WeakMap<readonly Slot[], SlotIndex>();

/** The index of a list of slots. It is made at the first use of the list. */
function indexOf(slots: readonly Slot[]): SlotIndex {
  let index = indexes.get(slots);
  if (index === undefined) indexes.set(slots, (index = new SlotIndex(slots)));
  return index;
}

function missing({ missingCode, path }: Field): OrRejection<never> {
  return reject(missingCode, `${path} is missing`);
}

function isAnyGiven(fields: readonly Field[], body: JsonObject): boolean {
  for (const { name } of fields) if (!isAbsent(body[name])) return true;
  return false;
}

/**
 * Finds the instrument by symbol and asset category. When the exchange lists the symbol in no category, the violation
 * names the symbol and not the category.
 */
function findInstrument(
  [symbolField, categoryField]: readonly Field[],
  body: JsonObject,
  venue: Venue,
  catalogue: InstrumentCatalogue,
): OrRejection<Instrument> {
  const symbol = body[symbolField?.name ?? ''];
  if (isAbsent(symbol)) return reject('INVALID_SYMBOL', 'symbol is missing');
  if (typeof symbol !== 'string') return reject('INVALID_SYMBOL', `symbol ${shown(symbol)} is not text`);
  const names = categoryField?.names as readonly AssetCategory[];
  const given = body['asset_category'];
  const category = choiceOf(names, given);
  if (category === null) {
    const isListed = names.some((name) => catalogue.find(venue, name, symbol) !== null);
    if (!isListed && names.some((name) => catalogue.isUnread(venue, name))) return unread(venue);
    if (!isListed) return reject('INVALID_SYMBOL', `symbol ${shown(symbol)} is no instrument of ${venue}`);
    if (isAbsent(given)) return reject('INVALID_REQUEST', 'asset_category is missing');
    return reject('INVALID_PARAM', `asset_category ${shown(given)} is not one of ${names.join(', ')}`);
  }
  const instrument = catalogue.find(venue, category, symbol);
  if (instrument?.isTrading === false) {
    return reject('INVALID_SYMBOL', `symbol ${shown(symbol)} does not trade at ${venue} now`);
  }
  if (instrument !== null) return catalogue.takesOrders(venue) ? instrument : besideReal(venue);
  if (catalogue.isUnread(venue, category)) return unread(venue);
  const named = catalogue.namedWithoutSlash(venue, category, symbol);
  const what = `${category} instrument of ${venue}`;
  if (named.length === 0) return reject('INVALID_SYMBOL', `symbol ${shown(symbol)} is no ${what}`);
  const symbols = named.map((one) => one.symbol).join(', ');
  return reject('INVALID_SYMBOL', `symbol ${shown(symbol)} names more than one ${what}: ${symbols}`);
}

function besideReal(venue: Venue): OrRejection<never> {
  const rule = 'SLUICE_LIVE names other exchanges, and a process that trades at them simulates no orders';
  return reject('EXCHANGE_NOT_AVAILABLE', `${venue} is simulated: ${rule}`);
}

/** The symbol may be right: only the exchange knows its markets. */
function unread(venue: Venue): OrRejection<never> {
  return reject('EXCHANGE_NOT_AVAILABLE', `${venue} is not connected yet: its market list was not read`);
}
