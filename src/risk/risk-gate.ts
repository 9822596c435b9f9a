import { type Amount, ZERO_AMOUNT } from '../domain/quantity.js';
import type { ChangeOutcome, CreateOutcome, OrderChange } from '../domain/command.js';
import { type AccountUsage, noRiskLimitCounts, type RiskBounds, type RiskLimitCounts } from '../domain/risk-limit.js';
import type { AccountId, ApiKeyId, OrderId } from '../domain/ids.js';
import type { Instrument, InstrumentCatalogue } from '../domain/instrument.js';
import type { ParentState } from '../domain/order-state.js';
import { isTerminal, type ParentOrder, type ParentOrderDraft } from '../domain/order.js';
import { isRejected, type OrRejection, type Rejection, Rejected } from '../domain/rejection.js';
import { AccountExposures, type AccountExposuresParts, type CountedAccount } from './account-exposures.js';
import {
  type ExposureSnapshot,
  type Asked,
  type Violation,
  checkRiskLimits,
  killSwitchRefusal,
} from './limit-checks.js';
import type { RiskLimitDirectory } from './limit-directory.js';
import { addUnpriced, reservedExposure, filledOf, type Mids, MidQuery, unvalued } from './order-worth.js';
import type { PendingOrder } from './exposure-reading.js';
import { isPriced } from './price-collar.js';

/** Sends commands to the shards. Each answers once. */
export interface CommandSink {
  /** Takes ownership of the draft and writes its id into it. */
  create(draft: ParentOrderDraft, answer: (outcome: CreateOutcome) => void): void;
  change(change: OrderChange, answer: (outcome: ChangeOutcome) => void): void;
}

export interface RiskGateParts {
  readonly commands: CommandSink;
  /** The risk limits of an order; null: none. Called for every order: cheap. */
  readonly boundsOf: (account: AccountId, apiKey: ApiKeyId) => RiskBounds | null;
  readonly exposures: AccountExposures;
  readonly mids: MidQuery;
  readonly catalogue: InstrumentCatalogue;
  readonly storedState: (orderId: OrderId) => ParentState | null;
  readonly counts: RiskLimitCounts;
  /** Exact at each moment, and cheap: called for every order. */
  readonly openOrders: OpenOrders;
  /** Open orders that an account may have without a limit of its own; 0: any number. */
  readonly openOrdersMax: number;
}

interface OpenOrders {
  /** Open orders of the account, those that are not durable yet included. */
  of(account: AccountId): number;
}

/** Result of the checks, with the data that they used. */
interface Judged {
  readonly violations: readonly Violation[];
  readonly mids: Mids;
  readonly counted: CountedAccount | null;
}

type JudgedAnswer = (judged: OrRejection<Judged>) => void;

const NO_MIDS: Mids = new Map();
const UNBOUND: Judged = { violations: [], mids: NO_MIDS, counted: null };

/**
 * Checks orders against the risk limits of their account and key before it sends them. It first gathers the mids, open
 * orders and positions that the limits need. Check, send and count are then one step: the check of the second of two
 * simultaneous orders includes the first one.
 */
export class RiskGate {
  readonly #parts: RiskGateParts;

  constructor(parts: RiskGateParts) {
    this.#parts = parts;
  }

  create(draft: ParentOrderDraft, answer: (outcome: CreateOutcome) => void, by: ApiKeyId): void {
    const { commands, boundsOf, openOrders, openOrdersMax } = this.#parts;
    const isUnbound = openOrdersMax === 0 || openOrders.of(draft.account) < openOrdersMax;
    if (isUnbound && boundsOf(draft.account, by) === null) return commands.create(draft, answer);
    this.#judge({ order: draft, before: null }, by, NO_MIDS, (judged) => {
      const refusal = this.#refusalOf(judged);
      if (refusal !== null || isRejected(judged)) return answer({ kind: 'refused', rejection: refusal as Rejection });
      this.#create(draft, judged, answer);
    });
  }

  change(change: OrderChange, answer: (outcome: ChangeOutcome) => void, by: ApiKeyId): void {
    const { commands, boundsOf } = this.#parts;
    if (change.kind === 'CancelParent' || change.kind === 'PauseParent') return commands.change(change, answer);
    const { account } = change.kind === 'AmendParent' ? change.order : change;
    const bounds = boundsOf(account, by);
    if (bounds === null) return commands.change(change, answer);
    if (change.kind === 'AmendParent') return this.#amend(change.order, answer, by);
    if (bounds.killSwitch === null) return commands.change(change, answer);
    this.#parts.counts.kill_switch += 1;
    answer({ kind: 'refused', rejection: killSwitchRefusal(bounds.killSwitch, { account }) });
  }

  /** All violations of the order at this moment. Places nothing. Answers once. */
  review(draft: ParentOrderDraft, by: ApiKeyId, answer: (refusals: readonly Rejection[]) => void): void {
    this.#judge({ order: draft, before: null }, by, NO_MIDS, (judged) =>
      answer(isRejected(judged) ? [judged.rejection] : judged.violations.map(({ rejection }) => rejection)),
    );
  }

  /** The risk limits of the account and the key; null: none. */
  boundsOf(account: AccountId, apiKey: ApiKeyId): RiskBounds | null {
    return this.#parts.boundsOf(account, apiKey);
  }

  /** Violations by risk limit since the service started. */
  get counts(): RiskLimitCounts {
    return this.#parts.counts;
  }

  /** The account's use of its limits; null when no limit needs a count, or the count is not known now. */
  usageOf(account: AccountId, by: ApiKeyId, answer: (usage: AccountUsage | null) => void): void {
    const bounds = this.#parts.boundsOf(account, by);
    if (bounds === null || !bounds.isCounted) return answer(null);
    this.#count(account, bounds, (counted) => {
      if (isRejected(counted)) return answer(null);
      const { openOrderCount, grossExposure } = snapshotOf(counted);
      answer({ openOrderCount, grossExposure: counted.positions === null ? null : grossExposure });
    });
  }

  #create(draft: ParentOrderDraft, { counted, mids }: Judged, answer: (outcome: CreateOutcome) => void): void {
    let isSurelyNotPlaced = false;
    this.#parts.commands.create(draft, (outcome) => {
      isSurelyNotPlaced = outcome.kind === 'refused' && outcome.unresolvedOrderId === undefined;
      if (isSurelyNotPlaced) counted?.exposure.remove(draft.orderId);
      answer(outcome);
    });
    if (counted !== null && !isSurelyNotPlaced) counted.exposure.add(this.#reservedExposure(draft, counted, mids));
  }

  #amend(order: ParentOrder, answer: (outcome: ChangeOutcome) => void, by: ApiKeyId): void {
    const { commands, storedState } = this.#parts;
    const state = storedState(order.orderId);
    // The shard refuses it with the reason.
    if (state === null || isTerminal(state.status)) return commands.change({ kind: 'AmendParent', order }, answer);
    const { amendment, startedAtMs } = state;
    const before = { order: amendment ?? state.order, filled: filledOf(state), hasStarted: startedAtMs !== null };
    this.#judge({ order, before }, by, NO_MIDS, (judged) => {
      const refusal = this.#refusalOf(judged);
      if (refusal !== null || isRejected(judged)) return answer({ kind: 'refused', rejection: refusal as Rejection });
      const { counted, mids } = judged;
      const excess = counted?.exposure.refusalOfAmendment(order.orderId) ?? null;
      if (excess !== null) return answer({ kind: 'refused', rejection: excess });
      let isSurelyNotDone = false;
      commands.change({ kind: 'AmendParent', order }, (outcome) => {
        isSurelyNotDone = outcome.kind === 'refused' && outcome.isUnresolved === undefined;
        this.#onAmendment(order, outcome);
        answer(outcome);
      });
      if (counted !== null && !isSurelyNotDone)
        counted.exposure.addAmendment(this.#reservedExposure(order, counted, mids));
    });
  }

  /** The exposure may have been read again since the amendment was sent. */
  #onAmendment(order: ParentOrder, outcome: ChangeOutcome): void {
    const exposure = this.#parts.exposures.of(order.account, false)?.exposure;
    if (outcome.kind === 'pending') exposure?.acceptAmendment(order);
    else if (outcome.isUnresolved === undefined) exposure?.dropAmendment(order);
  }

  /** Gathers the data step by step. Reads the limits again each time, because they may have changed. */
  #judge(asked: Asked, by: ApiKeyId, mids: Mids, answer: JudgedAnswer): void {
    const { boundsOf, catalogue } = this.#parts;
    const bounds = boundsOf(asked.order.account, by);
    if (bounds === null) return answer({ ...UNBOUND, violations: this.#excessOf(asked, null) });
    if (bounds.killSwitch !== null) {
      const rejection = killSwitchRefusal(bounds.killSwitch, asked.order);
      return answer({ ...UNBOUND, violations: [{ limit: 'kill_switch', rejection }] });
    }
    const missing = unpricedOf(asked, bounds, mids, catalogue);
    if (missing.length > 0) {
      return this.#parts.mids.ask(missing, mids, (found) =>
        isRejected(found) ? answer(found) : this.#judge(asked, by, found, answer),
      );
    }
    if (!bounds.isCounted) {
      const grounds = { bounds, mids, catalogue, exposure: NOTHING };
      return answer({
        violations: [...checkRiskLimits(asked, grounds), ...this.#excessOf(asked, bounds)],
        mids,
        counted: null,
      });
    }
    if (this.#counted(asked.order.account, bounds) === null) {
      return this.#count(asked.order.account, bounds, (counted) =>
        isRejected(counted) ? answer(counted) : this.#judge(asked, by, mids, answer),
      );
    }
    const counted = this.#counted(asked.order.account, bounds) as CountedAccount;
    const grounds = { bounds, mids, catalogue, exposure: snapshotOf(counted) };
    answer({
      violations: [...checkRiskLimits(asked, grounds), ...this.#excessOf(asked, bounds)],
      mids,
      counted,
    });
  }

  /** The violation of the bound that holds for an account without a max_open_orders of its own. */
  #excessOf({ order: { account }, before }: Asked, bounds: RiskBounds | null): readonly Violation[] {
    const { openOrders, openOrdersMax: max } = this.#parts;
    const isLimited = bounds?.bindings.some(
      ({ holder, rules }) => holder === 'account' && rules.maxOpenOrders !== null,
    );
    if (max === 0 || before !== null || isLimited === true) return [];
    const count = openOrders.of(account);
    if (count < max) return [];
    const message =
      `the account has ${count} open orders, and SLUICE_ACCOUNT_OPEN_ORDERS ${max} of the service allows no more; ` +
      'the operator can set max_open_orders for the account';
    return [{ limit: 'max_open_orders', rejection: { code: 'QUANTITY_EXCEED', message, reason: 'RISK_LIMIT' } }];
  }

  /** null: data must be requested first. */
  #counted(account: AccountId, { isValued }: RiskBounds): CountedAccount | null {
    const counted = this.#parts.exposures.of(account, isValued);
    const isKnown = counted !== null && (!isValued || counted.positions === null || counted.positions.isFresh);
    return isKnown ? counted : null;
  }

  #count(account: AccountId, bounds: RiskBounds, answer: (counted: OrRejection<CountedAccount>) => void): void {
    const { exposures } = this.#parts;
    const { isValued } = bounds;
    const known = exposures.of(account, isValued);
    const next = (rejection: Rejection | null): void =>
      rejection === null ? this.#count(account, bounds, answer) : answer(new Rejected(rejection));
    if (known === null) return exposures.begin(account, isValued, next);
    const { positions } = known;
    if (!isValued || positions === null || positions.isFresh) return answer(known);
    positions.freshen(next);
  }

  #reservedExposure(
    order: ParentOrder,
    { positions }: CountedAccount,
    mids: Mids,
  ): ReturnType<typeof reservedExposure> {
    return positions === null ? unvalued(order) : reservedExposure(order, mids, this.#parts.catalogue);
  }

  /** Counts the first violation and returns its rejection. */
  #refusalOf(judged: OrRejection<Judged>): Rejection | null {
    if (isRejected(judged)) return judged.rejection;
    const [violation] = judged.violations;
    if (violation === undefined) return null;
    this.#parts.counts[violation.limit] += 1;
    return violation.rejection;
  }
}

const NOTHING: ExposureSnapshot = { openOrderCount: 0, grossExposure: ZERO_AMOUNT, opposite: () => null };

function snapshotOf({ exposure, positions }: CountedAccount): ExposureSnapshot {
  return {
    openOrderCount: exposure.openOrderCount,
    grossExposure: (exposure.openWorth + (positions?.worth ?? ZERO_AMOUNT)) as Amount,
    opposite: (leg) => exposure.quotes.opposite(leg),
  };
}

/** The instruments whose mid the checks and the count of the order need and `mids` lacks. */
function unpricedOf(
  { order, before }: Asked,
  bounds: RiskBounds,
  mids: Mids,
  catalogue: InstrumentCatalogue,
): Instrument[] {
  const { bindings, isValued } = bounds;
  const isWorthNeeded = isValued || bindings.some(({ rules }) => rules.maxOrderNotional !== null);
  const isCollared = bindings.some(({ rules }) => rules.priceCollarBps !== null);
  const unpriced: Instrument[] = [];
  for (const leg of order.legs) {
    if (isWorthNeeded) addUnpriced(leg, mids, catalogue, unpriced);
    if (isCollared && isPriced(leg) && !mids.has(leg.instrument)) unpriced.push(catalogue.at(leg.instrument));
  }
  if (isWorthNeeded && before !== null) {
    for (const leg of before.order.legs) addUnpriced(leg, mids, catalogue, unpriced);
  }
  return unpriced;
}

export interface LimitedCommandsParts extends Pick<
  AccountExposuresParts,
  'whenComplete' | 'catalogue' | 'nowRealMs' | 'positions' | 'followed'
> {
  readonly storedState: (orderId: OrderId) => ParentState | null;
  readonly directory: Pick<RiskLimitDirectory, 'boundsOf' | 'onChange'>;
  readonly commands: CommandSink & { pendingOrders(account: AccountId): Iterable<PendingOrder> };
  readonly openOrders: OpenOrders;
  readonly openOrdersMax: number;
  /** Answers with twice the mid of an instrument in ticks, or with the reason why there is none. */
  readonly twiceMid: (instrument: Instrument, answer: (twiceMid: OrRejection<number>) => void) => void;
}

/** Creates the gate and its exposures. The exposures need the events of their accounts. */
export function createRiskGate(parts: LimitedCommandsParts): {
  readonly gate: RiskGate;
  readonly exposures: AccountExposures;
} {
  const { directory, commands, twiceMid, positions, storedState, whenComplete, catalogue, nowRealMs, followed } = parts;
  const { openOrders, openOrdersMax } = parts;
  const mids = new MidQuery(twiceMid);
  const exposures = new AccountExposures({
    catalogue,
    mids,
    whenComplete,
    soon: (run) => void setImmediate(run),
    pendingOrders: (account) => commands.pendingOrders(account),
    positions,
    nowRealMs,
    followed,
  });
  const gate = new RiskGate({
    commands,
    boundsOf: (account, apiKey) => directory.boundsOf(account, apiKey),
    exposures,
    mids,
    catalogue,
    storedState,
    counts: noRiskLimitCounts(),
    openOrders,
    openOrdersMax,
  });
  directory.onChange(() => exposures.forget());
  return { gate, exposures };
}
