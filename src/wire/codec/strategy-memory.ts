import type { Lots } from '../../domain/quantity.js';
import type { GateMemory, HedgeMemory, LegMemory, Pacing, StrategyMemory } from '../../domain/strategy-memory.js';
import type { EpochMs } from '../../domain/time.js';
import type { sluice } from '../generated/messages.js';
import { fromWireLeg } from './child-order.js';
import { HEDGE_CAUSE, IDLE_REASON } from './enums.js';
import { CodecError, integer, orNull, required, time, unknownKind } from './message.js';

type Message = sluice.v1.StrategyMemory.$Properties;

export function toWireMemory(memory: StrategyMemory): Message {
  if (memory.kind === 'HEDGE') return { hedge: toWireHedgeMemory(memory) };
  const message: Message = { pacing: toWirePacing(memory.pacing), gates: orNull(memory.gates, toWireGates) };
  switch (memory.kind) {
    case 'TWAP':
      message.twap = toWireSchedule(memory);
      break;
    case 'VWAP':
      message.vwap = { schedule: toWireSchedule(memory), ...memory.kept };
      break;
    case 'IS':
      message.shortfall = { schedule: toWireSchedule(memory), ...memory.kept };
      break;
    case 'POV': {
      const { volumeThen, step, ceiling, usualPace } = memory;
      message.pov = { volumeThen, step, ceiling, usualPace };
      break;
    }
    case 'ICEBERG':
      message.iceberg = { usualClip: memory.usualClip, timedAfter: memory.timedAfter };
      break;
    case 'MARKET':
      message.market = true;
      break;
    case 'LIMIT':
      message.limit = true;
      break;
    case 'SCALE':
      message.scale = true;
      break;
    default:
      memory satisfies never;
  }
  return message;
}

function toWirePacing({ idle, ...others }: Pacing): sluice.v1.Pacing.$Properties {
  return { ...others, idle: IDLE_REASON.number(idle) };
}

function toWireGates(gates: GateMemory): sluice.v1.GateMemory.$Properties {
  const { wouldFilled, filledThen, wouldSinceMs, imbalanceSinceMs } = gates;
  return { pacing: toWirePacing(gates.pacing), wouldFilled, filledThen, wouldSinceMs, imbalanceSinceMs };
}

function toWireSchedule({
  slotCount,
  step,
  ceiling,
  endMs,
}: Extract<LegMemory, { readonly slotCount: number }>): sluice.v1.ScheduleMemory.$Properties {
  return { slotCount, step, ceiling, endMs };
}

export function toWireHedgeMemory(memory: HedgeMemory): sluice.v1.HedgeMemory.$Properties {
  return {
    quoteRate: memory.quoteRate,
    sinceMs: memory.sinceMs,
    tries: memory.tries,
    triedAtMs: memory.triedAtMs,
    leg: memory.leg,
    level: memory.level,
    cause: HEDGE_CAUSE.number(memory.cause),
  };
}

/** Decodes the memory of an order's strategy. Throws CodecError for a hedge's memory. */
export function fromWireLegMemory(message: sluice.v1.StrategyMemory): LegMemory {
  const memory = fromWireMemory(message);
  if (memory.kind === 'HEDGE') throw new CodecError('StrategyMemory: a hedge where a strategy is due');
  return memory;
}

export function fromWireMemory(message: sluice.v1.StrategyMemory): StrategyMemory {
  if (message.strategy === 'hedge') return fromWireHedgeMemory(required(message.hedge, 'StrategyMemory.hedge'));
  const pacing = pacingOf(message.pacing, 'StrategyMemory.pacing');
  const gates = orNull(message.gates, gatesOf);
  switch (message.strategy) {
    case 'twap':
      return {
        kind: 'TWAP',
        pacing,
        gates,
        ...scheduleOf(required(message.twap, 'StrategyMemory.twap')),
        kept: null,
      };
    case 'vwap': {
      const { schedule, volumeThen, levelBefore } = required(message.vwap, 'StrategyMemory.vwap');
      const times = scheduleOf(required(schedule, 'VwapMemory.schedule'));
      return { kind: 'VWAP', pacing, gates, ...times, kept: { volumeThen, levelBefore } };
    }
    case 'shortfall': {
      const { schedule, solvedAt, held, kappa, rateSquares, rateCosts, filled, notional, mid, volatility } = required(
        message.shortfall,
        'StrategyMemory.shortfall',
      );
      const kept = { solvedAt, held, kappa, rateSquares, rateCosts, filled, notional, mid, volatility };
      const times = scheduleOf(required(schedule, 'IsMemory.schedule'));
      return { kind: 'IS', pacing, gates, ...times, kept };
    }
    case 'pov': {
      const { volumeThen, step, usualPace, ceiling: most } = required(message.pov, 'StrategyMemory.pov');
      const ceiling = integer<Lots>(most, 'PovMemory.ceiling');
      return { kind: 'POV', pacing, gates, step, ceiling, volumeThen, usualPace };
    }
    case 'iceberg': {
      const { usualClip: clip, timedAfter } = required(message.iceberg, 'StrategyMemory.iceberg');
      const usualClip = integer<Lots>(clip, 'IcebergMemory.usual_clip');
      return { kind: 'ICEBERG', pacing, gates, usualClip, timedAfter };
    }
    case 'market':
      return { kind: 'MARKET', pacing, gates };
    case 'limit':
      return { kind: 'LIMIT', pacing, gates };
    case 'scale':
      return { kind: 'SCALE', pacing, gates };
    case undefined:
      break;
  }
  return unknownKind('StrategyMemory');
}

function pacingOf(message: sluice.v1.Pacing | null, field: string): Pacing {
  const { heldUntilMs, refusals, idle, takes, filledAtTake } = required(message, field);
  return {
    heldUntilMs: time<EpochMs>(heldUntilMs, 'Pacing.held_until_ms'),
    refusals,
    idle: IDLE_REASON.nameOr('MOVING', idle, 'Pacing.idle'),
    takes,
    filledAtTake: integer(filledAtTake, 'Pacing.filled_at_take'),
  };
}

function gatesOf(message: sluice.v1.GateMemory): GateMemory {
  return {
    pacing: pacingOf(message.pacing, 'GateMemory.pacing'),
    wouldFilled: integer(message.wouldFilled, 'GateMemory.would_filled'),
    filledThen: integer(message.filledThen, 'GateMemory.filled_then'),
    wouldSinceMs: time(message.wouldSinceMs, 'GateMemory.would_since_ms'),
    imbalanceSinceMs: time(message.imbalanceSinceMs, 'GateMemory.imbalance_since_ms'),
  };
}

function scheduleOf({ slotCount, step, ceiling, endMs }: sluice.v1.ScheduleMemory) {
  return {
    slotCount,
    step,
    ceiling: integer<Lots>(ceiling, 'ScheduleMemory.ceiling'),
    endMs: time<EpochMs>(endMs, 'ScheduleMemory.end_ms'),
  };
}

export function fromWireHedgeMemory(message: sluice.v1.HedgeMemory): HedgeMemory {
  return {
    kind: 'HEDGE',
    quoteRate: message.quoteRate,
    sinceMs: time(message.sinceMs, 'HedgeMemory.since_ms'),
    tries: message.tries,
    triedAtMs: time(message.triedAtMs, 'HedgeMemory.tried_at_ms'),
    leg: fromWireLeg(message.leg, 'HedgeMemory.leg'),
    level: message.level,
    cause: HEDGE_CAUSE.nameOr('HEDGE_READY', message.cause, 'HedgeMemory.cause'),
  };
}
