import type { LoopbackAccount } from '../accounts.js';
import type { LoopbackOrder } from '../order.js';
import type { OrderRefusal } from '../clearing.js';
import { OkxError } from './api-error.js';
import { amendedQuantity, checkPrice, orderTerms } from './order-form.js';
import type { RequestFields } from './request-fields.js';
import { CANCEL_ALL_AFTER, type TradingAccounts, USER, wireClientId, wireOrderId } from './trading-account.js';

/** The outcome of one order of a request: `sCode` 0, or a refusal. */
export type Outcome = Readonly<Record<string, string>>;

const BATCH_MAX = 20;
const TIMER_S_MIN = 10;
const TIMER_S_MAX = 120;

/** New orders, cancels and amendments, as REST and the sockets carry them out. */
export class TradeRequests {
  readonly #trading: TradingAccounts;
  readonly #timers = new Map<number, NodeJS.Timeout>();

  constructor(trading: TradingAccounts) {
    this.#trading = trading;
  }

  place(account: LoopbackAccount, fields: RequestFields): Outcome {
    return this.#outcome(fields, ['tag'], () => {
      const terms = orderTerms(this.#trading, account, fields);
      const { exchange } = this.#trading.market(terms.instrument.symbol);
      const placed = exchange.place(terms);
      if (typeof placed === 'string') throw refusalOf(placed, terms.side === 'BUY' ? 'USDT' : terms.instrument.base);
      return placed.order;
    });
  }

  cancel(account: LoopbackAccount, fields: RequestFields): Outcome {
    return this.#outcome(fields, [], () => {
      const order = this.#named(account, fields);
      if (order?.isOpen !== true) throw new OkxError('51400');
      this.#trading.cancel(order, USER);
      return order;
    });
  }

  amend(account: LoopbackAccount, fields: RequestFields): Outcome {
    return this.#outcome(fields, ['reqId'], () => {
      const order = this.#named(account, fields);
      if (order?.isOpen !== true) throw new OkxError('51503');
      const market = this.#trading.market(order.terms.instrument.symbol);
      const price = fields.decimal('newPx');
      const quantity = amendedQuantity(market, fields);
      if (price === null && quantity === null) throw new OkxError('51500');
      if (price !== null) checkPrice(market.market, order.terms.side, price);
      if (quantity !== null && quantity <= order.state.filled) throw new OkxError('51503');
      order.terms = {
        ...order.terms,
        wireMembers: { ...order.terms.wireMembers, reqId: fields.optional('reqId') ?? '' },
      };
      const refusal = market.exchange.amend(order, {
        price: price ?? order.terms.price,
        quantity: quantity ?? order.terms.quantity,
      });
      if (refusal !== null) throw refusalOf(refusal, order.terms.instrument.quote);
      return order;
    });
  }

  batch(orders: readonly RequestFields[], run: (fields: RequestFields) => Outcome): readonly Outcome[] {
    if (orders.length > BATCH_MAX) throw new OkxError('51111', String(BATCH_MAX));
    return orders.map(run);
  }

  /** Cancels all orders of the account after a time without another call; 0 ends the timer. */
  cancelAllAfter(account: LoopbackAccount, fields: RequestFields): Outcome {
    fields.required('timeOut');
    const seconds = fields.integer('timeOut') ?? 0;
    if (seconds !== 0 && (seconds < TIMER_S_MIN || seconds > TIMER_S_MAX)) throw new OkxError('51000', 'timeOut');
    clearTimeout(this.#timers.get(account.id));
    const nowMs = this.#trading.clock.nowMs();
    if (seconds > 0) {
      const expire = (): void => {
        for (const order of this.#trading.ordersOf(account))
          if (order.isOpen) this.#trading.cancel(order, CANCEL_ALL_AFTER);
      };
      this.#timers.set(account.id, setTimeout(expire, seconds * 1000).unref());
    }
    return { tag: '', triggerTime: seconds === 0 ? '0' : String(nowMs + seconds * 1000), ts: String(nowMs) };
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  #named(account: LoopbackAccount, fields: RequestFields): LoopbackOrder | null {
    return this.#trading.named(account, fields);
  }

  /** A refusal concerns one order. A parameter that is missing fails the whole request. */
  #outcome(fields: RequestFields, members: readonly string[], run: () => LoopbackOrder): Outcome {
    const repeated = Object.fromEntries(members.map((name) => [name, fields.optional(name) ?? '']));
    const ts = String(this.#trading.clock.nowMs());
    try {
      const order = run();
      const { clientId } = order.terms;
      return { clOrdId: wireClientId(clientId), ordId: wireOrderId(order.id), ...repeated, ts, sCode: '0', sMsg: '' };
    } catch (error) {
      if (!(error instanceof OkxError) || error.code === '50014') throw error;
      const { code, message } = error;
      const names = { clOrdId: fields.optional('clOrdId') ?? '', ordId: fields.optional('ordId') ?? '' };
      return { ...names, ...repeated, ts, sCode: code, sMsg: message };
    }
  }
}

/** The envelope of outcomes: 0 when all succeeded, 1 when none did, 2 else. */
export function tradeAnswer(outcomes: readonly Outcome[]): { code: string; msg: string; data: readonly Outcome[] } {
  const failed = outcomes.filter(({ sCode }) => sCode !== '0').length;
  if (failed === 0) return { code: '0', msg: '', data: outcomes };
  if (failed === outcomes.length) return { code: '1', msg: 'All operations failed', data: outcomes };
  return { code: '2', msg: 'Bulk operation partially succeeded.', data: outcomes };
}

function refusalOf(refusal: OrderRefusal, asset: string): OkxError {
  switch (refusal) {
    case 'DUPLICATE':
      return new OkxError('51016');
    case 'NO_FUNDS':
      return new OkxError('51008', asset);
    case 'NOTHING_TO_REDUCE':
      return new OkxError('51169');
    // The core accepts these two and ends them at once.
    case 'NO_LIQUIDITY':
    case 'WOULD_TAKE':
      return new OkxError('51109');
    default:
      refusal satisfies never;
      throw new RangeError('no such refusal');
  }
}
