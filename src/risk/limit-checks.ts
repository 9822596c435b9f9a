import { isLarger } from '../domain/order-legs.js';
import { type Amount, formatAmount, formatLots } from '../domain/quantity.js';
import type { AppliedLimits, RiskBounds, RiskLimitName, EngagedKillSwitch } from '../domain/risk-limit.js';
import type { InstrumentCatalogue } from '../domain/instrument.js';
import type { Leg, ParentOrder } from '../domain/order.js';
import type { Rejection } from '../domain/rejection.js';
import { type Filled, midOf, type Mids, worthOfOrder } from './order-worth.js';
import { checkPriceCollar, isPriced, type LegBefore } from './price-collar.js';
import { mayMeet, type OwnQuote, reachOf } from './self-cross.js';

/** A risk limit that an order violates, with the refusal. */
export interface Violation {
  readonly limit: RiskLimitName;
  readonly rejection: Rejection;
}

type LimitCheck = (asked: Asked, binding: AppliedLimits, grounds: Grounds) => Refusal;
type LegCheck = (leg: Leg, binding: AppliedLimits, grounds: Grounds, before: LegBefore | null) => Refusal;

/** In the order of the violations in an answer. */
const LIMIT_CHECKS: readonly (readonly [RiskLimitName, LimitCheck])[] = [
  ['allowed_exchanges', whileGrowing(ofFirstLeg(checkAllowedExchange))],
  ['allowed_symbols', whileGrowing(ofFirstLeg(checkAllowedSymbol))],
  ['price_collar_bps', ofFirstLeg(checkCollar)],
  ['self_cross', ofFirstLeg(checkSelfCross)],
  ['max_order_notional', checkOrderNotional],
  ['max_open_orders', checkOpenOrderCount],
  ['max_gross_exposure', checkGrossExposure],
];

/** Every limit that the order violates, in a fixed order; empty: it is allowed. A pure function. */
export function checkRiskLimits(asked: Asked, grounds: Grounds): Violation[] {
  const { killSwitch, bindings } = grounds.bounds;
  const violations: Violation[] = [];
  if (killSwitch !== null)
    violations.push({ limit: 'kill_switch', rejection: killSwitchRefusal(killSwitch, asked.order) });
  for (const binding of bindings) {
    for (const [limit, check] of LIMIT_CHECKS) {
      const refusal = check(asked, binding, grounds);
      if (refusal === null) continue;
      const { code, message } = refusal;
      violations.push({ limit, rejection: { code, message, reason: 'RISK_LIMIT' } });
    }
  }
  return violations;
}

export function killSwitchRefusal(
  { scope, engagedAtMs, by }: EngagedKillSwitch,
  { account }: Pick<ParentOrder, 'account'>,
): Rejection {
  const whose = scope === 'service' ? 'of the whole service' : `of account ${account}`;
  const who = by === 'OPERATOR' ? 'the operator' : 'one of its API keys';
  const since = new Date(engagedAtMs).toISOString();
  const message = `the kill switch ${whose} was engaged by ${who} at ${since}; the operator releases it`;
  return { code: 'OTHER', message, reason: 'KILL_SWITCH' };
}

/** An amendment that does not increase the quantity is not checked. */
function whileGrowing(check: LimitCheck): LimitCheck {
  return (asked, binding, grounds) => {
    const isGrowing = asked.before === null || isLarger(asked.order, asked.before.order);
    return isGrowing ? check(asked, binding, grounds) : null;
  };
}

/** The message about a leg of a pair begins with its name: `legs[1].symbol …`. */
function ofFirstLeg(check: LegCheck): LimitCheck {
  return ({ order, before }, binding, grounds) => {
    const legsBefore = before === null ? [] : before.order.legs;
    for (const [index, leg] of order.legs.entries()) {
      const legBefore = legsBefore[index];
      const was = legBefore === undefined ? null : { leg: legBefore, hasStarted: before?.hasStarted ?? false };
      const refusal = check(leg, binding, grounds, was);
      if (refusal === null) continue;
      return order.pair === null ? refusal : { ...refusal, message: `legs[${index}].${refusal.message}` };
    }
    return null;
  };
}

/** The order to check: a new order, or new terms of an open one. */
export interface Asked {
  readonly order: ParentOrder;
  /** The terms before; null: a new order. */
  readonly before: { readonly order: ParentOrder; readonly filled: Filled; readonly hasStarted: boolean } | null;
}

/** The account's exposure without the order to check. Only the parts that its limits need are valid. */
export interface ExposureSnapshot {
  readonly openOrderCount: number;
  /** In USD: the worth of the leaves of open orders and of futures positions. */
  readonly grossExposure: Amount;
  /** The own open order on the other side of the instrument with the furthest price. */
  readonly opposite: (leg: Leg) => OwnQuote | null;
}

/** Inputs of the checks. */
interface Grounds {
  readonly bounds: RiskBounds;
  readonly mids: Mids;
  readonly catalogue: InstrumentCatalogue;
  readonly exposure: ExposureSnapshot;
}

/** Why a limit refuses; null: it does not. */
type Refusal = Rejection | null;

/** A bounded list of names for a message. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN_MAX).join(', ');
  return names.length <= NAMES_SHOWN_MAX ? shown : `${shown} and ${names.length - NAMES_SHOWN_MAX} more`;
}

const NAMES_SHOWN_MAX = 10;

/** Names a limit in a message. */
function held({ holder }: AppliedLimits, name: RiskLimitName, value: string | number): string {
  return `${name} ${value} of ${holder === 'account' ? 'the account' : 'the API key'}`;
}

function checkOrderNotional(asked: Asked, binding: AppliedLimits, { mids, catalogue }: Grounds): Refusal {
  const { maxOrderNotional: max } = binding.rules;
  if (max === null) return null;
  const worth = worthOfOrder(asked.order, mids, catalogue);
  if (worth <= max) return null;
  if (asked.before !== null && worth <= worthOfOrder(asked.before.order, mids, catalogue)) return null;
  const message = `${quantityOf(asked.order)} is worth ${usd(worth)}, above ${held(binding, 'max_order_notional', usd(max))}`;
  return { code: 'QUANTITY_EXCEED', message };
}

function checkOpenOrderCount({ before }: Asked, binding: AppliedLimits, { exposure }: Grounds): Refusal {
  const { maxOpenOrders: max } = binding.rules;
  if (max === null || before !== null || exposure.openOrderCount < max) return null;
  const message = `the account has ${exposure.openOrderCount} open orders, and ${held(binding, 'max_open_orders', max)} allows no more`;
  return { code: 'QUANTITY_EXCEED', message };
}

function checkGrossExposure(
  { order, before }: Asked,
  binding: AppliedLimits,
  { exposure, mids, catalogue }: Grounds,
): Refusal {
  const { maxGrossExposure: max } = binding.rules;
  if (max === null || order.reduceOnly) return null;
  const worth = worthOfOrder(order, mids, catalogue, before?.filled);
  const replaced = before === null ? 0n : worthOfOrder(before.order, mids, catalogue, before.filled);
  const added = worth - replaced;
  const total = (exposure.grossExposure + added) as Amount;
  if (total <= max || added <= 0n) return null;
  const message =
    `${quantityOf(order)} would bring open orders and positions from ${usd(exposure.grossExposure)} ` +
    `to ${usd(total)}, above ${held(binding, 'max_gross_exposure', usd(max))}`;
  return { code: 'QUANTITY_EXCEED', message };
}

/** Names the quantity field in a message. */
function quantityOf(order: ParentOrder): string {
  const [first, second] = order.legs;
  return second === undefined ? `quantity ${formatLots(first.quantity, first)}` : 'target_value of both legs';
}

/** Truncated to cents. */
function usd(amount: Amount): string {
  return `${formatAmount((amount - (amount % CENT)) as Amount)} USD`;
}

const CENT = 10n ** 16n;

function checkAllowedExchange({ venue }: Leg, binding: AppliedLimits): Refusal {
  const { allowedExchanges } = binding.rules;
  if (allowedExchanges === null || allowedExchanges.includes(venue)) return null;
  const message = `exchange ${venue} is not one of ${held(binding, 'allowed_exchanges', listed(allowedExchanges))}`;
  return { code: 'INVALID_EXCHANGE', message };
}

function checkAllowedSymbol({ instrument }: Leg, binding: AppliedLimits, { catalogue }: Grounds): Refusal {
  const { allowedSymbols } = binding.rules;
  if (allowedSymbols === null) return null;
  const { symbol } = catalogue.at(instrument);
  if (allowedSymbols.includes(symbol)) return null;
  const message = `symbol ${symbol} is not one of ${held(binding, 'allowed_symbols', listed(allowedSymbols))}`;
  return { code: 'INVALID_SYMBOL', message };
}

function checkCollar(
  leg: Leg,
  binding: AppliedLimits,
  { mids, catalogue }: Grounds,
  before: LegBefore | null,
): Refusal {
  const { priceCollarBps } = binding.rules;
  if (priceCollarBps === null || !isPriced(leg)) return null;
  const instrument = catalogue.at(leg.instrument);
  const collar = { instrument, twiceMid: midOf(instrument, mids), bps: priceCollarBps };
  const violation = checkPriceCollar(leg, before, collar);
  if (violation === null) return null;
  return { ...violation, message: `${violation.message}, above ${held(binding, 'price_collar_bps', priceCollarBps)}` };
}

function checkSelfCross(
  leg: Leg,
  binding: AppliedLimits,
  { exposure, catalogue }: Grounds,
  before: LegBefore | null,
): Refusal {
  if (binding.rules.selfCross !== 'REFUSE') return null;
  const opposite = exposure.opposite(leg);
  const reach = reachOf(leg);
  if (opposite === null || !mayMeet(reach, opposite.reach)) return null;
  // An amendment that reaches no further than before adds no risk of a self-trade.
  if (before !== null && reach <= reachOf(before.leg)) return null;
  const { symbol, venue } = catalogue.at(leg.instrument);
  const message =
    `side ${leg.side} of ${symbol} on ${venue} could trade with the own open order_id ${opposite.orderId}, ` +
    `which ${held(binding, 'self_cross', 'REFUSE')} forbids`;
  return { code: 'INVALID_ORDER', message };
}
