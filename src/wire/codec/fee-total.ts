import type { FeeTotal } from '../../model/order.js';
import type { sluice } from '../generated/messages.js';
import { bigInteger, integerText } from './exact.js';

export function toWireFee(fee: FeeTotal): sluice.v1.FeeTotal.$Properties {
  return { currency: fee.currency, amount: integerText(fee.amount) };
}

export function fromWireFee(message: sluice.v1.FeeTotal): FeeTotal {
  return { currency: message.currency, amount: bigInteger(message.amount, 'FeeTotal.amount') };
}
