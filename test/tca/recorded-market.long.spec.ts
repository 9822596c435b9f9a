import { recordingsIn } from '../../src/backtest/recording.js';
import { recordedData } from '../recorded-data.js';
import { describeObservedMarket } from './observed-market.js';

for (const recording of recordingsIn(recordedData())) describeObservedMarket(recording);
