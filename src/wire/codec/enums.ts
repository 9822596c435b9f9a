import type { Canceller } from '../../domain/cancel-cause.js';
import type { HedgeCause, IdleReason } from '../../domain/strategy-memory.js';
import type { AssetCategory, Venue } from '../../domain/exchange.js';
import type { AccountTopic } from '../../domain/event.js';
import type { SelfTradePrevention } from '../../domain/instrument.js';
import type { LiveChild } from '../../domain/order-state.js';
import type {
  ChildType,
  Liquidity,
  SettledStatus,
  Side,
  StrategyName,
  TimeInForce,
  TradingStyle,
  Trigger,
  Urgency,
} from '../../domain/order.js';
import type { MarginMode, PositionSide } from '../../domain/position.js';
import type { Contradiction, QuarantineReason } from '../../domain/quarantine.js';
import type { RejectionCode } from '../../domain/rejection.js';
import type { RequestClass } from '../../domain/venue-message.js';
import type { OrderStatusAnswer } from '../../domain/venue-report.js';
import { sluice } from '../generated/messages.js';
import { CodecError } from './message.js';

/** Numbers of a generated enum by the model's names: SIDE_BUY of Side becomes BUY. */
type Unprefixed<Wire, Prefix extends string> = {
  readonly [Key in keyof Wire as Key extends `${Prefix}_${infer Name}` ? Name : never]: Wire[keyof Wire];
};

export function unprefixed<Wire extends object, Prefix extends string>(
  prefix: Prefix,
  wire: Wire,
): Unprefixed<Wire, Prefix> {
  const numbers = Object.entries(wire).map(([key, number]) => [key.slice(prefix.length + 1), number as unknown]);
  return Object.fromEntries(numbers) as Unprefixed<Wire, Prefix>;
}

/**
 * Maps a union of the model to its protobuf enum and back by one lookup. The compiler checks that no name is missing.
 */
export class WireEnum<Name extends string, Wire extends number> {
  readonly #enum: string;
  readonly #numbers: Readonly<Record<Name, Wire>>;
  /** Indexed by number. 0 is UNSPECIFIED and has no name. */
  readonly #names: (Name | undefined)[] = [];

  constructor(enumName: string, numbers: Readonly<Record<Name, Wire>>) {
    this.#enum = enumName;
    this.#numbers = numbers;
    for (const [name, number] of Object.entries<Wire>(numbers)) {
      this.#names[number] = number === 0 ? undefined : (name as Name);
    }
  }

  /** Throws CodecError for a name outside the enum: it could be written but not read. */
  number(name: Name): Wire {
    const number = this.#numbers[name] as Wire | undefined;
    if (number === undefined) throw new CodecError(`${name} is no ${this.#enum}`);
    return number;
  }

  /** Throws CodecError for a number without a name in this version. */
  name(number: number, field: string): Name {
    const name = this.#names[number];
    if (name === undefined) throw new CodecError(`${field}: ${number} is no ${this.#enum} this version knows`);
    return name;
  }

  /** Like `name`, but UNSPECIFIED becomes the default. */
  nameOr(fallback: Name, number: number, field: string): Name {
    return number === 0 ? fallback : this.name(number, field);
  }
}

const wire = sluice.v1;

export const VENUE = new WireEnum<Venue, sluice.v1.Venue>('Venue', unprefixed('VENUE', wire.Venue));
export const ASSET_CATEGORY = new WireEnum<AssetCategory, sluice.v1.AssetCategory>(
  'AssetCategory',
  unprefixed('ASSET_CATEGORY', wire.AssetCategory),
);
export const SIDE = new WireEnum<Side, sluice.v1.Side>('Side', unprefixed('SIDE', wire.Side));
export const STRATEGY = new WireEnum<StrategyName, sluice.v1.Strategy>(
  'Strategy',
  unprefixed('STRATEGY', wire.Strategy),
);
export const STATUS = new WireEnum<SettledStatus, sluice.v1.OrderStatus>(
  'OrderStatus',
  unprefixed('ORDER_STATUS', wire.OrderStatus),
);
export const STYLE = new WireEnum<TradingStyle, sluice.v1.TradingStyle>(
  'TradingStyle',
  unprefixed('TRADING_STYLE', wire.TradingStyle),
);
export const URGENCY = new WireEnum<Urgency, sluice.v1.Urgency>('Urgency', unprefixed('URGENCY', wire.Urgency));
export const TRIGGER_CONDITION = new WireEnum<Trigger['condition'], sluice.v1.TriggerCondition>(
  'TriggerCondition',
  unprefixed('TRIGGER_CONDITION', wire.TriggerCondition),
);
export const CHILD_TYPE = new WireEnum<ChildType, sluice.v1.ChildType>(
  'ChildType',
  unprefixed('CHILD_TYPE', wire.ChildType),
);
export const TIME_IN_FORCE = new WireEnum<TimeInForce, sluice.v1.TimeInForce>(
  'TimeInForce',
  unprefixed('TIME_IN_FORCE', wire.TimeInForce),
);
export const SELF_TRADE_PREVENTION = new WireEnum<SelfTradePrevention, sluice.v1.SelfTradePrevention>(
  'SelfTradePrevention',
  unprefixed('SELF_TRADE_PREVENTION', wire.SelfTradePrevention),
);
export const REQUEST_CLASS = new WireEnum<RequestClass, sluice.v1.RequestClass>(
  'RequestClass',
  unprefixed('REQUEST_CLASS', wire.RequestClass),
);
export const LIQUIDITY = new WireEnum<Liquidity, sluice.v1.Liquidity>(
  'Liquidity',
  unprefixed('LIQUIDITY', wire.Liquidity),
);
export const REJECTION_CODE = new WireEnum<RejectionCode, sluice.v1.RejectionCode>(
  'RejectionCode',
  unprefixed('REJECTION_CODE', wire.RejectionCode),
);
export const QUERIED_STATE = new WireEnum<OrderStatusAnswer['state'], sluice.v1.QueriedState>(
  'QueriedState',
  unprefixed('QUERIED_STATE', wire.QueriedState),
);
export const MARGIN_MODE = new WireEnum<MarginMode, sluice.v1.MarginMode>(
  'MarginMode',
  unprefixed('MARGIN_MODE', wire.MarginMode),
);
export const POSITION_SIDE = new WireEnum<PositionSide, sluice.v1.PositionSide>(
  'PositionSide',
  unprefixed('POSITION_SIDE', wire.PositionSide),
);
export const QUARANTINE_REASON = new WireEnum<QuarantineReason, sluice.v1.QuarantineReason>(
  'QuarantineReason',
  unprefixed('QUARANTINE_REASON', wire.QuarantineReason),
);
export const CANCELLER = new WireEnum<Canceller, sluice.v1.Canceller>(
  'Canceller',
  unprefixed('CANCELLER', wire.Canceller),
);
export const CONTRADICTION = new WireEnum<Contradiction, sluice.v1.Contradiction>(
  'Contradiction',
  unprefixed('CONTRADICTION', wire.Contradiction),
);
export const LIVE_CHILD_STATE = new WireEnum<LiveChild['state'], sluice.v1.LiveChildState>(
  'LiveChildState',
  unprefixed('LIVE_CHILD_STATE', wire.LiveChildState),
);
/** Topics are lower case, because the public interface names them. */
export const TOPIC = new WireEnum<AccountTopic, sluice.v1.AccountTopic>('AccountTopic', {
  order: wire.AccountTopic.ACCOUNT_TOPIC_ORDER,
  child_order: wire.AccountTopic.ACCOUNT_TOPIC_CHILD_ORDER,
  trade: wire.AccountTopic.ACCOUNT_TOPIC_TRADE,
  balance: wire.AccountTopic.ACCOUNT_TOPIC_BALANCE,
  position: wire.AccountTopic.ACCOUNT_TOPIC_POSITION,
  position_risk: wire.AccountTopic.ACCOUNT_TOPIC_POSITION_RISK,
});
export const IDLE_REASON = new WireEnum<IdleReason, sluice.v1.IdleReason>(
  'IdleReason',
  unprefixed('IDLE_REASON', wire.IdleReason),
);
export const HEDGE_CAUSE = new WireEnum<HedgeCause, sluice.v1.HedgeCause>(
  'HedgeCause',
  unprefixed('HEDGE_CAUSE', wire.HedgeCause),
);
