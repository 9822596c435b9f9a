import type { Venue } from '../../../domain/exchange.js';
import { asObject, JsonFields, type JsonObject, memberOf } from '../json/json-fields.js';
import { type ListedMarket, listMarket, type MarketRules } from './listed-market.js';

/**
 * Something in a market list that was not expected. A list is read on: only the named entry is missing or not trading.
 */
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
const NAME_SHOWN_MAX = 64;

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
      this.leaveOut('', `an entry has no ${nameMember}`);
      return null;
    }
    const entry = new MarketEntry(object, name, this);
    entry.expect(known);
    return entry;
  }

  /** Lists a market, or skips it when a field of the entry was unreadable or its rules make no instrument. */
  add(entry: MarketEntry, rules: MarketRules): void {
    const market = entry.problem ?? listMarket(rules);
    if (typeof market === 'string') return this.leaveOut(entry.name, market);
    if (this.#symbols.has(market.instrument.symbol)) {
      return this.leaveOut(entry.name, `${market.instrument.symbol} is in the list twice`);
    }
    this.#symbols.add(market.instrument.symbol);
    this.markets.push(market);
  }

  leaveOut(entry: string, reason: string): void {
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
    this.#report({ venue: this.#venue, kind, entry: entry.slice(0, NAME_SHOWN_MAX), message });
  }
}

/** One entry of a market list with its name. */
export class MarketEntry extends JsonFields {
  readonly name: string;

  constructor(object: JsonObject, name: string, list: MarketList) {
    super(object, (message) => list.unknown(name, message));
    this.name = name;
  }
}
