export { queueModelOf, type QueueModelName } from './queue-model.js';
export { RECORDED_STREAMS, type RecordedStream } from './recorded-columns.js';
export { RecordingError } from './recording-error.js';
export { ReplayVenue, type DepthOutlet, type MarketObserver } from './replay-venue.js';
export { TapeStream } from './tape.js';
