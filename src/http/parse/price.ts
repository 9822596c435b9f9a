import type { Instrument } from '../../model/instrument.js';
import { formatTicks, type Ticks } from '../../model/quantity.js';
import { reject, type OrRejection, type RejectionCode } from '../../model/rejection.js';
import { shown, stepsOf } from './json-field.js';

const ONE_TICK = 1 as Ticks;

/** Reads a price on the instrument's grid and within its bounds; `code` is what a wrong one is refused with. */
export function parsePrice(
  value: unknown,
  field: string,
  code: RejectionCode,
  instrument: Instrument,
): OrRejection<Ticks> {
  const ticks = stepsOf(value, instrument.pricePrecision);
  if (ticks === 'not a decimal' || ticks === 0)
    return reject(code, `${field} ${shown(value)} is not a decimal above 0`);
  const wrong = (rule: string): OrRejection<never> =>
    reject(code, `${field} ${shown(value)} is ${rule} of ${instrument.symbol} on ${instrument.venue}`);
  if (ticks === 'off the grid') return wrong(`not a multiple of the tick ${formatTicks(ONE_TICK, instrument)}`);
  const { priceMin, priceMax } = instrument.filters;
  if (ticks === 'too large' || ticks > priceMax) return wrong(`above the maximum ${formatTicks(priceMax, instrument)}`);
  if (ticks < priceMin) return wrong(`under the minimum ${formatTicks(priceMin, instrument)}`);
  return ticks as Ticks;
}
