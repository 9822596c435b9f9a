import { FAULT_RULES_MAX } from '../../model/limits.js';
import { FaultScriptError } from './fault-fields.js';
import { parseFaultRule } from './rule-reading.js';
import type { FaultRule } from './fault-rule.js';

/**
 * Reads a fault script: one JSON object a line, or all of them in one JSON array; empty lines and lines that begin with
 * `#` are passed over. Throws FaultScriptError.
 *
 *     {"fault": "reject", "code": "INSUFFICIENT_FUNDS", "venue": "BINANCE", "count": 1}
 *     {"fault": "rate-limit", "retryAfterMs": 2000, "probability": 0.1}
 *     {"fault": "unsent", "symbol": "BTC/USDT"}                       the venue never has the order; no answer comes
 *     {"fault": "lost", "report": "acknowledgement"}                  no answer comes; the order is live
 *     {"fault": "lost", "report": "fill", "side": "BUY", "after": 2}  the third fill and all later ones
 *     {"fault": "late", "report": "fill", "byMs": 1500}
 *     {"fault": "duplicated", "byMs": 60000}      {"fault": "reordered", "report": "fill"}
 *     {"fault": "overfill"}  {"fault": "wrong-price"}  {"fault": "wrong-side"}  {"fault": "unknown-child", "report": "any"}
 *     {"fault": "contradict", "says": "cancelled-over", "report": "acknowledgement", "count": 1}
 *     {"fault": "ban", "venue": "OKX", "account": "demo", "fromMs": 60000, "untilMs": 90000}
 *     {"fault": "disconnect", …}  {"fault": "maintenance", …}  {"fault": "restart", …}
 *     {"fault": "stale-book", "symbol": "ETH/USDT", …}  {"fault": "sequence-gap", …}  {"fault": "crossed-book", …}
 *
 * | field | for | meaning |
 * |---|---|---|
 * | venue, symbol, account, side | as far as it makes sense | whom it meets; absent: everybody |
 * | fromMs, untilMs | all; the last seven need untilMs | service time since the venues' start: 0 and for ever |
 * | after, count, probability | all but the last seven | so many pass, so many are hit (0 and all), each with this chance (1) |
 * | request | reject, unsent | submit (default), cancel, any; a rate limit counts any |
 * | code, message, retryAfterMs | reject | what the venue says; any code of the contract |
 * | report | lost, duplicated, late, reordered, unknown-child, contradict | fill (default), acknowledgement, end, any |
 * | says | contradict | what follows the report: other-id, cancelled-over, answered-less, rejected |
 * | byMs | late, duplicated | how much later it comes; for duplicated 0 unless said |
 */
export function parseFaultScript(text: string): readonly FaultRule[] {
  const rules = text.trimStart().startsWith('[') ? parseArray(text) : parseLines(text);
  if (rules.length > FAULT_RULES_MAX) {
    throw new FaultScriptError(`${rules.length} rules are more than ${FAULT_RULES_MAX}`);
  }
  return rules;
}

function parseArray(text: string): readonly FaultRule[] {
  const values = jsonOf(text, 'script') as readonly unknown[];
  return values.map((value, index) => parseFaultRule(value, `rule ${index + 1}`));
}

function parseLines(text: string): readonly FaultRule[] {
  return text.split('\n').flatMap((line, index) => {
    const where = `line ${index + 1}`;
    return /^\s*(#|$)/.test(line) ? [] : parseFaultRule(jsonOf(line, where), where);
  });
}

function jsonOf(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FaultScriptError(`${where}: ${(error as Error).message}`);
  }
}
