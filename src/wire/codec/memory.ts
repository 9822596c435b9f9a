import type { StrategyMemory } from '../../model/order.js';
import type { sluice } from '../generated/messages.js';

/** The encoder only reads the numbers: they are not copied. */
export function toWireNumbers(memory: StrategyMemory): number[] {
  return memory as number[];
}

export function toWireMemory(memory: StrategyMemory): sluice.v1.StrategyMemory.$Properties {
  return { numbers: toWireNumbers(memory) };
}

export function fromWireMemory(message: sluice.v1.StrategyMemory): StrategyMemory {
  return message.numbers;
}
