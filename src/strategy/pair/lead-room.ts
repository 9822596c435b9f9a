import type { StrategyDecision, StrategyIntent, StrategyView } from '../../model/intent.js';
import type { Lots } from '../../model/quantity.js';
import { farTouch, minimumAt, unplaced } from '../placement.js';

/**
 * What of a strategy's word a leg of a pair may do: at work and unhedged together it has no more than may be unhedged. A
 * placement is cut, so that neither it nor what stays of the order is below the venue's minimum, or left out. null: nothing
 * of it can be done now, and it is as if the strategy had not been asked.
 */
export function withinRoom(decision: StrategyDecision, view: StrategyView, room: Lots): StrategyDecision | null {
  let free = unplaced(view);
  let left = room - view.working;
  const intents: StrategyIntent[] = [];
  for (const intent of decision.intents) {
    if (intent.kind === 'CancelChild') {
      intents.push(intent);
      continue;
    }
    const quantity = cut(intent.quantity, { left, free, least: leastOf(view, intent) });
    if (quantity === 0) continue;
    intents.push({ ...intent, quantity });
    left -= quantity;
    free = (free - quantity) as Lots;
  }
  return decision.intents.length > 0 && intents.length === 0 ? null : { ...decision, intents };
}

type Placement = Extract<StrategyIntent, { readonly kind: 'Place' }>;

function leastOf({ state, instrument, market }: StrategyView, { limitPrice }: Placement): Lots {
  return minimumAt(instrument, limitPrice ?? farTouch(state.order.side, market));
}

interface Bounds {
  readonly left: number;
  readonly free: Lots;
  readonly least: Lots;
}

function cut(wanted: Lots, { left, free, least }: Bounds): Lots {
  if (wanted <= left) return wanted;
  const rest = free - left;
  const quantity = rest > 0 && rest < least ? free - least : left;
  return (quantity < least ? 0 : Math.min(quantity, left)) as Lots;
}
