import type { PositionState } from '../../domain/position.js';
import { type Amount, amountOfNotional, smaller, type Ticks, ZERO_AMOUNT } from '../../domain/quantity.js';
import type { AssetBalance } from '../../domain/venue-report.js';
import type { LiveInstrument } from './live-exchange.js';
import type { BalanceRecord, PositionRecord } from './normal/records.js';
import { amountOfText, UnitScale } from './unit-scale.js';

/* What records of balances and positions say, in the units of the domain. */

/** A balance whose record does not say what is free keeps what was free. null: a figure is unreadable. */
export function balanceOf(
  { total, free }: BalanceRecord,
  asset: string,
  known: AssetBalance | undefined,
): AssetBalance | null {
  const amount = amountOfText(total);
  if (amount === null) return null;
  const freeAmount = free === null ? smaller(known?.free ?? amount, amount) : amountOfText(free);
  return freeAmount === null ? null : { asset, total: amount, free: freeAmount };
}

/** True when the record says how the position is secured. */
export function isSecured({ margin }: PositionRecord): boolean {
  return (margin?.leverage ?? margin?.maintenanceMargin ?? null) !== null;
}

/** A position whose record does not say how it is secured is secured as the known one. null: a figure is unreadable. */
export function positionOf(
  record: PositionRecord,
  instrument: LiveInstrument,
  known: PositionState | null,
): PositionState | null {
  const scale = new UnitScale(instrument);
  const isShort = record.quantity.startsWith('-') || record.mode === 'SHORT';
  const lots = scale.lots(record.quantity.replace('-', ''));
  const entry = record.entryPrice === null ? 0 : scale.ticks(record.entryPrice);
  if (lots === null || entry === null) return null;
  const { margin } = record;
  const ticksOf = (text: string | null | undefined): Ticks | null =>
    text === null || text === undefined ? null : scale.ticks(text);
  const net = isShort ? -Number(lots) : Number(lots);
  const markPrice = ticksOf(margin?.markPrice) ?? (entry as Ticks);
  const notional = amountOfNotional(BigInt(lots) * BigInt(markPrice), instrument);
  const unrealisedPnl = amountFrom(record.unrealizedPnl);
  const initialMargin = (margin?.initialMargin ?? null) === null ? notional : amountFrom(margin?.initialMargin);
  const position: PositionState = {
    instrument: instrument.index,
    positionSide: record.mode === 'NET' ? 'BOTH' : record.mode,
    net,
    isShort,
    cost: BigInt(net) * BigInt(entry),
    marginMode: margin?.mode ?? known?.marginMode ?? 'CROSS',
    leverage: margin?.leverage ?? 1,
    markPrice,
    unrealisedPnl,
    initialMargin,
    maintenanceMargin: amountFrom(margin?.maintenanceMargin),
    collateral: (amountFrom(margin?.isolatedBalance) + unrealisedPnl) as Amount,
    liquidationPrice: ticksOf(margin?.liquidationPrice),
  };
  return known === null || isSecured(record) ? position : securedAs(position, known, instrument);
}

/** The position with the leverage and the mark price of the known one, and with margins for its own size. */
export function securedAs(position: PositionState, known: PositionState, instrument: LiveInstrument): PositionState {
  const [lots, knownLots] = [position, known].map(({ net }) => BigInt(Math.abs(net))) as [bigint, bigint];
  const { leverage, maintenanceMargin, liquidationPrice } = known;
  const markPrice = knownLots === 0n ? position.markPrice : known.markPrice;
  const notional = amountOfNotional(lots * BigInt(markPrice), instrument);
  const isSameSide = lots > 0n && knownLots > 0n && position.isShort === known.isShort;
  return {
    ...position,
    markPrice,
    leverage,
    initialMargin: (notional / BigInt(Math.max(1, Math.floor(leverage)))) as Amount,
    maintenanceMargin: (knownLots === 0n ? ZERO_AMOUNT : (maintenanceMargin * lots) / knownLots) as Amount,
    liquidationPrice: isSameSide ? liquidationPrice : null,
  };
}

/** 0: the text is absent or no decimal. */
function amountFrom(text: string | null | undefined): Amount {
  return (text === null || text === undefined ? null : amountOfText(text)) ?? ZERO_AMOUNT;
}
