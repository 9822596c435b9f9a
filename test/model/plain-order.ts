import type { ParentOrder } from '../../src/model/order.js';

/** What an order has when its request names no parameter: samples name only what they are about. */
export const UNPARAMETERED = {
  randomizeQuantity: false,
  postOnly: false,
  reduceOnly: false,
  would: null,
  trigger: null,
  placement: null,
  ladder: null,
  imbalanceThresholdPpm: null,
  priceLockBps: null,
  pair: null,
  revision: 0,
} as const satisfies Partial<ParentOrder>;
