import type { Clip } from './order.js';
import type { Lots } from './quantity.js';

/** A hundred percent: percent are kept in units of 10^-6 percent. */
export const WHOLE_PPM_OF_PERCENT = 100_000_000;

/** Into how many children a clip cuts an order, at least 1; null when that is left to the strategy. */
export function childCountOf(clip: Clip, quantity: Lots): number | null {
  switch (clip.type) {
    case 'AUTOMATIC':
      return null;
    case 'ABSOLUTE':
      return Math.ceil(quantity / clip.quantity);
    case 'PERCENTAGE':
      return Math.ceil(WHOLE_PPM_OF_PERCENT / clip.ppmOfPercent);
    case 'ORDER_COUNT':
      return clip.count;
  }
}
