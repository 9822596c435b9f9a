import { TRADING_EXCHANGES } from '../../client/frames.js';

const STYLES = ['PASSIVE', 'AGGRESSIVE', 'HYBRID'];

/**
 * What completion offers for options that the command line itself does not judge, by the option's name in camel case.
 * The service knows best: it may take more than this.
 */
export const SUGGESTED: Readonly<Record<string, readonly string[]>> = {
  exchange: TRADING_EXCHANGES,
  strategy: ['TWAP', 'VWAP', 'ICEBERG', 'POV', 'MARKET', 'LIMIT', 'IS', 'SCALE'],
  style: STYLES,
  wouldStyle: STYLES,
  urgency: ['LOW', 'MEDIUM', 'HIGH'],
  placementMode: ['DEFAULT', 'TIGHT', 'CUSTOM'],
  ladderDirection: ['UPWARDS', 'DOWNWARDS'],
  ladderProfile: ['LINEAR'],
};
