import type { AccountId, ClientOrderId, OrderId } from '../../src/model/ids.js';
import { amountOf } from '../../src/model/amount.js';
import { NO_GUARDRAILS, type Bounds } from '../../src/model/guardrail.js';
import type { AssetBalance } from '../../src/model/venue-message.js';
import { DEMO, OTHER, parentState } from '../http/orders.js';
import { positionsAt } from '../http/positions.js';
import { RunningServer } from '../http/running-server.js';
import { UNGUARDED } from '../http/unguarded.js';
import { FILLED } from '../stream/sample-events.js';

const BOUNDS: Bounds = {
  halt: null,
  bindings: [{ holder: 'account', rules: { ...NO_GUARDRAILS, maxOpenOrders: 77 } }],
  isCounted: true,
  isValued: false,
};

/** Orders of the account that asks, and of the one that must not be seen; one client order id is both accounts'. */
export const OWN_IDS = [900, 901, 902, 903] as const;
export const FOREIGN_IDS = [800, 801, 802, 950, 951] as const;
export const BOTH_NAMES = 'both';
export const ownName = (orderId: number): string => (orderId === OWN_IDS[0] ? BOTH_NAMES : `own-${orderId}`);
export const foreignName = (orderId: number): string =>
  orderId === FOREIGN_IDS[0] ? BOTH_NAMES : `foreign-${orderId}`;

/** The public interface as `demo` sees it, in a world with another account beside it, or without. */
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
      guardrails: { ...UNGUARDED, boundsOf: (account) => (account === OTHER ? BOUNDS : null) },
      balances: {
        balances: (account, _venue, answer) => answer([this.#balanceOf(account)]),
      },
      positions: {
        positions: (account, venue, answer) => answer(positionsAt(venue, this.#unitsOf(account))),
      },
    });
  }

  close(): Promise<void> {
    return this.#running.server.close();
  }

  /** What `demo` is answered, without what differs from request to request. */
  async ask(method: 'GET' | 'POST', path: string, payload: string): Promise<string> {
    const { status, text } =
      method === 'GET' ? await this.#running.get(path, payload) : await this.#running.post(path, payload);
    return `${status} ${text.replace(/"request_id":"[^"]*"/, '"request_id":""')}`;
  }

  /** The other account's orders, whole. */
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

  /** Something else for each account; of the other one nothing is known where it does not exist. */
  #unitsOf(account: AccountId): number {
    return account === DEMO ? 5 : this.#hasOther ? 7 : 9;
  }
}
