import type { Accounts, LoopbackAccount } from '../accounts.js';
import { SpotClearing } from '../clearing.js';
import type { ExchangeClock } from '../clock.js';
import type { Units } from '../decimal.js';
import { Exchange } from '../exchange.js';
import type { View } from '../faults.js';
import { FuturesClearing } from '../futures-clearing.js';
import type { LoopbackInstrument } from '../instrument.js';
import type { LedgerFill } from '../ledger.js';
import type { Market } from '../market.js';
import type { LoopbackOrder, OrderState } from '../order.js';
import { OkxError } from './api-error.js';
import { OKX_INSTRUMENTS, type OkxInstrument } from './instruments.js';
import type { RequestFields } from './request-fields.js';

const FIRST_SPOT_ORDER = 100_000_000;
const FIRST_SWAP_ORDER = 500_000_000;
/** Order ids have 19 digits: more than a number of JavaScript holds. */
const ORDER_ID_BASE = 2_300_000_000_000_000_000n;
/** The exchange forgets an order that was cancelled without a fill after two hours. */
const UNFILLED_KEPT_MS = 2 * 3_600_000;
const NO_CLIENT_ID = '~';

/** One market with the core that matches it. */
export interface OkxMarket {
  readonly instrument: OkxInstrument;
  readonly exchange: Exchange;
  readonly market: Market;
}

/** An order as a request may see it. */
export interface ReportedOrder {
  readonly order: LoopbackOrder;
  readonly state: OrderState;
}

/** Spot and perpetuals of one exchange: two cores, one wallet for an account, one space of order ids. */
export class TradingAccounts {
  readonly accounts: Accounts;
  readonly clock: ExchangeClock;
  readonly spot: Exchange;
  readonly swap: Exchange;
  readonly swapClearing: FuturesClearing;
  /** Account modes by account, where a test has set one. Orders are taken as in the usual one. */
  readonly levels = new Map<number, string>();
  /** Why the exchange ended an order, where its terms do not say it: `cancelSource` by order. */
  readonly #cancelSources = new Map<number, string>();
  readonly #markets: ReadonlyMap<string, OkxMarket>;
  #unnamed = 0;

  constructor(accounts: Accounts, clock: ExchangeClock) {
    this.accounts = accounts;
    this.clock = clock;
    this.swapClearing = new FuturesClearing({
      accounts,
      markOf: (symbol) => this.swap.market(symbol)!.lastPrice,
      nowMs: () => clock.nowMs(),
    });
    const common = { clock, acceptsFirst: true };
    this.swap = new Exchange({
      ...common,
      instruments: coresOf('SWAP'),
      clearing: this.swapClearing,
      firstOrderId: FIRST_SWAP_ORDER,
    });
    this.spot = new Exchange({
      ...common,
      instruments: coresOf('SPOT'),
      clearing: new SpotClearing(accounts, (account, asset) => this.available(account, asset)),
      firstOrderId: FIRST_SPOT_ORDER,
    });
    this.#markets = new Map(
      OKX_INSTRUMENTS.map((instrument) => {
        const exchange = instrument.instType === 'SPOT' ? this.spot : this.swap;
        return [instrument.instId, { instrument, exchange, market: exchange.market(instrument.instId)! }];
      }),
    );
  }

  get markets(): readonly OkxMarket[] {
    return [...this.#markets.values()];
  }

  market(instId: string): OkxMarket {
    const found = this.#markets.get(instId);
    if (found === undefined) throw new OkxError('51001');
    return found;
  }

  /** The market that a request names by id or by number. */
  marketIn(fields: RequestFields): OkxMarket {
    const code = fields.integer('instIdCode');
    if (code === null) return this.market(fields.required('instId'));
    const found = this.markets.find(({ instrument }) => instrument.instIdCode === code);
    if (found === undefined) throw new OkxError('51001');
    return found;
  }

  instrumentOf({ terms }: Pick<LoopbackOrder, 'terms'>): OkxInstrument {
    return this.market(terms.instrument.symbol).instrument;
  }

  /** What the account may spend of an asset: the collateral of its positions and orders excluded. */
  available(account: number, asset: string): Units {
    if (asset === 'USDT') return this.swapClearing.available(account, asset);
    return this.accounts.at(account).spot.balance(asset).free;
  }

  /** A name inside the core for an order without a client id. */
  unnamed(): string {
    this.#unnamed += 1;
    return `${NO_CLIENT_ID}${this.#unnamed}`;
  }

  ordersOf({ id }: LoopbackAccount): readonly LoopbackOrder[] {
    return [...this.spot.ledger.ordersOf(id), ...this.swap.ledger.ordersOf(id)];
  }

  fillsOf({ id }: LoopbackAccount): readonly LedgerFill[] {
    return [...this.spot.ledger.fillsOf(id), ...this.swap.ledger.fillsOf(id)];
  }

  /** The newest order that a request names by exchange id or client id; an exchange id goes first. */
  named(account: LoopbackAccount, fields: RequestFields): LoopbackOrder | null {
    const name = { ordId: fields.optional('ordId'), clOrdId: fields.optional('clOrdId') };
    if (name.ordId === null && name.clOrdId === null) throw new OkxError('51003');
    const { instrument } = this.marketIn(fields);
    const own = this.ordersOf(account).filter(({ terms }) => terms.instrument === instrument.core);
    const fits = (order: LoopbackOrder): boolean =>
      name.ordId === null ? order.terms.clientId === name.clOrdId : wireOrderId(order.id) === name.ordId;
    return own.findLast((order) => order.isOpen && fits(order)) ?? own.findLast(fits) ?? null;
  }

  /** The order as the request sees it; null when it is hidden or forgotten. */
  seen(order: LoopbackOrder, view: View): ReportedOrder | null {
    const nowMs = this.clock.nowMs();
    if (nowMs - order.acceptedAtMs < view.absentMs) return null;
    const state = order.stateAt(nowMs - view.staleMs);
    if (state === null) return null;
    const isForgotten = !order.isOpen && state.filled === 0n && nowMs - state.atMs > UNFILLED_KEPT_MS;
    return isForgotten ? null : { order, state };
  }

  hasOpen(account: LoopbackAccount, clOrdId: string): boolean {
    return this.ordersOf(account).some((order) => order.isOpen && order.terms.clientId === clOrdId);
  }

  cancel(order: LoopbackOrder, source: string): void {
    this.#cancelSources.set(order.id, source);
    this.market(order.terms.instrument.symbol).exchange.cancel(order, null);
  }

  /** `cancelSource` of a state of an order; an empty text for one that is not cancelled. */
  cancelSource({ id, terms }: LoopbackOrder, { status }: OrderState): string {
    if (status === 'CANCELED') return this.#cancelSources.get(id) ?? USER;
    if (status === 'PREVENTED') return SELF_TRADE;
    if (status !== 'EXPIRED') return '';
    const isResting = terms.type === 'LIMIT' && terms.timeInForce === 'GTC';
    const { symbol } = terms.instrument;
    const isSuspended = this.market(symbol).exchange.suspensionOf(symbol) !== null;
    if (isResting && (!terms.isPostOnly || isSuspended)) return SYSTEM;
    if (terms.isPostOnly) return POST_ONLY;
    return terms.timeInForce === 'FOK' ? NOT_FILLABLE : INCOMPLETE;
  }
}

function coresOf(instType: OkxInstrument['instType']): readonly LoopbackInstrument[] {
  return OKX_INSTRUMENTS.filter((instrument) => instrument.instType === instType).map(({ core }) => core);
}

/** Of orders in a market that is delisted. */
const SYSTEM = '0';
export const USER = '1';
export const CANCEL_ALL_AFTER = '20';
const NOT_FILLABLE = '13';
const INCOMPLETE = '14';
const POST_ONLY = '31';
const SELF_TRADE = '32';

export const CANCEL_REASONS: Readonly<Record<string, string>> = {
  [SYSTEM]: 'Order canceled by system',
  [USER]: 'Order canceled by user',
  [CANCEL_ALL_AFTER]: 'Cancel all after triggered',
  [NOT_FILLABLE]: 'Order canceled: FOK order was not completely filled',
  [INCOMPLETE]: 'Order canceled: IOC order was partially canceled due to incompletely filled',
  [POST_ONLY]: 'The post-only order will take liquidity in maker orders',
  [SELF_TRADE]: 'Self trade prevention',
};

export function wireOrderId(id: number): string {
  return (ORDER_ID_BASE + BigInt(id)).toString();
}

export function wireClientId(clientId: string): string {
  return clientId.startsWith(NO_CLIENT_ID) ? '' : clientId;
}
