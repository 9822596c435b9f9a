import type { Instrument } from '../../model/instrument.js';
import { TRIGGER_CONDITIONS, type Trigger } from '../../model/order.js';
import { isRejected, reject, type OrRejection } from '../../model/rejection.js';
import { isAbsent, type JsonObject } from './json-field.js';
import { parseChoice } from './param-field.js';
import { parsePrice } from './price.js';

/** Reads TriggerInfo: both of its fields are needed. */
export function parseTrigger(trigger: JsonObject, instrument: Instrument): OrRejection<Trigger> {
  const given = trigger['trigger_price'];
  if (isAbsent(given)) return reject('INVALID_TRIGGER_PRICE', 'params.trigger.trigger_price is missing');
  const price = parsePrice(given, 'params.trigger.trigger_price', 'INVALID_TRIGGER_PRICE', instrument);
  if (isRejected(price)) return price;
  const condition = parseChoice(trigger, 'params.trigger.trigger_condition', TRIGGER_CONDITIONS, null);
  if (isRejected(condition)) return condition;
  if (condition === null) {
    const rule = `it is one of ${TRIGGER_CONDITIONS.join(', ')}`;
    return reject('INVALID_PARAM', `params.trigger.trigger_condition is missing: ${rule}`);
  }
  return { price, condition };
}
