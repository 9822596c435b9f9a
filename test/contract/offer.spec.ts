import { expect, it } from 'vitest';
import { offerOfParam, offerOfStrategies, PARAMS_NOT_OFFERED, STRATEGIES_OFFERED } from '../../src/contract/offer.js';
import { OrderParams } from '../../src/contract/order-params.js';
import { ExecutionStrategy } from '../../src/contract/vocabulary.js';
import { STRATEGY_NAMES } from '../../src/model/order.js';
import { strategyFor } from '../../src/strategy/registry.js';
import { parentOrder } from '../http/orders.js';

it('every strategy that is offered can be worked', () => {
  for (const strategy of STRATEGIES_OFFERED) expect(strategyFor(parentOrder({ strategy }))?.name).toBe(strategy);
});

it('the documents say of every strategy and parameter whether it is offered', () => {
  expect(ExecutionStrategy.description).toContain(offerOfStrategies());
  for (const name of STRATEGY_NAMES) {
    expect(offerOfStrategies().includes(name)).toBe(!STRATEGIES_OFFERED.includes(name));
  }
  const documented = Object.entries(OrderParams.properties);
  const notOffered = documented.filter(([, { description = '' }]) => description.includes('Not offered yet'));
  expect(notOffered.map(([name]) => name).toSorted()).toEqual(PARAMS_NOT_OFFERED.map(([, name]) => name).toSorted());
  for (const [name, { description = '' }] of documented) expect(description.endsWith(offerOfParam(name))).toBe(true);
});
