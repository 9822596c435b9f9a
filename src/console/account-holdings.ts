import { Big } from 'big.js';
import { TRADING_EXCHANGES } from '../client/wire.js';
import type { Balance, Exchange, Position } from '../client/wire.js';
import { reasonOf } from './view/figures.js';

/** A row of the account with its exchange. */
export type AtExchange<Row> = Row & { readonly exchange: string };

/** What one exchange has said about the account. */
interface Holding {
  readonly positions: readonly AtExchange<Position>[];
  readonly balances: readonly AtExchange<Balance>[];
  /** Clock of this machine; null: it has not answered yet. */
  readonly answeredAtMs: number | null;
  /** Why the latest request failed; null when it was answered. */
  readonly failure: string | null;
}

/** An exchange whose latest answer is missing. Its rows are those of its last answer. */
export interface SilentExchange {
  readonly exchange: string;
  /** null: it has never answered, and has no rows. */
  readonly answeredAtMs: number | null;
  readonly why: string;
}

export interface AccountHoldingsParts {
  readonly positions: (exchange: string) => Promise<readonly Position[]>;
  readonly balances: (exchange: string) => Promise<readonly Balance[]>;
  /** Clock of this machine, epoch milliseconds. */
  readonly nowMs: () => number;
  readonly onChange: () => void;
}

/** Exchanges that are asked at once: the connections of the browser stay free for the operator. */
const ASKED_MAX = 2;
const NOTHING: Holding = { positions: [], balances: [], answeredAtMs: null, failure: null };

/** Positions and balances of the account on all exchanges. */
export class AccountHoldings {
  /** False until each exchange was asked for the first time. */
  isRead = false;
  readonly #parts: AccountHoldingsParts;
  readonly #holdings = new Map<string, Holding>();
  #isReading = false;
  #isClosed = false;

  constructor(parts: AccountHoldingsParts) {
    this.#parts = parts;
  }

  /** Those that were asked. */
  get exchanges(): readonly string[] {
    return [...this.#holdings.keys()];
  }

  get positions(): readonly AtExchange<Position>[] {
    return [...this.#holdings.values()].flatMap(({ positions }) => positions);
  }

  get balances(): readonly AtExchange<Balance>[] {
    return [...this.#holdings.values()].flatMap(({ balances }) => balances);
  }

  get silent(): readonly SilentExchange[] {
    return [...this.#holdings].flatMap(([exchange, { answeredAtMs, failure }]) =>
      failure === null ? [] : [{ exchange, answeredAtMs, why: failure }],
    );
  }

  /** Asks every exchange. A call during a read does nothing. */
  async read(exchanges: readonly Exchange[]): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const waiting = [...heldAt(exchanges)];
    for (const name of waiting) if (!this.#holdings.has(name)) this.#holdings.set(name, NOTHING);
    const work = async (): Promise<void> => {
      for (let name = waiting.shift(); name !== undefined && !this.#isClosed; name = waiting.shift()) {
        await this.#ask(name);
      }
    };
    await Promise.all(Array.from({ length: ASKED_MAX }, work));
    this.#isReading = false;
    this.isRead = true;
    if (!this.#isClosed) this.#parts.onChange();
  }

  /** Ends a read that is under way. */
  close(): void {
    this.#isClosed = true;
  }

  async #ask(exchange: string): Promise<void> {
    const { positions, balances, nowMs } = this.#parts;
    try {
      const held = await positions(exchange);
      const owned = await balances(exchange);
      this.#holdings.set(exchange, {
        positions: held.map((position) => ({ ...position, exchange })),
        balances: owned.map((balance) => ({ ...balance, exchange })),
        answeredAtMs: nowMs(),
        failure: null,
      });
    } catch (error) {
      this.#holdings.set(exchange, { ...(this.#holdings.get(exchange) ?? NOTHING), failure: reasonOf(error) });
    }
  }
}

/** A service with real exchanges simulates none: the others hold nothing of the account. */
function heldAt(exchanges: readonly Exchange[]): readonly string[] {
  const real = exchanges.filter(({ mode }) => mode === 'LIVE').map(({ exchange }) => exchange);
  return real.length > 0 ? real : TRADING_EXCHANGES;
}

/** Exact sums of positions with one quote currency. */
export interface PositionTotal {
  readonly currency: string;
  readonly count: number;
  /** Value of all positions, never negative. */
  readonly gross: string;
  /** Value of the long positions − value of the short ones. */
  readonly net: string;
  readonly unrealizedPnl: string;
}

/** One total for each quote currency, sorted by its name. Amounts are exact decimals. */
export function positionTotals(positions: readonly Position[]): readonly PositionTotal[] {
  return totals(positions, ({ symbol }) => quoteOf(symbol)).map(([currency, held]) => ({
    currency,
    count: held.length,
    gross: exactSum(held.map(({ notional }) => notional)),
    net: exactSum(held.map(({ side, notional }) => (side === 'SHORT' ? -notional : notional))),
    unrealizedPnl: exactSum(held.map(({ unrealizedPnl }) => unrealizedPnl)),
  }));
}

/** Exact sums of one asset on several exchanges. */
export interface BalanceTotal {
  readonly asset: string;
  readonly exchangeCount: number;
  readonly total: string;
  readonly free: string;
}

/**
 * One total for each asset, sorted by its name. The service gives no rate between assets, so there is no common total.
 */
export function balanceTotals(balances: readonly Balance[]): readonly BalanceTotal[] {
  return totals(balances, ({ symbol }) => symbol).map(([asset, held]) => ({
    asset,
    exchangeCount: held.length,
    total: exactSum(held.map(({ balance }) => balance)),
    free: exactSum(held.map(({ free }) => free)),
  }));
}

/** USDT of `BTC/USDT:USDT`. */
function quoteOf(symbol: string): string {
  return /\/([^:]+)/.exec(symbol)?.[1] ?? symbol;
}

function totals<Row>(rows: readonly Row[], nameOf: (row: Row) => string): readonly (readonly [string, Row[]])[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const name = nameOf(row);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return [...groups].sort(([one], [other]) => one.localeCompare(other));
}

/** The shortest decimal of a JSON number is the decimal that the service wrote. */
function exactSum(amounts: readonly number[]): string {
  return amounts.reduce((total, amount) => total.plus(amount), new Big(0)).toFixed();
}
