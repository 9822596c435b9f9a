import { describe, expect, it } from 'vitest';
import { NO_RISK_LIMITS } from '../../src/domain/risk-limit.js';
import type { Rejection } from '../../src/domain/rejection.js';
import { CATALOGUE, parentOrder } from '../http/orders.js';
import { pairOf } from '../domain/sample-pair.js';
import { KEY, RiskRig } from './risk-rig.js';

const MAX = 2;
const BEYOND = {
  code: 'QUANTITY_EXCEED',
  message:
    'the account has 2 open orders, and SLUICE_ACCOUNT_OPEN_ORDERS 2 of the service allows no more; ' +
    'the operator can set max_open_orders for the account',
  reason: 'RISK_LIMIT',
};

/** An account without limits of its own. */
function unlimited(max = MAX): RiskRig {
  const rig = new RiskRig({}, CATALOGUE, max);
  rig.bindings = [];
  return rig;
}

function reviewOf(rig: RiskRig): readonly Rejection[] {
  const found: Rejection[] = [];
  rig.gate.review({ ...parentOrder() }, KEY, (refusals) => found.push(...refusals));
  return found;
}

// running.md: "open orders of one account; its own risk limit may be lower or higher and wins; beyond it
// QUANTITY_EXCEED that names the bound; 0 = off"
describe('SLUICE_ACCOUNT_OPEN_ORDERS', () => {
  it('refuses the order beyond it, in create and in preview, and counts the refusal', () => {
    const rig = unlimited();
    const first = rig.open();
    rig.open();
    expect([rig.refusalOf(), reviewOf(rig)]).toEqual([BEYOND, [BEYOND]]);
    expect(rig.counts.max_open_orders).toBe(1);
    rig.setState(first, 'CANCELLED');
    expect(reviewOf(rig)).toEqual([]);
    rig.open();
    expect(rig.refusalOf()).toEqual(BEYOND);
  });

  it('holds for orders that have no answer yet', () => {
    const rig = unlimited();
    const outcomes = [rig.create(), rig.create(), rig.create()];
    rig.settle();
    expect(outcomes.flat().map(({ kind }) => kind)).toEqual(['created', 'created', 'refused']);
  });

  it('counts a pair once', () => {
    const rig = unlimited();
    const { legs, pair } = pairOf(parentOrder(), 'OKX');
    rig.open({ legs, pair });
    rig.open();
    expect(rig.refusalOf()).toEqual(BEYOND);
  });

  it('is off at 0', () => {
    const rig = unlimited(0);
    for (let count = 0; count < 5; count += 1) rig.open();
    expect(rig.refusalOf()).toBeNull();
  });

  it.each([
    ['higher', 4],
    ['lower', 1],
  ])('gives way to the own limit of the account, which may be %s', (_how, maxOpenOrders) => {
    const rig = new RiskRig({ maxOpenOrders }, CATALOGUE, MAX);
    for (let count = 0; count < maxOpenOrders; count += 1) rig.open();
    expect(rig.refusalOf()?.message).toContain(`max_open_orders ${maxOpenOrders} of the account`);
  });

  it('holds in addition to other limits of the account and to limits of the key', () => {
    const rig = new RiskRig({}, CATALOGUE, MAX);
    const key = { holder: 'key', rules: { ...NO_RISK_LIMITS, maxOpenOrders: 5 } } as const;
    rig.bindings = [{ holder: 'account', rules: { ...NO_RISK_LIMITS, allowedExchanges: ['BINANCE'] } }, key];
    rig.open();
    rig.open();
    expect(rig.refusalOf()).toEqual(BEYOND);
  });

  it('lets amendments of open orders pass', () => {
    const rig = unlimited();
    const orderId = rig.open();
    rig.open();
    expect(rig.amendRefusal(orderId, { quantity: 2 as never })).toBeNull();
  });
});
