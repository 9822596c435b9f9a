import { formatAmount } from '../../model/amount.js';
import type { PairRequest } from './pair-request.js';
import { hashOf, meaningOf } from './request-digest.js';

/**
 * Digest of a multi-leg request by its meaning, as of any other. What a leg is to fill counts as it was asked for: the
 * market moves, the request stays the same.
 */
export function pairDigestOf({ legs, leadingIndex, isLed, times, params }: PairRequest): string {
  const { maxUnhedgedValue, maxUnhedgedMs, hedgeSlippageBps } = params;
  const head = `PAIR leading=${isLed ? leadingIndex : 'none'} unhedged=${maxUnhedgedValue}:${maxUnhedgedMs} slippage=${hedgeSlippageBps}`;
  const meanings = legs.map((leg) => {
    const legTimes = { ...times, durationMs: leg.params.durationMs };
    return meaningOf({ ...leg, times: legTimes }, `${formatAmount(leg.target.value)}:${leg.target.ccy}`);
  });
  return hashOf([head, ...meanings].join('\n'));
}
