import * as fc from 'fast-check';
import type { OrderParams } from './order-requests.js';
import type { Ladder, BookPlacement, Trigger, Would } from '../../src/domain/order.js';
import { formatSteps } from '../../src/domain/quantity.js';

type Fields = Readonly<Record<string, unknown>>;

const PRICE_PRECISION = 2;

/**
 * Writes parameters in one of the spellings that mean the same. The generator selects the spelling. It keeps each
 * arbitrary that it was asked for and compares its arguments, so these are numbers and not the values to choose from.
 */
export class ParamsSpelling {
  readonly #choose: fc.GeneratorValue;

  constructor(choose: fc.GeneratorValue) {
    this.#choose = choose;
  }

  of(params: OrderParams): Fields {
    const { durationMs, imbalanceThresholdPpm: threshold, priceLockBps } = params;
    return this.#shuffled({
      duration_seconds: durationMs === null ? this.#absent() : this.#number(durationMs, 3),
      trading_style: this.#word(params.style, 'HYBRID'),
      urgency: this.#word(params.urgency, 'MEDIUM'),
      randomize_amount: this.#flag(params.randomizeQuantity),
      would: params.would === null ? this.#absent() : this.#would(params.would, params.style),
      trigger: params.trigger === null ? this.#absent() : this.#trigger(params.trigger),
      placement_infos: this.#placement(params.placement),
      reduce_only: this.#flag(params.reduceOnly),
      ...this.#ladder(params.ladder),
      ob_imbalance_cancel: this.#flag(threshold !== null),
      ob_imbalance_threshold: threshold === null ? this.#idle('0.6') : this.#unless(750_000, threshold, 6),
      price_lock_bps: priceLockBps === null ? this.#absent() : this.#number(priceLockBps, 0),
      post_only: this.#flag(params.postOnly),
    });
  }

  #would({ price, ppmOfPercent, style }: Would, ownStyle: string): Fields {
    return this.#shuffled({
      // The arrival price takes precedence over a price in the same request.
      would_price: price === null ? this.#idle('60000') : this.#number(price, PRICE_PRECISION),
      would_pct: this.#unless(100_000_000, ppmOfPercent, 6),
      would_style: this.#word(style, ownStyle),
      would_is_arrival: this.#flag(price === null),
    });
  }

  #trigger({ price, condition }: Trigger): Fields {
    return this.#shuffled({
      trigger_price: this.#number(price, PRICE_PRECISION),
      trigger_condition: this.#word(condition, null),
    });
  }

  #placement(placement: BookPlacement | null): unknown {
    if (placement === null) return this.#idle(this.#shuffled({ placement_mode: this.#word('DEFAULT', 'DEFAULT') }));
    const isCustom = placement.mode === 'CUSTOM';
    return this.#shuffled({
      placement_mode: this.#word(placement.mode, null),
      placement: isCustom ? this.#number(placement.level, 0) : this.#idle('1'),
      cancel: isCustom ? this.#number(placement.cancelLevel, 0) : this.#idle('1'),
    });
  }

  #ladder(ladder: Ladder | null): Fields {
    const profile = { ladder_profile: this.#word('LINEAR', 'LINEAR') };
    if (ladder === null) return { ...profile, ladder_direction: this.#idle('UPWARDS'), size_skew: this.#idle('3') };
    const { start, end, skewPpm } = ladder;
    const direction = start < end ? 'UPWARDS' : 'DOWNWARDS';
    return {
      ...profile,
      start_ladder_price: this.#number(start, PRICE_PRECISION),
      end_ladder_price: this.#number(end, PRICE_PRECISION),
      ladder_direction: this.#word(direction, direction),
      size_skew: this.#unless(1_000_000, skewPpm, 6),
    };
  }

  #pick<Value>(...ways: readonly Value[]): Value {
    return ways[this.#choose(fc.nat, ways.length - 1)] as Value;
  }

  #absent(): unknown {
    return this.#pick(undefined, null);
  }

  /** A value that the parser ignores at this place. */
  #idle(value: unknown): unknown {
    return this.#pick(undefined, null, value);
  }

  #flag(value: boolean): unknown {
    return value || this.#idle(false);
  }

  #word(value: string, fallback: string | null): unknown {
    const word = this.#pick(value, value.toLowerCase());
    return value === fallback ? this.#idle(word) : word;
  }

  #unless(fallback: number, steps: number, precision: number): unknown {
    const number = this.#number(steps, precision);
    return steps === fallback ? this.#idle(number) : number;
  }

  #number(steps: number, precision: number): unknown {
    const text = formatSteps(steps, precision);
    return this.#pick<unknown>(text, Number(text), `0${text}`, text.includes('.') ? `${text}00` : `${text}.0`);
  }

  #shuffled(fields: Fields): Fields {
    const entries = Object.entries(fields);
    const order = this.#choose(fc.shuffledSubarray<number>, [...entries.keys()], { minLength: entries.length });
    return Object.fromEntries(order.map((at) => entries[at] as [string, unknown]));
  }
}
