import { formatUnits, type Units } from '../../loopback/decimal.js';
import type { Exchange } from '../../loopback/exchange.js';
import type { LoopbackInstrument } from '../../loopback/instrument.js';
import type { LedgerFill as CoreFill } from '../../loopback/ledger.js';

/** An order that an exchange accepted, in words that no exchange owns. Amounts are decimal text. */
export interface LedgerOrder {
  /** Id of the account at the exchange. */
  readonly account: number;
  /** Category, base and quote, such as `SPOT BTCUSDT`. */
  readonly market: string;
  readonly exchangeOrderId: string;
  readonly clientId: string;
  readonly side: string;
  readonly quantity: string;
  readonly filled: string;
  readonly isOpen: boolean;
}

/** One side of a trade. */
export interface LedgerFill extends Pick<LedgerOrder, 'account' | 'market' | 'exchangeOrderId' | 'clientId' | 'side'> {
  readonly tradeId: string;
  readonly price: string;
  readonly quantity: string;
  /** A rebate is negative. */
  readonly fee: string;
  readonly feeAsset: string;
  readonly isMaker: boolean;
}

export interface LedgerBalance {
  readonly account: number;
  readonly asset: string;
  readonly total: string;
  /** null: it depends on the margin of positions, and is not compared. */
  readonly free: string | null;
}

/** Everything that an exchange accepted and executed, at one moment. */
export interface LedgerCopy {
  readonly orders: readonly LedgerOrder[];
  readonly fills: readonly LedgerFill[];
  readonly balances: readonly LedgerBalance[];
}

/** Ids as the protocol writes them. */
interface WireIds {
  readonly order: (id: number) => string;
  readonly trade: (fill: CoreFill) => string;
}

const PLAIN: WireIds = { order: String, trade: ({ tradeId }) => String(tradeId) };

/**
 * Copies the ledger of one section. `category`: SPOT or FUTURE. `latest`: only so many orders and fills, the latest.
 */
export function copyOf(
  { ledger }: Exchange,
  category: string,
  ids: WireIds = PLAIN,
  latest = Infinity,
): Pick<LedgerCopy, 'orders' | 'fills'> {
  const marketOf = ({ base, quote }: LoopbackInstrument): string => `${category} ${base}${quote}`;
  const orders = ledger.orders.slice(-latest).map((order): LedgerOrder => {
    const { account, instrument, clientId, side, quantity } = order.terms;
    return {
      account,
      market: marketOf(instrument),
      exchangeOrderId: ids.order(order.id),
      clientId,
      side,
      quantity: formatUnits(quantity),
      filled: formatUnits(order.state.filled),
      isOpen: order.isOpen,
    };
  });
  const fills = ledger.fills.slice(-latest).map((fill): LedgerFill => {
    const { account, orderId, clientId, side, price, quantity, fee, feeAsset, isMaker } = fill;
    return {
      account,
      market: marketOf(ledger.order(orderId)!.terms.instrument),
      exchangeOrderId: ids.order(orderId),
      clientId,
      side,
      tradeId: ids.trade(fill),
      price: formatUnits(price),
      quantity: formatUnits(quantity),
      fee: formatUnits(fee),
      feeAsset,
      isMaker,
    };
  });
  return { orders, fills };
}

interface AnyWallet {
  readonly assets: readonly string[];
  balance(asset: string): { readonly free: Units; readonly locked: Units };
}

/** Balances of an account, each the sum over its wallets. `margined`: wallets that also back positions. */
export function balancesOf(
  account: number,
  wallets: readonly AnyWallet[],
  margined: readonly AnyWallet[] = [],
): readonly LedgerBalance[] {
  const all = [...wallets, ...margined];
  const assets = new Set(all.flatMap((wallet) => wallet.assets));
  return [...assets].map((asset) => {
    const sum = (part: (balance: { readonly free: Units; readonly locked: Units }) => Units): string => {
      return formatUnits(all.reduce((total, wallet) => total + part(wallet.balance(asset)), 0n));
    };
    const isMargin = margined.some((wallet) => wallet.assets.includes(asset));
    return {
      account,
      asset,
      total: sum(({ free, locked }) => free + locked),
      free: isMargin ? null : sum(({ free }) => free),
    };
  });
}
