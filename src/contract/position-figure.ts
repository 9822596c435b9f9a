import { Type } from '@sinclair/typebox';
import { MARGIN_RATIO_MAX } from '../model/limits.js';
import { MARGIN_MODES } from '../model/position.js';
import { choice, decimal, epochMs } from './field.js';

/* What is told of a position, alike over REST and in the streams, under names of their own. */

export const figure = {
  collateral: decimal(
    'What stands behind it at the mark price: ISOLATED its own margin and its profit, CROSS the balance that is not isolated and the profit of all CROSS positions.',
  ),
  contracts: decimal('Base units, never negative; one contract is one unit of the base asset.'),
  entryPrice: decimal('Average price at which what is open was entered.'),
  leverage: Type.Integer({ minimum: 1, description: 'Notional that one unit of initial margin carries.' }),
  liquidationPrice: decimal(
    'Mark price at which liquidation begins when nothing else changes; 0: no price would liquidate it.',
  ),
  markPrice: decimal('What it is valued at.'),
  notional: decimal('Value at the mark price, never negative.'),
  unrealisedPnl: decimal('Profit if it were closed at the mark price; a loss is negative.'),
  initialMargin: decimal('What it ties up of the balance.'),
  maintenanceMargin: decimal('What must at least stand behind it.'),
  marginRatio: Type.Number({
    minimum: 0,
    maximum: MARGIN_RATIO_MAX,
    description: `Maintenance margin ÷ collateral, cut at 8 digits; liquidation begins at 1, with several CROSS positions when their ratios add up to 1. ${MARGIN_RATIO_MAX} also when nothing stands behind it any more.`,
  }),
  symbol: Type.String({ description: 'Canonical.', examples: ['BTC/USDT:USDT'] }),
  timestamp: epochMs('When it stood so, service time.'),
} as const;

export const MarginMode = choice(
  'MarginMode',
  MARGIN_MODES,
  'CROSS: the whole balance stands behind it. ISOLATED: the margin that was tied up for it, and no more.',
);

export const PositionSide = choice(
  'PositionSide',
  ['LONG', 'SHORT', 'BOTH'],
  'Which way it is held: LONG or SHORT; BOTH is not used.',
);
