import { minimumAt, minimumFault, quantityRefusal } from '../../domain/exchange-rules.js';
import type { Instrument, InstrumentCatalogue } from '../../domain/instrument.js';
import { type Leg, legOf } from '../../domain/order.js';
import {
  type Amount,
  AMOUNT_PRECISION,
  formatAmount,
  formatLots,
  formatNotional,
  type Lots,
  type Notional,
  formatHalfTicks,
  lotTickUnits,
} from '../../domain/quantity.js';
import { isRejected, type OrRejection, reject, Rejected, type Rejection } from '../../domain/rejection.js';
import { slotsOf } from '../field/field-slot.js';
import { boundedLots, parseLots } from '../field/field-value.js';
import { isJsonObject, type JsonObject, shown } from '../field/json-value.js';
import { checkLimitPrice } from '../order/order-checks.js';
import { echoedSlots, echoText } from '../order/order-echo.js';
import { DEFAULT_VALUES, defaultsOf } from '../order/order-parser.js';
import { OrderReader } from '../order/order-reader.js';
import { LEG_FIELDS } from './pair-fields.js';

/** Members of a leg that come from its request unchanged. */
type LegMembers = Omit<Leg, 'quantity' | 'ladder' | 'target' | 'requestEcho'>;

/** The typed values of a leg. */
export type LegValues = LegMembers & {
  readonly targetValue: Amount;
  /** In upper case. */
  readonly ccy: string;
  /** null: the quantity depends on the market price. */
  readonly quantity: Lots | null;
  /** null: the request does not set it. */
  readonly isLeading: boolean | null;
};

/** A leg that passed the checks of its fields. */
export interface LegRequest {
  readonly values: LegValues;
  readonly instrument: Instrument;
}

export const LEG_SLOTS = slotsOf(LEG_FIELDS);
const CLIP = LEG_SLOTS.findIndex(({ name }) => name === 'clip_size_type');
/** From exchange to strategy, one slot a list. */
const TERM_SLOTS = LEG_SLOTS.slice(0, CLIP).map((slot) => [slot]);
const OTHER_SLOTS = LEG_SLOTS.slice(CLIP);
const ECHO_SLOTS = echoedSlots(LEG_SLOTS);

const LEG_DEFAULTS = { ...defaultsOf(LEG_SLOTS), quantity: null, clip: DEFAULT_VALUES.clip };

/** Reads a leg whose names are checked. Returns the first violation in the order of LEG_FIELDS. */
export function parseLeg(leg: unknown, catalogue: InstrumentCatalogue): OrRejection<LegRequest> {
  if (!isJsonObject(leg)) return reject('INVALID_REQUEST', `is ${shown(leg)}, not an object`);
  const reader = new OrderReader({ ...LEG_DEFAULTS } as unknown as MutableLeg, null, catalogue, false);
  readTerms(reader, leg);
  if (!reader.isStopped) reader.readFields(OTHER_SLOTS, leg);
  const { values, instrument, violations } = reader;
  const [first] = violations;
  return first !== undefined || instrument === null ? new Rejected(first as Rejection) : { values, instrument };
}

type MutableLeg = { -readonly [Name in keyof LegValues]: LegValues[Name] };

function readTerms(reader: OrderReader<MutableLeg>, leg: JsonObject): void {
  // The target is checked before the limit price and the strategy are read.
  for (const slots of TERM_SLOTS) {
    reader.readFields(slots, leg);
    if (reader.isStopped) return;
    if (slots[0]?.name === 'ccy') setQuantity(reader, leg);
  }
  const { values, instrument } = reader;
  if (reader.isStopped || instrument === null) return;
  const terms = legQuantity(values, instrument);
  if (isRejected(terms)) reader.violations.push(terms.rejection);
  else values.quantity = terms;
}

/** A target in the base is a quantity on the lot grid. */
function setQuantity(reader: OrderReader<MutableLeg>, leg: JsonObject): void {
  const { values, instrument } = reader;
  if (instrument === null || values.ccy !== instrument.base) return;
  const quantity = parseLots(leg['target_value'], 'target_value', instrument);
  if (isRejected(quantity)) reader.violations.push(quantity.rejection);
  else values.quantity = quantity;
}

/**
 * Checks strategy, limit price and size of a leg. Returns its quantity; null when the quantity depends on the market.
 */
export function legQuantity(values: LegValues, instrument: Instrument): OrRejection<Lots | null> {
  const { strategy, limitPrice } = values;
  if (strategy === 'SCALE') {
    return reject('INVALID_TRADE_STRATEGY', 'strategy SCALE is not supported for a leg: a leg has no ladder');
  }
  const violation = checkLimitPrice(values);
  if (violation !== null) return new Rejected(violation);
  const quantity =
    limitPrice === null ? values.quantity : (values.quantity ?? lotsFor(values, 2 * limitPrice, instrument));
  if (quantity === null || isRejected(quantity)) return quantity;
  const fault = minimumFault({ limitPrice, ladder: null }, quantity, instrument, null);
  return fault === null ? quantity : new Rejected(quantityRefusal('target_value', fault));
}

/**
 * Converts a target in money to lots, rounded down, and checks them against the bounds of the instrument. `twicePrice`
 * is twice the price in ticks, so that a mid price is an integer.
 */
export function lotsFor(
  { targetValue, ccy }: Pick<LegValues, 'targetValue' | 'ccy'>,
  twicePrice: number,
  instrument: Instrument,
): OrRejection<Lots> {
  const { quantityPrecision, pricePrecision, quote, notionalMin } = instrument;
  const product = 10n ** BigInt(quantityPrecision + pricePrecision);
  const lotPrice = BigInt(twicePrice) * lotTickUnits(instrument) * 10n ** BigInt(AMOUNT_PRECISION);
  const lots = (2n * targetValue * product) / lotPrice;
  const price = formatHalfTicks(twicePrice, instrument);
  const subject = `target_value of ${formatAmount(targetValue)} ${ccy} at ${price}`;
  const quantity = boundedLots(lots, subject, instrument);
  if (isRejected(quantity)) return quantity;
  if (quantity >= minimumAt(instrument, twicePrice / 2)) return quantity;
  const minimum = formatNotional(BigInt(notionalMin) as Notional, instrument);
  const size = formatLots(quantity, instrument);
  return reject('INVALID_QUANTITY', `${subject} makes ${size}, which is under the minimum of ${minimum} ${quote}`);
}

/** The leg that a request makes for a quantity. Its echo has clip and params without defaults. */
export function pairLegOf({ values, instrument }: LegRequest, quantity: Lots): Leg {
  const { targetValue, ccy } = values;
  const target = { value: formatAmount(targetValue), ccy, isBase: ccy === instrument.base };
  return legOf({ ...values, quantity, ladder: null, target }, echoText(ECHO_SLOTS, values, instrument));
}
