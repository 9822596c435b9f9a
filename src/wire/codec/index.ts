export { CodecError } from './codec-error.js';
export { decodeCommand, encodeCommand } from './command.js';
export { decodeEvent, encodeEvent } from './envelope.js';
export { decodeMarket, decodeTradePrint, encodeMarket, encodeTradePrint } from './market.js';
export type { InstrumentMarket } from './market.js';
export { decodeShardMessage, encodePublished, encodeShardMessage } from './shard-message.js';
export { decodeState, encodeState } from './state.js';
export { decodeVenueReport, encodeVenueReport } from './venue-report.js';
export { decodeVenueRequest, encodeVenueRequest } from './venue-request.js';
