import type { Balance, BalanceFrame, Position, PositionFrame, PositionRiskFrame } from '../client/wire.js';

/** Balances and positions of the account on one exchange, kept up to date by its streams. */
export class AccountView {
  readonly venue: string;
  readonly #balances = new Map<string, Balance>();
  readonly #positions = new Map<string, Position>();

  constructor(venue: string) {
    this.venue = venue;
  }

  /** Sorted by asset. */
  get balances(): readonly Balance[] {
    return [...this.#balances.values()].sort((one, other) => one.symbol.localeCompare(other.symbol));
  }

  get positions(): readonly Position[] {
    return [...this.#positions.values()].sort((one, other) => one.symbol.localeCompare(other.symbol));
  }

  takeBalance({ symbol, balance, free }: BalanceFrame): void {
    if (balance === 0 && free === 0) this.#balances.delete(symbol);
    else this.#balances.set(symbol, { symbol, balance, free });
  }

  takePosition(frame: PositionFrame): void {
    if (frame.contracts === 0) return void this.#positions.delete(frame.symbol);
    this.#positions.set(frame.symbol, {
      symbol: frame.symbol,
      side: frame.side,
      contracts: frame.contracts,
      entryPrice: frame.entry_price,
      markPrice: frame.mark_price,
      liquidationPrice: frame.liquidation_price,
      leverage: frame.leverage,
      marginMode: frame.margin_mode,
      notional: frame.notional,
      unrealizedPnl: frame.unrealized_pnl,
      collateral: frame.collateral,
      timestamp: frame.timestamp,
    });
  }

  /** Updates of the mark price come only in these frames. */
  takeRisk({ position_risk: risk }: PositionRiskFrame): void {
    const known = this.#positions.get(risk.symbol);
    if (known === undefined || risk.contracts === 0) return;
    const {
      mark_price: markPrice,
      notional,
      unrealized_pnl: unrealizedPnl,
      liquidation_price: liquidationPrice,
    } = risk;
    this.#positions.set(risk.symbol, { ...known, markPrice, notional, unrealizedPnl, liquidationPrice });
  }
}
