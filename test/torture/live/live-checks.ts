import { ExactReader } from '../exact.js';
import type { ServiceRun } from '../actor.js';
import { UnstarvedTime } from '../pressure.js';
import type { ExchangeProcess } from './exchange-process.js';
import {
  acceptedTwice,
  excesses,
  inventedFills,
  ledgerOf,
  lostLive,
  missedFills,
  settledParents,
  silentWaits,
  strangers,
  wrongBalances,
  wronglyAbsent,
  wrongSums,
} from './judge.js';
import type { LedgerCopy } from './ledger-copy.js';
import type { LiveTraders } from './live-traders.js';
import { illegalOrders } from './order-statuses.js';
import { isEnded, marketName, readAccount, type AccountView } from './service-view.js';

/**
 * How long the service may take to catch up with the exchange without faults, on a machine that is not starved: a
 * child that never arrived is absent 66 s after its sending, or after the start of the process.
 */
const CAUGHT_UP_MS_MAX = 120_000;
const AGAIN_MS = 250;
/** Orders that a look during the work reads: the latest ones. */
const WATCHED_COUNT = 60;
/** The hedge of a pair may add an order of the smallest size: one lot of the coarser market, or the least notional. */
const PAIR_ALLOWANCE = '0.002';

interface CheckParts {
  readonly traders: LiveTraders;
  readonly exchange: ExchangeProcess;
  readonly exchangeName: string;
  /** Account in the ledger. */
  readonly ledgerAccount: number;
  readonly hasTextIds: boolean;
}

/** Compares one account of the service with the ledger of the exchange. */
export class LiveChecks {
  readonly #parts: CheckParts;
  /** Parents whose end was checked with their timeline. */
  readonly #judged = new Set<string>();
  /** The longest time in milliseconds until the service had caught up. */
  caughtUpMsMax = 0;

  constructor(parts: CheckParts) {
    this.#parts = parts;
  }

  /** One look at any moment, also in a storm: what must be true then. */
  async look(run: ServiceRun): Promise<void> {
    const ids = this.#parts.traders.orderIds.slice(-WATCHED_COUNT);
    const { before, view, after } = await this.#read(run, ids, (status) => !isEnded(status));
    for (const problem of this.#certain(before, view, after)) run.report(`in the storm: ${problem}`);
  }

  /** Waits until the account is connected to the exchange. Returns what the service says when it is not. */
  async connect(): Promise<string | null> {
    const { traders, exchangeName } = this.#parts;
    const { client, account } = traders.session;
    const [off = null] = await untilEmpty(async () => {
      const balances = await client.balances(exchangeName).catch((error: unknown) => String(error));
      return typeof balances === 'string' ? [`${account} is not connected without faults: ${balances}`] : [];
    });
    return off;
  }

  /** Waits without faults until the service shows what the exchange has. Reports what remains different. */
  async check(run: ServiceRun): Promise<void> {
    const { traders } = this.#parts;
    const isOff = await this.connect();
    if (isOff !== null) return run.report(isOff);
    await traders.resolveUnanswered(run);
    const time = new UnstarvedTime();
    for (;;) {
      const { before, view, after } = await this.#read(run, traders.orderIds, (status, id) => {
        return !isEnded(status) || !this.#judged.has(id);
      });
      const certain = [
        ...this.#certain(before, view, after),
        ...strangers(after, new Set(view.parents.map(({ orderId }) => orderId))),
      ];
      const settled = settledParents(after, view.parents);
      const pending = [
        ...missedFills(before, view, settledParents(before, view.parents)),
        ...wrongSums(after, view, settled),
        ...silentWaits(view),
      ];
      const tookMs = time.passedMs;
      if (certain.length > 0 || pending.length === 0 || tookMs > CAUGHT_UP_MS_MAX) {
        this.caughtUpMsMax = Math.max(this.caughtUpMsMax, Math.round(tookMs));
        for (const problem of certain) run.report(problem);
        for (const problem of pending) run.report(`after ${Math.round(tookMs)} ms without faults: ${problem}`);
        for (const id of settled) this.#judged.add(id);
        return;
      }
      await passed(AGAIN_MS);
    }
  }

  /** Ends all orders and compares balances. */
  async settle(run: ServiceRun): Promise<void> {
    const { traders, exchange, exchangeName, ledgerAccount } = this.#parts;
    const { client, account, ledger } = traders.session;
    ledger.paused.clear();
    await client.cancelAll();
    const open = await untilEmpty(async () => {
      return (await client.open()).map(
        ({ order_id: id, status, message }) => `order ${id} is ${status} (${message ?? 'no reason'})`,
      );
    });
    for (const problem of open) run.report(`after a cancel of all: ${problem}`);
    if (open.length > 0) return;
    const left = await untilEmpty(async () => {
      const { orders } = ledgerOf(await exchange.copy(), ledgerAccount);
      return orders.filter(({ isOpen }) => isOpen).map(({ clientId }) => `${clientId} is open at the exchange`);
    });
    for (const problem of left) run.report(`after the end of all orders: ${problem}`);
    if (left.length > 0) return;
    await this.check(run);
    const reader = new ExactReader(run.port, traders.session.key, run.nowMs);
    const wrong = await untilEmpty(async () => {
      const { balances } = ledgerOf(await exchange.copy(), ledgerAccount);
      const shown = (await reader.balances(exchangeName)).map(({ symbol, balance, free }) => ({
        asset: symbol,
        total: balance,
        free,
      }));
      return wrongBalances(balances, shown);
    });
    for (const problem of wrong) run.report(`balances of ${account}: ${problem}`);
  }

  #certain(before: LedgerCopy, view: AccountView, after: LedgerCopy): string[] {
    const { traders } = this.#parts;
    const allowance = new Map<string, string>();
    for (const { orderId, request } of traders.session.ledger.acknowledged.values()) {
      if (!('legs' in request)) continue;
      for (const { asset_category: category, symbol } of request.legs)
        allowance.set(`${orderId} ${marketName(category, symbol)}`, PAIR_ALLOWANCE);
    }
    return [
      ...acceptedTwice(after),
      ...excesses(after, traders.asked(), allowance),
      ...inventedFills(after, view),
      ...lostLive({ before, after }, view),
      ...wronglyAbsent(after, view),
      ...illegalOrders(view),
    ];
  }

  async #read(
    run: ServiceRun,
    ids: readonly number[],
    withTimeline: (status: string, id: string) => boolean,
  ): Promise<{ before: LedgerCopy; view: AccountView; after: LedgerCopy }> {
    const { exchange, exchangeName, ledgerAccount, traders, hasTextIds } = this.#parts;
    const reader = new ExactReader(run.port, traders.session.key, run.nowMs);
    const before = ledgerOf(await exchange.copy(), ledgerAccount);
    const view = await readAccount(reader, ids, {
      exchange: exchangeName,
      hasTextIds,
      withTimeline: ({ status, order_id: id }) => withTimeline(status, id),
    });
    return { before, view, after: ledgerOf(await exchange.copy(), ledgerAccount) };
  }
}

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Asks until the answer is empty, or the time to catch up is over. Returns the last answer. */
async function untilEmpty(ask: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const time = new UnstarvedTime();
  for (;;) {
    const left = await ask();
    if (left.length === 0 || time.passedMs > CAUGHT_UP_MS_MAX) return left;
    await passed(AGAIN_MS);
  }
}
