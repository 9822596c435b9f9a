import type { EpochMs } from '../../domain/time.js';
import { isRejected, type OrRejection } from '../../domain/rejection.js';
import type { ListedOrder } from '../../domain/venue-report.js';
import { AccountFunds } from './account-funds.js';
import type { PlacedQuery } from './exchange-client.js';
import type { KeyRefusal } from './key-check.js';
import type { QueuedRequest } from './live-exchange.js';
import { OrderPages } from './order-pages.js';
import type { OrderRequest } from './order-session.js';
import { type AccountSessionParts, WalletSession } from './wallet-session.js';

/**
 * One account at one real exchange, with a part for each wallet. Its connection is up when at least one wallet is up
 * and none is waited for. A wallet that joins later interrupts it for a moment, so that the shards ask for the children
 * there. The order sessions outlive the key: they know which children were sent when.
 */
export class AccountSession {
  readonly #parts: AccountSessionParts;
  readonly #wallets: readonly WalletSession[];
  readonly funds: AccountFunds;
  /** Orders that the exchange lists, for a reconciliation. */
  readonly placed: OrderPages;
  /** Threads that get changes of balances. */
  readonly followers = new Set<number>();
  #isUp = false;
  /** Wallets that were up when the connection was reported last. */
  #joined = new Set<WalletSession>();

  constructor(parts: AccountSessionParts) {
    this.#parts = parts;
    const { account, venue, wallets, startedAtMs } = parts;
    this.funds = new AccountFunds(account, venue, wallets.length, startedAtMs);
    this.placed = new OrderPages((query) => this.#listOrders(query), parts.nowMs);
    const common = { ...parts, funds: this.funds, isAccountUp: () => this.#isUp, onState: () => this.#judge() };
    this.#wallets = wallets.map((wallet, place) => new WalletSession({ ...common, wallet, place }));
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Why the key is not used; null: it is used, or not checked yet. */
  get refusal(): KeyRefusal | null {
    return this.#wallets.find(({ refusal }) => refusal !== null)?.refusal ?? null;
  }

  /** The account has a key, and the market list of one wallet is not read yet. */
  expect(wallet: number): void {
    this.#walletAt(wallet).expect();
  }

  /** Opens one wallet with the present key. Ends what was open there. */
  open(wallet: number): void {
    this.#walletAt(wallet).open();
  }

  /** The account has risk limits now. */
  onRiskLimits(): void {
    for (const wallet of this.#wallets) wallet.onRiskLimits();
  }

  /** The key is gone. */
  close(): void {
    for (const wallet of this.#wallets) wallet.close();
  }

  handle(request: OrderRequest, wallet: number, nowMs: EpochMs): void {
    this.#walletAt(wallet).orders.handle(request, nowMs);
  }

  /** Milliseconds until the exchange's counts of that wallet leave room for the request; 0: now. */
  turnMs(request: QueuedRequest, wallet: number): number {
    return this.#walletAt(wallet).turnMs(request);
  }

  advance(nowMs: EpochMs): void {
    for (const wallet of this.#wallets) wallet.advance(nowMs);
  }

  nextWakeMs(): number {
    return Math.min(...this.#wallets.map((wallet) => wallet.nextWakeMs()));
  }

  /** Since when the exchange knows all orders of the account. */
  get knownSinceMs(): EpochMs {
    return Math.max(...this.#wallets.map(({ knownSinceMs }) => knownSinceMs)) as EpochMs;
  }

  async #listOrders(query: PlacedQuery): Promise<OrRejection<readonly ListedOrder[]>> {
    const lists = await Promise.all(this.#wallets.map((wallet) => wallet.listOrders(query)));
    const orders: ListedOrder[] = [];
    for (const list of lists) {
      if (isRejected(list)) return list;
      orders.push(...list);
    }
    return orders;
  }

  #judge(): void {
    const isUp = this.#wallets.some((wallet) => wallet.isUp) && !this.#wallets.some((wallet) => wallet.isNeeded);
    const joined = new Set(this.#wallets.filter((wallet) => wallet.isUp));
    const isLarger = [...joined].some((wallet) => !this.#joined.has(wallet));
    this.#joined = joined;
    if (isUp && this.#isUp && isLarger) this.#setUp(false);
    if (isUp !== this.#isUp) this.#setUp(isUp);
  }

  #setUp(isUp: boolean): void {
    this.#isUp = isUp;
    const { account, log } = this.#parts;
    log.info({ account, isUp }, isUp ? 'the account is connected' : 'the account is not connected');
    this.#parts.onLink(isUp);
  }

  #walletAt(place: number): WalletSession {
    const wallet = this.#wallets[place];
    if (wallet === undefined) throw new RangeError(`no wallet ${place}`);
    return wallet;
  }
}
