import type { FollowerState } from '../../model/pair.js';
import type { sluice } from '../generated/messages.js';
import { bigInteger, integer, integerText } from './exact.js';
import { fromWireFee, toWireFee } from './fee-total.js';
import { toWireNumbers } from './memory.js';
import { orNull } from './presence.js';
import { fromWireRejection, toWireRejection } from './rejection.js';

export function toWireFollower(follower: FollowerState): sluice.v1.FollowerState.$Properties {
  return {
    filled: follower.progress.filled,
    notional: integerText(follower.progress.notional),
    makerFilled: follower.makerFilled,
    lastQuantity: follower.lastQuantity,
    lastPrice: follower.lastPrice,
    fees: follower.fees.map(toWireFee),
    childCount: follower.childCount,
    refusals: follower.refusals,
    lastRefusal: orNull(follower.lastRefusal, toWireRejection),
    memory: toWireNumbers(follower.memory),
  };
}

export function fromWireFollower(message: sluice.v1.FollowerState): FollowerState {
  return {
    progress: {
      filled: integer(message.filled, 'FollowerState.filled'),
      notional: bigInteger(message.notional, 'FollowerState.notional'),
    },
    makerFilled: integer(message.makerFilled, 'FollowerState.maker_filled'),
    lastQuantity: integer(message.lastQuantity, 'FollowerState.last_quantity'),
    lastPrice: integer(message.lastPrice, 'FollowerState.last_price'),
    fees: message.fees.map(fromWireFee),
    childCount: message.childCount,
    refusals: message.refusals,
    lastRefusal: orNull(message.lastRefusal, fromWireRejection),
    memory: message.memory,
  };
}
