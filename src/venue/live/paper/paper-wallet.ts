import { averagePrice, formatAmount, formatTicks, type Lots, type Notional } from '../../../domain/quantity.js';
import type { EpochMs } from '../../../domain/time.js';
import type { AssetBalance } from '../../../domain/venue-report.js';
import { positionState } from '../../../sim/account/account-service.js';
import { type FuturesPosition, magnitude } from '../../../sim/account/futures-position.js';
import type { MarkOf } from '../../../sim/account/margin.js';
import type { VenueAccount } from '../../../sim/account/venue-account.js';
import type { Balances, PositionRecord, Positions } from '../normal/records.js';
import { type PaperInstrument, scaleOf } from './paper-market.js';

export function balancesOf(balances: readonly AssetBalance[], isSnapshot: boolean, atMs: EpochMs): Balances {
  const texts = balances.map(({ asset, total, free }) => ({
    asset,
    total: formatAmount(total),
    free: formatAmount(free),
  }));
  return { kind: 'Balances', isSnapshot, balances: texts, atMs };
}

export interface PositionView {
  readonly markOf: MarkOf;
  readonly listedOf: (symbol: string) => PaperInstrument;
  readonly isSnapshot: boolean;
}

/** Positions as the exchange would write them: its symbols, its unit of quantity, decimal texts. */
export function positionsOf(
  account: VenueAccount,
  positions: readonly FuturesPosition[],
  { markOf, listedOf, isSnapshot }: PositionView,
  atMs: EpochMs,
): Positions {
  const records = positions.map((position) =>
    recordOf(account, position, listedOf(position.terms.instrument.symbol), markOf),
  );
  return { kind: 'Positions', isSnapshot, positions: records, atMs };
}

function recordOf(
  account: VenueAccount,
  position: FuturesPosition,
  listed: PaperInstrument,
  markOf: MarkOf,
): PositionRecord {
  const { instrument } = position.terms;
  const { net, cost, leverage, markPrice, unrealisedPnl, initialMargin, maintenanceMargin, liquidationPrice } =
    positionState(account, position, markOf);
  return {
    symbol: listed.exchangeSymbol,
    mode: 'NET',
    quantity: scaleOf(listed).quantityText(net as Lots),
    entryPrice: averagePrice(magnitude(cost) as Notional, Math.abs(net) as Lots, instrument),
    unrealizedPnl: formatAmount(unrealisedPnl),
    margin: {
      mode: 'CROSS',
      leverage,
      markPrice: formatTicks(markPrice, instrument),
      liquidationPrice: liquidationPrice === null ? null : formatTicks(liquidationPrice, instrument),
      initialMargin: formatAmount(initialMargin),
      maintenanceMargin: formatAmount(maintenanceMargin),
      isolatedBalance: null,
    },
  };
}
