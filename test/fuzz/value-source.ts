import type { Random } from '../torture/random.js';
import type { KnownInstrument, KnownWorld } from './known-world.js';
import type { Schema, SchemaSet } from './schema-set.js';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

const OPTIONAL_SHARE = 0.25;
/** Share of orders with required fields only, which the service places and works. */
const PLAIN_ORDER_SHARE = 0.5;
const PLAIN_STRATEGIES = ['MARKET', 'LIMIT', 'TWAP'] as const;
const ELEMENTS_MAX = 3;
const INSTANT_AHEAD_MS = 3_600_000;
const MULTIPLES_MAX = 20;
/** Factor on the minimum cost, because the price may have fallen. */
const COST_RESERVE = 1.5;
const PRICE_SPREAD = 0.1;

/** Draws values that a schema allows, as a client might send them: listed instruments and existing orders. */
export class ValueSource {
  readonly #schemas: SchemaSet;
  readonly #world: KnownWorld;
  readonly #random: Random;
  readonly #nowMs: number;

  constructor(schemas: SchemaSet, world: KnownWorld, random: Random, nowMs: number) {
    this.#schemas = schemas;
    this.#world = world;
    this.#random = random;
    this.#nowMs = nowMs;
  }

  /** `name`: the field's name, which is more specific than its schema. */
  value(given: Schema, name: string): Json {
    const schema = this.#schemas.resolved(given);
    const random = this.#random;
    if (schema.const !== undefined) return schema.const as Json;
    if (schema.enum !== undefined) return random.pick(schema.enum) as Json;
    switch (schema.type ?? 'string') {
      case 'object':
        return this.#object(schema);
      case 'array': {
        const count = 1 + random.below(Math.min(ELEMENTS_MAX, schema.maxItems ?? ELEMENTS_MAX));
        return Array.from({ length: count }, () => this.value(schema.items ?? {}, name));
      }
      case 'boolean':
        return random.below(2) === 1;
      case 'integer':
      case 'number':
        return this.#number(schema, name);
      default:
        return this.#text(schema, name);
    }
  }

  #object({ properties = {}, required = [], anyOf = [] }: Schema): JsonObject {
    const needed = new Set([...required, ...(anyOf.length > 0 ? (this.#random.pick(anyOf).required ?? []) : [])]);
    const isPlain = 'strategy' in properties && this.#random.next() < PLAIN_ORDER_SHARE;
    const names = Object.keys(properties).filter(
      (name) => needed.has(name) || (!isPlain && this.#random.next() < OPTIONAL_SHARE),
    );
    const value = Object.fromEntries(names.map((name) => [name, this.value(properties[name] ?? {}, name)]));
    if (!('exchange' in value && 'symbol' in value)) return value;
    const order = isPlain ? { ...value, strategy: this.#random.pick(PLAIN_STRATEGIES) } : value;
    return { ...order, ...this.#instrumentFields(order) };
  }

  /** Draws an exchange and a symbol that it lists, with a quantity and a price on its grid. */
  #instrumentFields(value: JsonObject): JsonObject {
    const instrument = this.#random.pick(this.#world.instruments);
    const { exchange, symbol, assetClass, quantityPrecision, minQuantityLimit, minCostLimit } = instrument;
    const least = Math.max(minQuantityLimit, (minCostLimit * COST_RESERVE) / this.#world.priceOf(instrument));
    const quantity = least * (1 + this.#random.below(MULTIPLES_MAX));
    const needsPrice = 'limit_price' in value || value['strategy'] === 'LIMIT';
    return {
      exchange,
      symbol,
      ...('asset_category' in value ? { asset_category: assetClass } : {}),
      ...('quantity' in value ? { quantity: quantity.toFixed(quantityPrecision) } : {}),
      ...(needsPrice ? { limit_price: this.#priceNear(instrument) } : {}),
      ...(needsDuration(value) && !('params' in value) ? { params: { duration_seconds: '60' } } : {}),
    };
  }

  #priceNear(instrument: KnownInstrument): string {
    const share = 1 + (this.#random.next() * 2 - 1) * PRICE_SPREAD;
    return (this.#world.priceOf(instrument) * share).toFixed(instrument.pricePrecision);
  }

  #number({ minimum = 0, maximum = 1000, type }: Schema, name: string): number {
    const random = this.#random;
    const { names } = this.#world;
    if (/order_?id/i.test(name) && names.length > 0) return random.pick(names).orderId;
    if (name.endsWith('Ms')) return this.#nowMs - random.below(INSTANT_AHEAD_MS);
    const value = minimum + random.next() * (Math.min(maximum, minimum + 1000) - minimum);
    return type === 'integer' ? Math.round(value) : value;
  }

  #text({ format, examples = [], pattern = '' }: Schema, name: string): string {
    const random = this.#random;
    const { names, instruments } = this.#world;
    if (/client_?order_?id/i.test(name)) {
      const known = names.length > 0 && random.below(4) === 0 ? random.pick(names).clientOrderId : undefined;
      return known ?? `fuzz-${random.below(2 ** 32).toString(36)}`;
    }
    if (format === 'date-time') return new Date(this.#nowMs + random.below(INSTANT_AHEAD_MS)).toISOString();
    if (name === 'symbol') return random.pick(instruments).symbol;
    if (examples.length > 0) return String(random.pick(examples));
    return pattern.includes(String.raw`\d`) ? String(1 + random.below(100)) : `name ${random.below(1000)}`;
  }
}

function needsDuration({ strategy }: JsonObject): boolean {
  return strategy === 'TWAP' || strategy === 'VWAP';
}
