import type { Amount } from '../../model/amount.js';
import type { Binding, Bounds, GuardrailName } from '../../model/guardrail.js';
import type { InstrumentCatalogue } from '../../model/instrument.js';
import type { ParentOrder } from '../../model/order.js';
import type { Rejection } from '../../model/rejection.js';
import type { Filled } from './claim.js';
import type { Mids, OrderPart } from './order-worth.js';
import type { OwnQuote } from './own-quotes.js';

/** An order that is to be taken, or new terms of an open one. */
export interface Asked {
  readonly order: ParentOrder;
  /** As it was until now; null: it is new. */
  readonly before: { readonly order: ParentOrder; readonly filled: Filled; readonly hasStarted: boolean } | null;
}

/** The account as it stands, without what is asked for. Only what its bounds need is looked at. */
export interface AccountStanding {
  readonly openOrderCount: number;
  /** In USD: what open orders have left and what futures positions are worth. */
  readonly grossExposure: Amount;
  /** The own open order that reaches furthest on the other side of a part's instrument. */
  readonly opposite: (part: OrderPart) => OwnQuote | null;
}

/** All that an order is judged by. */
export interface Grounds {
  readonly bounds: Bounds;
  readonly mids: Mids;
  readonly catalogue: InstrumentCatalogue;
  readonly standing: AccountStanding;
}

/** A part of an open order as it was until now. */
export interface PartBefore {
  readonly part: OrderPart;
  readonly hasStarted: boolean;
}

/** Why a guardrail refuses; null: it does not. */
export type Refusal = Rejection | null;

/** Names as a message lists them: bounded. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN_MAX).join(', ');
  return names.length <= NAMES_SHOWN_MAX ? shown : `${shown} and ${names.length - NAMES_SHOWN_MAX} more`;
}

const NAMES_SHOWN_MAX = 10;

/** A guardrail as messages name it. */
export function held({ holder }: Binding, name: GuardrailName, value: string | number): string {
  return `${name} ${value} of ${holder === 'account' ? 'the account' : 'the API key'}`;
}
