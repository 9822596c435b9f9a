import { formatAmount, type Amount } from '../../model/amount.js';
import type { Binding } from '../../model/guardrail.js';
import type { ParentOrder } from '../../model/order.js';
import { formatLots } from '../../model/quantity.js';
import { worthOfOrder } from './claim.js';
import { held, type Asked, type Grounds, type Refusal } from './grounds.js';

export function notionalRefusal(asked: Asked, binding: Binding, { mids, catalogue }: Grounds): Refusal {
  const { maxOrderNotional: max } = binding.rules;
  if (max === null) return null;
  const worth = worthOfOrder(asked.order, mids, catalogue);
  if (worth <= max) return null;
  if (asked.before !== null && worth <= worthOfOrder(asked.before.order, mids, catalogue)) return null;
  const message = `${quantityOf(asked.order)} is worth ${usd(worth)}, above ${held(binding, 'max_order_notional', usd(max))}`;
  return { code: 'QUANTITY_EXCEED', message };
}

export function countRefusal({ before }: Asked, binding: Binding, { standing }: Grounds): Refusal {
  const { maxOpenOrders: max } = binding.rules;
  if (max === null || before !== null || standing.openOrderCount < max) return null;
  const message = `the account has ${standing.openOrderCount} open orders, and ${held(binding, 'max_open_orders', max)} allows no more`;
  return { code: 'QUANTITY_EXCEED', message };
}

export function exposureRefusal(
  { order, before }: Asked,
  binding: Binding,
  { standing, mids, catalogue }: Grounds,
): Refusal {
  const { maxGrossExposure: max } = binding.rules;
  if (max === null || order.reduceOnly) return null;
  const worth = worthOfOrder(order, mids, catalogue, before?.filled);
  const replaced = before === null ? 0n : worthOfOrder(before.order, mids, catalogue, before.filled);
  const added = worth - replaced;
  const total = (standing.grossExposure + added) as Amount;
  if (total <= max || added <= 0n) return null;
  const message =
    `${quantityOf(order)} would bring open orders and positions from ${usd(standing.grossExposure)} ` +
    `to ${usd(total)}, above ${held(binding, 'max_gross_exposure', usd(max))}`;
  return { code: 'QUANTITY_EXCEED', message };
}

/** The field that is too large. */
function quantityOf(order: ParentOrder): string {
  return order.pair === null ? `quantity ${formatLots(order.quantity, order)}` : 'target_value of both legs';
}

/** Cut at cents. */
function usd(amount: Amount): string {
  return `${formatAmount((amount - (amount % CENT)) as Amount)} USD`;
}

const CENT = 10n ** 16n;
