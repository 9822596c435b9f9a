import type { KeyObject } from 'node:crypto';
import type { AccountUsage } from '../route/guardrail/guarded-order-desk.js';
import type { CostQuestion } from '../route/cost-question.js';
import type { ChangeOutcome, CreateOutcome, OrderChange, ParentOrderDraft } from '../route/order-desk.js';
import type { Venue } from '../model/exchange.js';
import type { Bounds, GuardrailCounts, Halt, KillScope } from '../model/guardrail.js';
import type { AccountId, ApiKeyId } from '../model/ids.js';
import type { Depth } from '../model/depth.js';
import type { Instrument } from '../model/instrument.js';
import type { VolumeProfile } from '../model/intent.js';
import type { Market } from '../model/market.js';
import type { OrRejection, Rejection } from '../model/rejection.js';
import type { FundingRate } from '../model/market-feed.js';
import type { AssetBalance, FundingQuery, PositionsReport } from '../model/venue-message.js';

export type { AccountUsage } from '../route/guardrail/guarded-order-desk.js';
export {
  NO_ORDER_ID,
  type ChangeOutcome,
  type CreateOutcome,
  type OrderChange,
  type ParentOrderDraft,
} from '../route/order-desk.js';

/** Hands commands to the shards. Callbacks, each called exactly once, instead of promises: the create path is hot. */
export interface OrderDesk {
  /** Takes the draft over and writes its id into it. `by`: the key that asks, whose guardrails hold. */
  create(draft: ParentOrderDraft, answer: (outcome: CreateOutcome) => void, by: ApiKeyId): void;
  /** The caller has checked that the order is open and the account's. `by` null: a cancel, which nothing holds back. */
  change(change: OrderChange, answer: (outcome: ChangeOutcome) => void, by: ApiKeyId | null): void;
}

/** What holds an order back besides its own form and its venue. */
export interface OrderReview {
  /** Every refusal that the order would meet now; places nothing. Answers once. */
  review(draft: ParentOrderDraft, by: ApiKeyId, answer: (refusals: readonly Rejection[]) => void): void;
}

/** Asks a venue for an account's balances; a venue that does not answer is a rejection. */
export interface BalanceDesk {
  balances(account: AccountId, venue: Venue, answer: (result: OrRejection<readonly AssetBalance[]>) => void): void;
}

/** Asks a venue for an account's open positions; a venue that does not answer is a rejection. */
export interface PositionDesk {
  positions(account: AccountId, venue: Venue, answer: (result: OrRejection<PositionsReport>) => void): void;
}

/** Asks a venue what one of its futures pays, newest first; a venue that does not answer is a rejection. */
export interface FundingDesk {
  fundingRates(
    question: Omit<FundingQuery, 'kind' | 'correlationId'>,
    answer: (result: OrRejection<readonly FundingRate[]>) => void,
  ): void;
}

/** What an instrument is worth now; a market that tells no price in time is a rejection. */
export interface PriceDesk {
  /** Twice the mid in ticks, which is a whole number. */
  twiceMid(instrument: Instrument, answer: (result: OrRejection<number>) => void): void;
}

/** Has the cost of orders reckoned, in threads of their own: the answer is JSON text; null: there is no such order. */
export interface CostDesk {
  ask(question: CostQuestion, answer: (result: OrRejection<string | null>) => void): void;
}

/** What is known of markets; each answers once, and within a moment. */
export interface MarketSight {
  /** Both sides of the market; one that tells none in time is a rejection. */
  market(instrument: Instrument, answer: (market: OrRejection<Market>) => void): void;
  /** The asker's own; null when it is not shown in time. */
  book(instrument: Instrument, answer: (depth: Depth | null) => void): void;
  /** null while too little is known. The account is who the venue is told asks. */
  volume(instrument: Instrument, account: AccountId, answer: (profile: VolumeProfile | null) => void): void;
}

export type Permission = 'read' | 'trade';

/** Networks that a key is bound to. */
export interface AllowedNetworks {
  /** `address`: IPv4 or IPv6 as text; an IPv4 address mapped into IPv6 counts as itself. */
  includes(address: string): boolean;
}

/** Who signs, and how: the record decides between HMAC and RSA, never the request. */
export type ApiKeyRecord = {
  readonly apiKey: ApiKeyId;
  readonly account: AccountId;
  readonly permissions: readonly Permission[];
  /** Real time, epoch milliseconds, from which on it is refused; null: never. */
  readonly expiresAtMs: number | null;
  /** null: from everywhere. */
  readonly allowedFrom: AllowedNetworks | null;
  /** True: only the second way to sign is taken. */
  readonly needsSignV2: boolean;
} & ({ readonly kind: 'HMAC'; readonly secret: KeyObject } | { readonly kind: 'RSA'; readonly publicKey: KeyObject });

export interface KeyDirectory {
  /** Called for every request: cheap. null for an unknown or revoked key; an expired one is found. */
  find(apiKey: string): ApiKeyRecord | null;
}

/** One use of a signature, as it is kept over a restart. */
export interface KeptSignatureUse {
  readonly account: string;
  readonly mark: string;
  /** Method and path. */
  readonly target: string;
  /** Real time, epoch milliseconds. */
  readonly validUntilMs: number;
  readonly isSpent: boolean;
}

/** Keeps used signatures while they are good, for the process after this one. */
export interface SignatureStore {
  /** Called once. Uses of signatures with a time stamp before `unknownBeforeMs` may be missing. */
  load(): { readonly uses: readonly KeptSignatureUse[]; readonly unknownBeforeMs: number };
  /** `onWritten` is called once, after this turn of the event loop; false: it could not be written. */
  append(use: KeptSignatureUse, onWritten: ((isWritten: boolean) => void) | null): void;
}

export interface ListenKeys {
  /** `apiKey`: the key that asks for it, without which it is worth nothing. */
  issue(account: AccountId, apiKey: ApiKeyId): string;
}

export interface Readiness {
  readonly isReady: boolean;
  /** For people: what is up, or what is waited for. */
  readonly detail: string;
}

/** Keeps when switches take effect: real time, epoch milliseconds. */
export interface CancelSwitchStore {
  load(): Iterable<readonly [AccountId, number]>;
  /** null: off. Calls back once it is on disk. */
  put(account: AccountId, triggerAtMs: number | null, onDisk: () => void): void;
}

/** What holds the orders of accounts and of their keys. */
export interface GuardrailDesk {
  /** null: nothing does. */
  boundsOf(account: AccountId, apiKey: ApiKeyId): Bounds | null;
  /** null: nothing is counted, or it is not known now. */
  usageOf(account: AccountId, apiKey: ApiKeyId, answer: (usage: AccountUsage | null) => void): void;
  readonly counts: GuardrailCounts;
}

/** Which kill switches are engaged, by whichever process. */
export interface HaltDirectory {
  onChange(listener: () => void): void;
  /** Takes up what has changed; with `isUrgent` even if it has looked just before. */
  look(isUrgent?: boolean): void;
  haltOf(account: AccountId): Halt | null;
  readonly haltedAccounts: readonly AccountId[];
  readonly isServiceHalted: boolean;
}

export interface KillSwitchStore {
  /** Calls back once it is on disk. */
  engage(scope: KillScope, halt: Omit<Halt, 'scope'>, onDisk: () => void): void;
}

/** What pino offers of a logger. */
export interface HttpLog {
  error(context: object, message: string): void;
  info(context: object, message: string): void;
}
