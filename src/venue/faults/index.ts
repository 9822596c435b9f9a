export type { FaultRule } from './fault-rule.js';
export { parseFaultScript } from './fault-script.js';
export { FaultyVenues } from './faulty-venues.js';
export { refusalOf } from './refusal.js';
export { parseFaultRule } from './rule-reading.js';
