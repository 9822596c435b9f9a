import type { AccountId, CorrelationId } from '../../domain/ids.js';
import type { Venue } from '../../domain/exchange.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import type { PositionState } from '../../domain/position.js';
import { type Amount, smaller, ZERO_AMOUNT } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import type { AssetBalance, FundsReport, PositionsReport } from '../../domain/venue-report.js';
import type { LiveInstruments } from './live-exchange.js';
import { balanceOf, isSecured, positionOf, securedAs } from './fund-figures.js';
import type { Balances, Positions } from './normal/records.js';

/** Number of what a reading brought. */
const NO_CHANGE = 0;

interface HeldBalance extends AssetBalance {
  /** Number of the change of a stream that brought it, or NO_CHANGE. */
  readonly change: number;
  /** Time of that change at the exchange; null: not stated. */
  readonly atMs: EpochMs | null;
  /** False: the change did not say what is free. */
  readonly isWhole: boolean;
}

/** A closed position stays: a reading that is older than its end must not open it again. */
interface HeldPosition {
  readonly state: PositionState;
  /** Number of the change of a stream that brought it, or NO_CHANGE. */
  readonly change: number;
  /** False: the change did not say how the position is secured. */
  readonly isWhole: boolean;
}

interface WalletFunds {
  readonly balances: Map<string, HeldBalance>;
  readonly positions: Map<InstrumentIndex, HeldPosition>;
  balancesAtMs: number;
}

/**
 * Balances and positions of one account at one exchange. Wallets of the exchange with the same asset count together.
 * Every change has a higher version, also across starts: the version begins with the time of the start.
 */
export class AccountFunds {
  readonly #account: AccountId;
  readonly #venue: Venue;
  readonly #wallets: readonly WalletFunds[];
  #version: number;
  #changes = 0;

  constructor(account: AccountId, venue: Venue, walletCount: number, startedAtMs: EpochMs) {
    this.#account = account;
    this.#venue = venue;
    this.#version = startedAtMs;
    this.#wallets = Array.from({ length: walletCount }, () => ({
      balances: new Map(),
      positions: new Map(),
      balancesAtMs: 0,
    }));
  }

  /** Number of the latest change that a stream has brought. */
  get changes(): number {
    return this.#changes;
  }

  /** False: a change has left figures out that only a reading has. */
  isWhole(wallet: number): boolean {
    const { balances, positions } = this.#walletAt(wallet);
    return [balances, positions].every((held) => [...held.values()].every(({ isWhole }) => isWhole));
  }

  /**
   * Takes balances of one wallet. Returns the changed ones, with the sums over all wallets. `readAfter`: the change
   * after which a reading began. Its answer may be older than a later change, so it does not replace that one unless
   * its time is later.
   */
  take(wallet: number, { isSnapshot, balances, atMs }: Balances, readAfter = Infinity): readonly AssetBalance[] {
    const funds = this.#walletAt(wallet);
    // A change that a snapshot already contains.
    if (!isSnapshot && atMs !== null && atMs < funds.balancesAtMs) return [];
    if (atMs !== null) funds.balancesAtMs = Math.max(funds.balancesAtMs, atMs);
    const before = new Map(this.#sums().map((balance) => [balance.asset, balance]));
    const change = isSnapshot ? NO_CHANGE : this.#nextChange();
    const isNewer = (held: HeldBalance): boolean =>
      held.change > readAfter && (held.atMs === null || atMs === null || held.atMs >= atMs);
    if (isSnapshot) {
      for (const [name, held] of funds.balances) if (!isNewer(held)) funds.balances.delete(name);
    }
    for (const record of balances) {
      const name = record.asset.toUpperCase();
      const known = funds.balances.get(name);
      const balance = balanceOf(record, name, known);
      if (balance === null || (isSnapshot && balance.total === 0n)) continue;
      const isOlder = isSnapshot && known !== undefined && isNewer(known);
      const isWhole = isSnapshot || record.free !== null;
      if (!isOlder) funds.balances.set(name, { ...balance, change, atMs, isWhole });
      else if (!known.isWhole) funds.balances.set(name, { ...known, free: smaller(balance.free, known.total) });
    }
    const after = this.#sums();
    const now = new Set(after.map(({ asset }) => asset));
    const gone = [...before.keys()].filter((asset) => !now.has(asset));
    const zero = gone.map((asset) => ({ asset, total: ZERO_AMOUNT, free: ZERO_AMOUNT }));
    return [...after, ...zero].filter(({ asset, total, free }) => {
      const known = before.get(asset);
      return known === undefined || known.total !== total || known.free !== free;
    });
  }

  /**
   * Takes positions of one wallet. Returns the changed ones. Positions in instruments that are not listed are left out.
   * `readAfter`: as in `take`.
   */
  takePositions(
    wallet: number,
    { isSnapshot, positions }: Positions,
    listed: LiveInstruments,
    readAfter = Infinity,
  ): PositionState[] {
    const funds = this.#walletAt(wallet);
    const change = isSnapshot ? NO_CHANGE : this.#nextChange();
    const seen = new Set<InstrumentIndex>();
    const changed: PositionState[] = [];
    for (const record of positions) {
      const index = listed.bySymbol(record.symbol);
      if (index === null) continue;
      const known = funds.positions.get(index);
      const read = positionOf(record, listed.at(index), known?.state ?? null);
      if (read === null || (isSnapshot && read.net === 0)) continue;
      seen.add(index);
      const isOlder = isSnapshot && known !== undefined && known.change > readAfter;
      if (isOlder && known.isWhole) continue;
      const state = isOlder ? securedAs(known.state, read, listed.at(index)) : read;
      const isWhole = isSnapshot ? !isOlder : state.net === 0 || isSecured(record);
      if (isOther(state, known?.state) || (isSnapshot && known?.isWhole === false)) changed.push(state);
      funds.positions.set(index, { state, change: isOlder ? known.change : change, isWhole });
    }
    if (!isSnapshot) return changed;
    for (const [index, held] of funds.positions) {
      if (seen.has(index) || held.change > readAfter) continue;
      funds.positions.delete(index);
      if (held.state.net !== 0) changed.push({ ...held.state, net: 0, cost: 0n, unrealisedPnl: ZERO_AMOUNT });
    }
    return changed;
  }

  funds(correlationId: CorrelationId, atMs: EpochMs): FundsReport {
    const head = { kind: 'Funds', correlationId, account: this.#account, venue: this.#venue, atMs } as const;
    return { ...head, isSnapshot: true, version: this.#version, balances: this.#sums(), causedBy: null };
  }

  fundsChange(balances: readonly AssetBalance[], atMs: EpochMs): FundsReport {
    this.#version += 1;
    const correlationId = 0 as CorrelationId;
    const head = { kind: 'Funds', correlationId, account: this.#account, venue: this.#venue, atMs } as const;
    return { ...head, isSnapshot: false, version: this.#version, balances, causedBy: null };
  }

  positions(correlationId: CorrelationId, atMs: EpochMs): PositionsReport {
    const held = this.#wallets.flatMap((wallet) => [...wallet.positions.values()]);
    const positions = held.flatMap(({ state }) => (state.net === 0 ? [] : [state]));
    const head = { kind: 'Positions', correlationId, account: this.#account, venue: this.#venue, atMs } as const;
    return { ...head, isSnapshot: true, version: this.#version, positions };
  }

  positionsChange(positions: readonly PositionState[], atMs: EpochMs): PositionsReport {
    this.#version += 1;
    const correlationId = 0 as CorrelationId;
    const head = { kind: 'Positions', correlationId, account: this.#account, venue: this.#venue, atMs } as const;
    return { ...head, isSnapshot: false, version: this.#version, positions };
  }

  #nextChange(): number {
    this.#changes += 1;
    return this.#changes;
  }

  #walletAt(wallet: number): WalletFunds {
    const funds = this.#wallets[wallet];
    if (funds === undefined) throw new RangeError(`no wallet ${wallet}`);
    return funds;
  }

  #sums(): AssetBalance[] {
    const sums = new Map<string, AssetBalance>();
    for (const { balances } of this.#wallets) {
      for (const { asset, total, free } of balances.values()) {
        const sum = sums.get(asset) ?? { asset, total: ZERO_AMOUNT, free: ZERO_AMOUNT };
        sums.set(asset, { asset, total: (sum.total + total) as Amount, free: (sum.free + free) as Amount });
      }
    }
    return [...sums.values()];
  }
}

/** Mark prices and what follows from them alone are no change: a stream may state them every few seconds. */
function isOther(state: PositionState, known: PositionState | undefined): boolean {
  if (known === undefined) return true;
  const { net, cost, leverage, marginMode } = state;
  return net !== known.net || cost !== known.cost || leverage !== known.leverage || marginMode !== known.marginMode;
}
