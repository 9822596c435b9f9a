import {
  WS_CONNECTIONS_MAX,
  WS_CONNECTIONS_PER_ACCOUNT_MAX,
  WS_FRAME_BYTES_MAX,
  WS_MESSAGES_PER_SECOND,
} from '../../src/domain/limits/clients.js';
import type { StreamSettings } from '../../src/stream/port.js';

/** The default settings. */
export const STREAM_SETTINGS: StreamSettings = {
  marketDataCap: 20,
  connectionsMax: WS_CONNECTIONS_MAX,
  accountConnectionsMax: WS_CONNECTIONS_PER_ACCOUNT_MAX,
  messageRate: WS_MESSAGES_PER_SECOND,
  frameBytesMax: WS_FRAME_BYTES_MAX,
  pingMs: 60_000,
  silenceMs: 300_000,
};
