import { FIND_HORIZON_MS, INSTANT_MS_MAX } from '../../model/limits.js';
import { STRATEGY_NAMES } from '../../model/order.js';
import { isRejected, reject, type OrRejection } from '../../model/rejection.js';
import type { EpochMs } from '../../model/time.js';
import { COST_DIMENSIONS, type CostDimension, type CostWindow } from '../../route/cost-question.js';
import { choiceOf, shown } from './json-field.js';
import { parseTradingVenue } from './order-subject.js';
import { arrayValues, singleValue, type Query } from './query-string.js';
import { integerValue } from './query-value.js';

const DEFAULT_WINDOW_MS = 24 * 3600 * 1000;

/** Reads from, to, by, exchange, symbol and strategy. A window that reaches too far back is clipped. */
export function parseCostQuery(query: Query, nowMs: EpochMs): OrRejection<CostWindow> {
  const to = integerValue(query, 'to', 0, INSTANT_MS_MAX);
  if (isRejected(to)) return to;
  const from = integerValue(query, 'from', 0, INSTANT_MS_MAX);
  if (isRejected(from)) return from;
  const toMs = (to ?? nowMs) as EpochMs;
  const fromMs = Math.max(from ?? toMs - DEFAULT_WINDOW_MS, nowMs - FIND_HORIZON_MS) as EpochMs;
  const by = parseDimensions(query);
  if (isRejected(by)) return by;
  const venueText = singleValue(query, 'exchange');
  if (isRejected(venueText)) return venueText;
  const venue = venueText === null ? null : parseTradingVenue(venueText);
  if (isRejected(venue)) return venue;
  const symbol = singleValue(query, 'symbol');
  if (isRejected(symbol)) return symbol;
  const strategyText = singleValue(query, 'strategy');
  if (isRejected(strategyText)) return strategyText;
  const strategy = strategyText === null ? null : choiceOf(STRATEGY_NAMES, strategyText);
  if (strategyText !== null && strategy === null) {
    return reject('INVALID_TRADE_STRATEGY', `strategy ${shown(strategyText)} is unknown`);
  }
  return { fromMs, toMs, by, venue, symbol: symbol?.toUpperCase() ?? null, strategy };
}

function parseDimensions(query: Query): OrRejection<readonly CostDimension[]> {
  const texts = arrayValues(query, 'by');
  if (texts.length === 0) return ['strategy'];
  const wanted = new Set<CostDimension>();
  for (const text of texts) {
    const dimension = COST_DIMENSIONS.find((name) => name === text.toLowerCase());
    if (dimension === undefined) {
      return reject('INVALID_PARAM', `by: ${shown(text)} is none of ${COST_DIMENSIONS.join(', ')}`);
    }
    wanted.add(dimension);
  }
  return COST_DIMENSIONS.filter((name) => wanted.has(name));
}
