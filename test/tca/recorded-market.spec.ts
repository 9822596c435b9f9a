import { join } from 'node:path';
import { recordingsIn } from '../../src/backtest/recording.js';
import { describeObservedMarket } from './observed-market.js';

for (const recording of recordingsIn(join(import.meta.dirname, '../backtest/recordings'))) {
  describeObservedMarket(recording);
}
