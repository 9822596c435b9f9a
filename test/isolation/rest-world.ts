import type { AccountId, ClientOrderId, OrderId } from '../../src/domain/ids.js';
import { amountOf } from '../../src/domain/quantity.js';
import type { AssetBalance } from '../../src/domain/venue-report.js';
import { NO_RISK_LIMITS, type RiskBounds } from '../../src/domain/risk-limit.js';

import { DEMO, OTHER, parentState } from '../http/orders.js';
import { positionsAt } from '../http/positions.js';
import { RunningServer } from '../http/running-server.js';
import { NO_LIMITS_SET } from '../intake/no-limits.js';
import { FILLED } from '../stream/sample-events.js';

const BOUNDS: RiskBounds = {
  killSwitch: null,
  bindings: [{ holder: 'account', rules: { ...NO_RISK_LIMITS, maxOpenOrders: 77 } }],
  isCounted: true,
  isValued: false,
};

/** Orders of the requesting account and of the hidden account. One client order id is used by both accounts. */
export const OWN_IDS = [900, 901, 902, 903] as const;
export const FOREIGN_IDS = [800, 801, 802, 950, 951] as const;
export const BOTH_NAMES = 'both';
export const ownName = (orderId: number): string => (orderId === OWN_IDS[0] ? BOTH_NAMES : `own-${orderId}`);
export const foreignName = (orderId: number): string =>
  orderId === FOREIGN_IDS[0] ? BOTH_NAMES : `foreign-${orderId}`;

/** The public interface for account `demo`, in a world with or without another account. */
export class RestWorld {
  readonly #running = new RunningServer();
  readonly #hasOther: boolean;

  constructor(hasOther: boolean) {
    this.#hasOther = hasOther;
    for (const orderId of OWN_IDS) this.#put(DEMO, orderId, ownName(orderId));
    if (hasOther) for (const orderId of FOREIGN_IDS) this.#put(OTHER, orderId, foreignName(orderId));
  }

  start(): Promise<void> {
    return this.#running.start({
      risk: { ...NO_LIMITS_SET, boundsOf: (account) => (account === OTHER ? BOUNDS : null) },
      accounts: {
        balances: (account, _venue, answer) => answer([this.#balanceOf(account)]),
        positions: (account, venue, answer) => answer(positionsAt(venue, this.#unitsOf(account))),
      },
    });
  }

  close(): Promise<void> {
    return this.#running.server.close();
  }

  /** The answers to `demo`, without the parts that differ in each request. */
  async ask(method: 'GET' | 'POST', path: string, payload: string): Promise<string> {
    const { status, text } =
      method === 'GET' ? await this.#running.get(path, payload) : await this.#running.post(path, payload);
    return `${status} ${text.replace(/"request_id":"[^"]*"/, '"request_id":""')}`;
  }

  /** The complete orders of the other account. */
  foreignOrders(): unknown {
    return FOREIGN_IDS.map((orderId) => this.#running.book.stateOf(orderId as OrderId));
  }

  #put(account: AccountId, id: number, name: string): void {
    const { book } = this.#running;
    const orderId = id as OrderId;
    book.put(parentState({ orderId, account, clientOrderId: name as ClientOrderId }));
    book.trading.set(orderId, [{ ...FILLED, account, orderId }]);
  }

  #balanceOf(account: AccountId): AssetBalance {
    const total = amountOf(this.#unitsOf(account), 0);
    return { asset: 'USDT', total, free: total };
  }

  /** Different data for each account; none for the other account where it does not exist. */
  #unitsOf(account: AccountId): number {
    return account === DEMO ? 5 : this.#hasOther ? 7 : 9;
  }
}
