import type { AssetCategory, Venue } from '../../model/exchange.js';
import type { AccountTopic } from '../../model/feed.js';
import type {
  ChildType,
  LiveChild,
  Liquidity,
  RestingStatus,
  Side,
  StrategyName,
  TimeInForce,
  TradingStyle,
  Trigger,
  Urgency,
} from '../../model/order.js';
import type { MarginMode, PositionMode, PositionSide } from '../../model/position.js';
import type { Contradiction, QuarantineReason } from '../../model/quarantine.js';
import type { RejectionCode } from '../../model/rejection.js';
import type { RequestClass } from '../../model/request-class.js';
import type { SelfTradePrevention } from '../../model/self-trade-prevention.js';
import type { QueriedState } from '../../model/venue-message.js';
import { sluice } from '../generated/messages.js';
import { WireEnum, unprefixed } from './wire-enum.js';

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
export const STATUS = new WireEnum<RestingStatus, sluice.v1.OrderStatus>(
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
export const QUERIED_STATE = new WireEnum<QueriedState['state'], sluice.v1.QueriedState>(
  'QueriedState',
  unprefixed('QUERIED_STATE', wire.QueriedState),
);
export const MARGIN_MODE = new WireEnum<MarginMode, sluice.v1.MarginMode>(
  'MarginMode',
  unprefixed('MARGIN_MODE', wire.MarginMode),
);
export const POSITION_MODE = new WireEnum<PositionMode, sluice.v1.PositionMode>(
  'PositionMode',
  unprefixed('POSITION_MODE', wire.PositionMode),
);
export const POSITION_SIDE = new WireEnum<PositionSide, sluice.v1.PositionSide>(
  'PositionSide',
  unprefixed('POSITION_SIDE', wire.PositionSide),
);
export const QUARANTINE_REASON = new WireEnum<QuarantineReason, sluice.v1.QuarantineReason>(
  'QuarantineReason',
  unprefixed('QUARANTINE_REASON', wire.QuarantineReason),
);
export const CONTRADICTION = new WireEnum<Contradiction, sluice.v1.Contradiction>(
  'Contradiction',
  unprefixed('CONTRADICTION', wire.Contradiction),
);
export const LIVE_CHILD_STATE = new WireEnum<LiveChild['state'], sluice.v1.LiveChildState>(
  'LiveChildState',
  unprefixed('LIVE_CHILD_STATE', wire.LiveChildState),
);
/** Topics are lower case on the public side, which names them. */
export const TOPIC = new WireEnum<AccountTopic, sluice.v1.AccountTopic>('AccountTopic', {
  order: wire.AccountTopic.ACCOUNT_TOPIC_ORDER,
  child_order: wire.AccountTopic.ACCOUNT_TOPIC_CHILD_ORDER,
  trade: wire.AccountTopic.ACCOUNT_TOPIC_TRADE,
  balance: wire.AccountTopic.ACCOUNT_TOPIC_BALANCE,
  position: wire.AccountTopic.ACCOUNT_TOPIC_POSITION,
  position_risk: wire.AccountTopic.ACCOUNT_TOPIC_POSITION_RISK,
});
