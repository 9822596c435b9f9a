import type { Venue } from '../../../domain/exchange.js';
import { type Decimal, parseDecimal, stepsBelow, ZERO } from './decimal.js';
import { type ListedMarket, listMarket, type MarketRules } from './listed-market.js';

/** Something in a market list that was not expected. A list is read on: only the named entry is missing or not trading. */
export interface ListingFinding {
  readonly venue: Venue;
  /** SKIPPED: the entry is not listed. UNKNOWN: the list has a member or a value that this reader does not know. */
  readonly kind: 'SKIPPED' | 'UNKNOWN';
  /** The exchange's name of the market; empty for the list itself. */
  readonly entry: string;
  readonly message: string;
}

export type ReportFinding = (finding: ListingFinding) => void;

/** What a reader got from one market list. Each entry is listed, skipped or out of scope. */
export interface MarketListResult {
  readonly markets: readonly ListedMarket[];
  readonly skippedCount: number;
  /** Options, dated and inverse contracts, and pairs with other quote currencies. */
  readonly outOfScopeCount: number;
}

/** Findings of one list that are reported; the others are only counted. */
const FINDINGS_MAX = 200;
const TEXT_SHOWN_MAX = 64;

/** A JSON object. Only its own members are read: a name such as `__proto__` is a name like any other. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

export function memberOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Collects the markets of one list, its findings and its counts. */
export class MarketList implements MarketListResult {
  readonly markets: ListedMarket[] = [];
  skippedCount = 0;
  outOfScopeCount = 0;
  readonly #venue: Venue;
  readonly #report: ReportFinding;
  readonly #symbols = new Set<string>();
  readonly #reported = new Set<string>();

  constructor(venue: Venue, report: ReportFinding) {
    this.#venue = venue;
    this.#report = report;
  }

  /** The entries of an array; null and a finding when it is none. */
  entries(value: unknown, where: string): readonly unknown[] | null {
    if (Array.isArray(value)) return value;
    this.#find('SKIPPED', '', `${where} is no array`);
    return null;
  }

  /** Opens an entry by its name; null when it is no object or has no name. */
  open(value: unknown, nameMember: string, known: ReadonlySet<string>): MarketEntry | null {
    const object = asObject(value);
    const name = object === null ? undefined : memberOf(object, nameMember);
    if (object === null || typeof name !== 'string' || name === '') {
      this.skip('', `an entry has no ${nameMember}`);
      return null;
    }
    const entry = new MarketEntry(object, name, this);
    entry.expect(known);
    return entry;
  }

  /** Lists a market, or skips it when a field of the entry was unreadable or its rules make no instrument. */
  add(entry: MarketEntry, rules: MarketRules): void {
    const market = entry.problem ?? listMarket(rules);
    if (typeof market === 'string') return this.skip(entry.name, market);
    if (this.#symbols.has(market.instrument.symbol)) {
      return this.skip(entry.name, `${market.instrument.symbol} is in the list twice`);
    }
    this.#symbols.add(market.instrument.symbol);
    this.markets.push(market);
  }

  skip(entry: string, reason: string): void {
    this.skippedCount += 1;
    this.#find('SKIPPED', entry, reason);
  }

  passOver(): void {
    this.outOfScopeCount += 1;
  }

  /** Reports each unknown member or value once a list. */
  unknown(entry: string, message: string): void {
    this.#find('UNKNOWN', entry, message);
  }

  #find(kind: ListingFinding['kind'], entry: string, message: string): void {
    const key = kind === 'UNKNOWN' ? message : `${entry}|${message}`;
    if (this.#reported.has(key) || this.#reported.size >= FINDINGS_MAX) return;
    this.#reported.add(key);
    this.#report({ venue: this.#venue, kind, entry: entry.slice(0, TEXT_SHOWN_MAX), message });
  }
}

/** Reads the fields of one entry. The first unreadable field is the entry's problem, and reading goes on. */
export class MarketEntry {
  readonly name: string;
  readonly #object: JsonObject;
  readonly #list: MarketList;
  readonly #path: string;
  readonly #root: MarketEntry;
  #problem: string | null = null;

  constructor(object: JsonObject, name: string, list: MarketList, path = '', root?: MarketEntry) {
    this.#object = object;
    this.name = name;
    this.#list = list;
    this.#path = path;
    this.#root = root ?? this;
  }

  get problem(): string | null {
    return this.#root.#problem;
  }

  fail(problem: string): void {
    this.#root.#problem ??= problem;
  }

  /** Reports members that are not known. */
  expect(known: ReadonlySet<string>): void {
    for (const member of Object.keys(this.#object)) {
      if (!known.has(member)) this.#list.unknown(this.name, `unknown member ${this.#path}${shown(member)}`);
    }
  }

  value(member: string): unknown {
    return memberOf(this.#object, member);
  }

  /** A text that must be there. */
  text(member: string): string {
    const value = this.value(member);
    if (typeof value === 'string' && value !== '') return value;
    this.fail(`${this.#path}${member} is no text`);
    return '';
  }

  /** A text of a known set; another one is reported and returned as it is. */
  choice(member: string, known: ReadonlySet<string>): string {
    const value = this.value(member);
    if (typeof value !== 'string') {
      this.fail(`${this.#path}${member} is no text`);
      return '';
    }
    if (!known.has(value)) this.#list.unknown(this.name, `unknown value ${this.#path}${member}=${shown(value)}`);
    return value;
  }

  /** A decimal that must be there. */
  decimal(member: string): Decimal {
    const value = this.bound(member);
    if (value === null) this.fail(`${this.#path}${member} is missing`);
    return value ?? ZERO;
  }

  /** A decimal that may be missing, null or an empty text. */
  bound(member: string): Decimal | null {
    const value = this.value(member);
    if (value === undefined || value === null || value === '') return null;
    const parsed = parseDecimal(value);
    if (parsed !== null && parsed.units >= 0n) return parsed;
    this.fail(`${this.#path}${member} ${shown(value)} is no decimal from 0`);
    return null;
  }

  /** A multiple or a rate in parts per million, cut off; null when it is missing. */
  ppm(member: string): number | null {
    const value = this.value(member);
    if (value === undefined || value === null || value === '') return null;
    const parsed = parseDecimal(value);
    const ppm = parsed === null ? Number.NaN : Number(stepsBelow(parsed, { units: 1n, precision: 6 }));
    if (Number.isSafeInteger(ppm)) return ppm;
    this.fail(`${this.#path}${member} ${shown(value)} is no rate`);
    return null;
  }

  /** A count from 1 to 2^53 - 1; null when it is missing. */
  count(member: string): number | null {
    const value = this.bound(member);
    const count = value === null ? null : Number(value.units);
    if (value === null || (value.precision === 0 && Number.isSafeInteger(count) && value.units > 0n)) return count;
    this.fail(`${this.#path}${member} is no count`);
    return null;
  }

  /** An object inside the entry; an empty one when it is missing or is no object. */
  inside(member: string, known?: ReadonlySet<string>): MarketEntry {
    return this.open(this.value(member), member, known);
  }

  open(value: unknown, path: string, known?: ReadonlySet<string>): MarketEntry {
    const entry = new MarketEntry(asObject(value) ?? {}, this.name, this.#list, `${this.#path}${path}.`, this.#root);
    if (known !== undefined) entry.expect(known);
    return entry;
  }
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : typeof value;
  return text.length > TEXT_SHOWN_MAX ? `${text.slice(0, TEXT_SHOWN_MAX)}…` : text;
}

/** A set of names from a text with blanks between them. */
export function namesIn(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
