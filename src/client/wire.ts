import type { Static, TSchema } from '@sinclair/typebox';
import type { BalanceList, PositionList } from '../contract/account-answer.js';
import type { CancelUpstreamOrderRequest } from '../contract/cancel-request.js';
import type { AmendOrderRequest, CancelAllAfterAnswer } from '../contract/control-request.js';
import type { ENGAGE_KILL_SWITCH, GuardrailsAnswer } from '../contract/guardrail-operations.js';
import type { OrderCost as OrderCostSchema, WindowCost as WindowCostSchema } from '../contract/cost-operations.js';
import type { FundingRateList } from '../contract/funding-answer.js';
import type { ExchangeList, InstrumentList } from '../contract/market-answer.js';
import type { CreateMultiLegsParentOrderRequest } from '../contract/multi-leg-request.js';
import type {
  OrderDetails as OrderDetailsSchema,
  TradeDetails as TradeDetailsSchema,
} from '../contract/order-answer.js';
import type { OrderSummary as OrderSummarySchema } from '../contract/order-answer.js';
import type { CreateParentOrderRequest } from '../contract/order-request.js';
import type { OrderPreview as OrderPreviewSchema } from '../contract/preview-operation.js';
import type { OrderTimeline as OrderTimelineSchema } from '../contract/timeline-operation.js';
import type { Health as HealthSchema, Ping as PingSchema } from '../contract/service-answer.js';

/*
 * Requests and answers of the REST API, as they stand on the wire. The types are those of the schemas that the service
 * publishes in /openapi.json, where each field is described.
 */

/** As it is read: nobody changes an answer. */
export type Received<Schema extends TSchema> = Frozen<Static<Schema>>;

/** As it is sent: what is undefined is left out of the JSON. */
export type Sent<Schema extends TSchema> = Loose<Static<Schema>>;

type Frozen<Value> = Value extends object ? { readonly [Name in keyof Value]: Frozen<Value[Name]> } : Value;

type Loose<Value> = Value extends object
  ? { readonly [Name in keyof Value]: Loose<Value[Name]> | OptionalOf<Value, Name> }
  : Value;

/** undefined when the object may lack the member. */
type OptionalOf<Value, Name extends keyof Value> = object extends Pick<Value, Name> ? undefined : never;

export type OrderRequest = Sent<typeof CreateParentOrderRequest>;
export type OrderParams = NonNullable<OrderRequest['params']>;
export type OrderSide = OrderRequest['side'];
/** Names an order by the service's id, the client's own, or both. */
export type OrderRef = Sent<typeof CancelUpstreamOrderRequest>;

export type OrderAmendment = Sent<typeof AmendOrderRequest>;
export type MultiLegOrderRequest = Sent<typeof CreateMultiLegsParentOrderRequest>;

export type OrderSummary = Received<typeof OrderSummarySchema>;
export type OrderDetails = Received<typeof OrderDetailsSchema>;
export type CancelAllAfter = Received<typeof CancelAllAfterAnswer>;
export type GuardrailsInForce = Received<typeof GuardrailsAnswer>;
export type KillSwitch = Received<typeof ENGAGE_KILL_SWITCH.success.schema>;
export type OrderTimeline = Received<typeof OrderTimelineSchema>;
export type TimelineEntry = OrderTimeline['events'][number];
export type OrderCost = Received<typeof OrderCostSchema>;
export type OrderCostLeg = OrderCost['legs'][number];
export type WindowCost = Received<typeof WindowCostSchema>;
export type CostGroup = WindowCost['groups'][number];
export type OrderPreview = Received<typeof OrderPreviewSchema>;
export type TradeDetails = Received<typeof TradeDetailsSchema>;
export type Balance = Received<typeof BalanceList>[number];
export type Position = Received<typeof PositionList>[number];
export type Exchange = Received<typeof ExchangeList>[number];
export type Instrument = Received<typeof InstrumentList>[number];
export type FundingRate = Received<typeof FundingRateList>[number];
export type ServerTime = Received<typeof PingSchema>;
export type ServiceHealth = Received<typeof HealthSchema>;

export const TERMINAL_STATUSES: readonly string[] = ['REJECTED', 'FILLED', 'CANCELLED', 'EXPIRED'];
