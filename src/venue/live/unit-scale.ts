import { type Amount, AMOUNT_PRECISION, formatSteps, type Grid, type Lots, type Ticks } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import { type Decimal, dividedExactly, ONE, parseDecimal, stepsAbove, stepsBelow, times } from './json/decimal.js';
import type { LiveInstrument } from './live-exchange.js';

type Scaled = Grid & Pick<LiveInstrument, 'contractSize'>;

/** Converts between decimals in units of an exchange and lots and ticks of one instrument. */
export class UnitScale {
  readonly #tick: Decimal;
  readonly #lot: Decimal;
  readonly #contract: Decimal;

  constructor({ quantityPrecision, quantityStep, pricePrecision, priceStep, contractSize }: Scaled) {
    this.#tick = { units: BigInt(priceStep), precision: pricePrecision };
    this.#lot = { units: BigInt(quantityStep), precision: quantityPrecision };
    this.#contract = parseDecimal(contractSize) ?? ONE;
  }

  /** Rounds down; null: no decimal, or too large. */
  ticks(text: string): Ticks | null {
    return stepsOf(text, null, this.#tick) as Ticks | null;
  }

  /** Rounds up: for asks and high prices. */
  ticksAbove(text: string): Ticks | null {
    const value = parseDecimal(text);
    const steps = value === null ? Number.NaN : Number(stepsAbove(value, this.#tick));
    return Number.isSafeInteger(steps) ? (steps as Ticks) : null;
  }

  /** An amount of the quote currency in units of one lot at one tick, rounded down; 0 for a text that is no decimal. */
  lotTicks(text: string): bigint {
    const value = parseDecimal(text);
    return value === null ? 0n : stepsBelow(value, times(this.#lot, this.#tick));
  }

  /** Takes a quantity in units of the exchange, which may be negative. Rounds down; null: no decimal, or too large. */
  lots(text: string): Lots | null {
    return stepsOf(text, this.#contract, this.#lot) as Lots | null;
  }

  /** A quantity in units of the exchange. Each lot is an exact number of them. */
  quantityText(lots: Lots): string {
    const base = times({ units: BigInt(lots), precision: 0 }, this.#lot);
    const quantity = dividedExactly(base, this.#contract);
    assert(quantity !== null, 'a lot is an exact number of units of the exchange');
    return formatSteps(quantity.units, quantity.precision);
  }
}

function stepsOf(text: string, unit: Decimal | null, step: Decimal): number | null {
  const value = parseDecimal(text);
  if (value === null) return null;
  const steps = stepsBelow(unit === null ? value : times(value, unit), step);
  const count = Number(steps);
  return Number.isSafeInteger(count) ? count : null;
}

/** An amount of money or of an asset; null: no decimal. Digits beyond the 18th are cut off. */
export function amountOfText(text: string): Amount | null {
  const value = parseDecimal(text);
  if (value === null) return null;
  const { units, precision } = value;
  const scale = AMOUNT_PRECISION - precision;
  return (scale >= 0 ? units * 10n ** BigInt(scale) : units / 10n ** BigInt(-scale)) as Amount;
}

const PPM: Decimal = { units: 1_000_000n, precision: 0 };

/** A fraction in units of 10^-6, rounded down; null: no decimal. */
export function ppmOf(text: string): number | null {
  const value = parseDecimal(text);
  return value === null ? null : Number(stepsBelow(times(value, PPM), ONE));
}
