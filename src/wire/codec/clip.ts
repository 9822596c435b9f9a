import type { Clip } from '../../model/order.js';
import type { sluice } from '../generated/messages.js';
import { unknownKind } from './codec-error.js';
import { integer } from './exact.js';
import { required } from './presence.js';

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
