export { FairMarket, type FairInstrument } from './fair-market.js';
export { InstrumentMarket, type MarketMemory } from './instrument-market.js';
export { MarketRegistry } from './market-registry.js';
