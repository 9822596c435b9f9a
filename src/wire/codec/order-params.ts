import type { Clip, Ladder, BookPlacement, Trigger, Would } from '../../domain/order.js';
import type { sluice } from '../generated/messages.js';
import { integer, integerOrNull, required, unknownKind } from './message.js';
import { STYLE, TRIGGER_CONDITION } from './enums.js';

export function toWireWould({ price, ppmOfPercent, style }: Would): sluice.v1.Would.$Properties {
  return { price, ppmOfPercent, style: STYLE.number(style) };
}

export function fromWireWould(message: sluice.v1.Would): Would {
  return {
    price: integerOrNull(message.price, 'Would.price'),
    ppmOfPercent: integer(message.ppmOfPercent, 'Would.ppm_of_percent'),
    style: STYLE.name(message.style, 'Would.style'),
  };
}

export function toWireTrigger({ price, condition }: Trigger): sluice.v1.Trigger.$Properties {
  return { price, condition: TRIGGER_CONDITION.number(condition) };
}

export function fromWireTrigger(message: sluice.v1.Trigger): Trigger {
  return {
    price: integer(message.price, 'Trigger.price'),
    condition: TRIGGER_CONDITION.name(message.condition, 'Trigger.condition'),
  };
}

export function toWirePlacement(placement: BookPlacement): sluice.v1.Placement.$Properties {
  return placement.mode === 'TIGHT'
    ? { tight: true }
    : { custom: { level: placement.level, cancelLevel: placement.cancelLevel } };
}

export function fromWirePlacement(message: sluice.v1.Placement): BookPlacement {
  switch (message.kind) {
    case 'tight':
      return { mode: 'TIGHT' };
    case 'custom': {
      const { level, cancelLevel } = required(message.custom ?? null, 'Placement.custom');
      return { mode: 'CUSTOM', level, cancelLevel };
    }
    case undefined:
      break;
  }
  return unknownKind('Placement');
}

export function toWireLadder({ start, end, skewPpm }: Ladder): sluice.v1.Ladder.$Properties {
  return { start, end, skewPpm };
}

export function fromWireLadder(message: sluice.v1.Ladder): Ladder {
  return {
    start: integer(message.start, 'Ladder.start'),
    end: integer(message.end, 'Ladder.end'),
    skewPpm: integer(message.skewPpm, 'Ladder.skew_ppm'),
  };
}

export function toWireClip(clip: Clip): sluice.v1.Clip.$Properties {
  switch (clip.type) {
    case 'AUTOMATIC':
      return { automatic: true };
    case 'ABSOLUTE':
      return { absoluteQuantity: clip.quantity };
    case 'PERCENTAGE':
      return { ppmOfPercent: clip.ppmOfPercent };
    case 'ORDER_COUNT':
      return { orderCount: clip.count };
  }
}

export function fromWireClip(message: sluice.v1.Clip): Clip {
  switch (message.kind) {
    case 'automatic':
      return { type: 'AUTOMATIC' };
    case 'absoluteQuantity':
      return { type: 'ABSOLUTE', quantity: count(message.absoluteQuantity, 'Clip.absolute_quantity') };
    case 'ppmOfPercent':
      return { type: 'PERCENTAGE', ppmOfPercent: count(message.ppmOfPercent, 'Clip.ppm_of_percent') };
    case 'orderCount':
      return { type: 'ORDER_COUNT', count: count(message.orderCount, 'Clip.order_count') };
    case undefined:
      break;
  }
  return unknownKind('Clip');
}

function count<Unit extends number>(value: number | null, field: string): Unit {
  return integer(required(value, field), field);
}
