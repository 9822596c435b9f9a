import { AMOUNT_PRECISION, parseAmount, type Amount } from '../../model/amount.js';
import { reject, type OrRejection, type RejectionCode } from '../../model/rejection.js';
import { decimalText, shown, stepsOf } from './json-field.js';

/** Reads a decimal above 0, exactly; `code` is what a wrong one is refused with. */
export function parseMoney(value: unknown, field: string, code: RejectionCode): OrRejection<Amount> {
  const steps = stepsOf(value, AMOUNT_PRECISION);
  if (steps === 'not a decimal' || steps === 0)
    return reject(code, `${field} ${shown(value)} is not a decimal above 0`);
  if (steps === 'off the grid') {
    return reject(code, `${field} ${shown(value)} has more than ${AMOUNT_PRECISION} digits behind the point`);
  }
  const text = decimalText(value) ?? '';
  return parseAmount(text.includes('.') ? text.replace(/0+$/, '') : text);
}
