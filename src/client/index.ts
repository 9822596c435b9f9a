/** The entry of the package `sluice-client`: the client library of the public API, and nothing of the service. */
export { SluiceClient } from './sluice-client.js';
export type { Extras, FindQuery, IdsQuery, MarketFilter, OrderCostQuery, TimelineQuery } from './rest-client.js';
export type { SluiceClientOptions, TradesQuery, WindowCostQuery } from './sluice-client.js';
export { NO_RETRY } from './retry.js';
export type { RetryPolicy } from './retry.js';
export { SluiceError } from './sluice-error.js';
export type { SluiceErrorCode, StreamErrorCode } from './sluice-error.js';
export { StreamClient } from './stream-client.js';
export type { StreamClientOptions } from './stream-client.js';
export type { FeedRequest } from './feed.js';
export type * from './wire.js';
export { TERMINAL_STATUSES, TRADING_EXCHANGES } from './wire.js';
export { decodeSecret, hmacSigner, requestText, rsaSigner, signedMessage } from './signature.js';
export type { RequestParts, SignedParts, Signer } from './signature.js';
export { webSigner } from './web-signature.js';
export type { WebSigner } from './web-signature.js';
