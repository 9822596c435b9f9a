import type { Balance, Position } from '../client/wire.js';
import type { Cell, Column } from './cell.js';
import { moneyText, priceText, quantityText } from './figures.js';

export const BALANCE_COLUMNS: readonly Column<Balance>[] = [
  { title: 'Asset', cell: ({ symbol }) => ({ text: symbol }) },
  { title: 'Total', cell: ({ balance }) => ({ text: quantityText(balance) }), isNumber: true },
  { title: 'Free', cell: ({ free }) => ({ text: quantityText(free) }), isNumber: true },
  { title: 'Locked', cell: lockedCell, isNumber: true },
];

export const POSITION_COLUMNS: readonly Column<Position>[] = [
  {
    title: 'Symbol',
    cell: ({ symbol, marginMode, leverage }) => ({ text: symbol, note: `${marginMode.toLowerCase()} ${leverage}×` }),
  },
  { title: 'Side', cell: ({ side }) => ({ text: side, tone: side === 'SHORT' ? 'bad' : 'good' }) },
  { title: 'Contracts', cell: contractsCell, isNumber: true },
  { title: 'Entry', cell: ({ entryPrice }) => ({ text: priceText(entryPrice) }), isNumber: true },
  { title: 'Mark', cell: ({ markPrice }) => ({ text: priceText(markPrice) }), isNumber: true },
  { title: 'Unrealised', cell: profitCell, isNumber: true },
  { title: 'Liquidation', cell: liquidationCell, isNumber: true },
];

/** Below this part of the mark price a liquidation is near. */
const LIQUIDATION_DISTANCE_WARNING = 0.1;

function lockedCell({ balance, free }: Balance): Cell {
  const part = balance > 0 ? Math.max(0, 1 - free / balance) : 0;
  return part > 0 ? { text: quantityText(balance - free), share: part } : { text: '–', tone: 'quiet' };
}

function contractsCell({ contracts, notional }: Position): Cell {
  return { text: quantityText(contracts), note: `worth ${moneyText(notional)}` };
}

function profitCell({ unrealizedPnl }: Position): Cell {
  return { text: moneyText(unrealizedPnl), tone: unrealizedPnl < 0 ? 'bad' : 'good' };
}

function liquidationCell({ liquidationPrice, markPrice }: Position): Cell {
  if (liquidationPrice === 0) return { text: 'none', tone: 'quiet' };
  const distance = Math.abs(liquidationPrice - markPrice) / markPrice;
  return { text: priceText(liquidationPrice), tone: distance < LIQUIDATION_DISTANCE_WARNING ? 'bad' : 'plain' };
}
