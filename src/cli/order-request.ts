import type { OrderRequest } from '../client/index.js';
import { UsageError } from './context.js';
import type { OrderFlags } from './order-flags.js';

/** The body of a create request that the flags stand for; throws UsageError when one is missing that every order needs. */
export function orderRequest(flags: OrderFlags): OrderRequest {
  requireTerms(flags);
  return present({
    client_order_id: flags.clientOrderId,
    exchange: flags.exchange,
    subaccount: flags.subaccount,
    symbol: flags.symbol,
    asset_category: flags.category,
    side: flags.side,
    quantity: flags.quantity,
    strategy: flags.strategy,
    limit_price: flags.limitPrice,
    start_time: flags.startTime,
    end_time: flags.endTime,
    clip_size_type: flags.clip?.type,
    clip_size_val: flags.clip?.value,
    params: params(flags),
  }) as unknown as OrderRequest;
}

const TERMS = ['exchange', 'symbol', 'side', 'quantity', 'strategy'] as const;

function requireTerms(flags: OrderFlags): void {
  const missing = TERMS.filter((name) => flags[name] === undefined).map((name) => `--${name}`);
  if (missing.length > 0)
    throw new UsageError(`${missing.join(', ')} must be given, or --request with the whole order`);
}

function params(flags: OrderFlags): object | undefined {
  return present({
    duration_seconds: flags.duration,
    trading_style: flags.style,
    urgency: flags.urgency,
    randomize_amount: flags.randomize,
    reduce_only: flags.reduceOnly,
    post_only: flags.postOnly,
    would: present({
      would_price: flags.wouldPrice,
      would_pct: flags.wouldPct,
      would_style: flags.wouldStyle,
      would_is_arrival: flags.wouldArrival,
    }),
    trigger: trigger(flags),
    placement_infos: present({
      placement_mode: flags.placementMode,
      placement: flags.placeLevel,
      cancel: flags.cancelLevel,
    }),
    start_ladder_price: flags.ladderStart,
    end_ladder_price: flags.ladderEnd,
    ladder_direction: flags.ladderDirection,
    ladder_profile: flags.ladderProfile,
    // The one decimal that the contract has as a number.
    size_skew: flags.sizeSkew === undefined ? undefined : Number(flags.sizeSkew),
    ob_imbalance_cancel: flags.imbalance === undefined ? undefined : true,
    ob_imbalance_threshold: flags.imbalance === true ? undefined : flags.imbalance,
    price_lock_bps: flags.priceLockBps,
    ...flags.param,
  });
}

function trigger({ triggerAbove: above, triggerBelow: below }: OrderFlags): object | undefined {
  if (above !== undefined) return { trigger_price: above, trigger_condition: 'ABOVE' };
  return below === undefined ? undefined : { trigger_price: below, trigger_condition: 'BELOW' };
}

/** What is given of an object; undefined when nothing is. */
function present(members: Readonly<Record<string, unknown>>): object | undefined {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
