import { Type } from '@sinclair/typebox';
import { arrayText, quote } from '../field/json-text.js';
import { choice, decimal, epochMs } from '../field/schema.js';
import { formatAmount } from '../../domain/quantity.js';
import type { InstrumentCatalogue } from '../../domain/instrument.js';
import { MARGIN_RATIO_MAX } from '../../domain/limits/trading.js';
import { MARGIN_MODES, positionFigures } from '../../domain/position.js';
import type { AssetBalance, PositionsReport } from '../../domain/venue-report.js';

const BalanceEntry = Type.Object(
  {
    balance: decimal('Total of the asset.'),
    free: decimal('The part that orders and margin have not locked.'),
    symbol: Type.String({ description: 'Asset.', examples: ['USDT'] }),
  },
  {
    title: 'BalanceEntry',
    description: 'One asset of the account at the exchange.',
    examples: [{ balance: 1_000_000, free: 969_999.5, symbol: 'USDT' }],
  },
);

export const BalanceList = Type.Array(BalanceEntry, { description: 'The assets whose total is above 0.' });

/* Figures of a position. REST answers and stream frames share the values and use different member names. */

export const figure = {
  collateral: decimal(
    'Collateral at the mark price. ISOLATED: the margin of the position plus its profit. CROSS: the balance without isolated margin plus the profit of all CROSS positions.',
  ),
  contracts: decimal('Base units, never negative; one contract is one unit of the base asset.'),
  entryPrice: decimal('Average entry price of the open contracts.'),
  leverage: Type.Integer({ minimum: 1, description: 'Notional that one unit of initial margin carries.' }),
  liquidationPrice: decimal(
    'Mark price at which liquidation begins when nothing else changes. 0: no price liquidates the position.',
  ),
  markPrice: decimal('Mark price of the instrument.'),
  notional: decimal('Value at the mark price, never negative.'),
  unrealisedPnl: decimal('Profit of a close at the mark price. A loss is negative.'),
  initialMargin: decimal('Part of the balance that the position reserves.'),
  maintenanceMargin: decimal('Least collateral of the position. Liquidation begins below it.'),
  marginRatio: Type.Number({
    minimum: 0,
    maximum: MARGIN_RATIO_MAX,
    description: `Maintenance margin ÷ collateral, truncated to 8 digits. Liquidation begins at 1. Several CROSS positions are liquidated when the sum of their ratios is 1. ${MARGIN_RATIO_MAX} means that no collateral is left, or that the ratio is larger.`,
  }),
  symbol: Type.String({ description: 'Canonical.', examples: ['BTC/USDT:USDT'] }),
  timestamp: epochMs('Time of these figures, service time.'),
} as const;

export const MarginMode = choice(
  'MarginMode',
  MARGIN_MODES,
  'CROSS: the whole balance is collateral. ISOLATED: only the margin of the position is collateral.',
);

export const PositionSide = choice(
  'PositionSide',
  ['LONG', 'SHORT', 'BOTH'],
  'Direction of the position: LONG or SHORT; BOTH is not used.',
);

const PositionEntry = Type.Object(
  {
    collateral: figure.collateral,
    contracts: figure.contracts,
    entryPrice: figure.entryPrice,
    leverage: figure.leverage,
    liquidationPrice: figure.liquidationPrice,
    markPrice: figure.markPrice,
    notional: figure.notional,
    unrealizedPnl: figure.unrealisedPnl,
    marginMode: MarginMode,
    side: PositionSide,
    symbol: figure.symbol,
    timestamp: figure.timestamp,
  },
  {
    title: 'PositionEntry',
    description: 'One position of the account at the exchange. Amounts are in quote currency.',
    examples: [
      {
        collateral: 1_000_490.5,
        contracts: 0.5,
        entryPrice: 60_000.1,
        leverage: 10,
        liquidationPrice: 0,
        markPrice: 61_000.1,
        notional: 30_500.05,
        unrealizedPnl: 500,
        marginMode: 'CROSS',
        side: 'LONG',
        symbol: 'BTC/USDT:USDT',
        timestamp: 1_795_262_400_000,
      },
    ],
  },
);

export const PositionList = Type.Array(PositionEntry, { description: 'The positions that are not 0.' });

export const ListenKey = Type.String({
  description: 'A JWT that opens the WebSocket for an hour (`SLUICE_LISTEN_KEY_TTL_S`), read-only.',
});

/** The balances above 0 as the contract's balance entries. */
export function balancesText(balances: readonly AssetBalance[]): string {
  return arrayText(balances.filter(({ total }) => total > 0n).map(balanceText));
}

function balanceText({ asset, total, free }: AssetBalance): string {
  return `{"balance":${formatAmount(total)},"free":${formatAmount(free)},"symbol":${quote(asset)}}`;
}

/** The positions that are not 0 as the contract's position entries. */
export function positionsText({ positions, atMs }: PositionsReport, catalogue: InstrumentCatalogue): string {
  const open = positions.filter(({ net }) => net !== 0);
  return arrayText(
    open.map((position) => {
      const instrument = catalogue.at(position.instrument);
      const figures = positionFigures(position, instrument);
      return (
        `{"collateral":${formatAmount(position.collateral)},"contracts":${figures.contracts},` +
        `"entryPrice":${figures.entryPrice},"leverage":${position.leverage},` +
        `"liquidationPrice":${figures.liquidationPrice},"markPrice":${figures.markPrice},` +
        `"notional":${figures.notional},"unrealizedPnl":${formatAmount(position.unrealisedPnl)},` +
        `"marginMode":"${position.marginMode}","side":"${figures.side}",` +
        `"symbol":${quote(instrument.symbol)},"timestamp":${atMs}}`
      );
    }),
  );
}
