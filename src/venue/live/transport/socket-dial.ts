import type { EpochMs } from '../../../domain/time.js';
import { ConnectAgent } from './connect-agent.js';
import type { LiveSocketOptions } from './live-socket.js';

/** How the sockets of an exchange are dialled. */
export type SocketDial = Pick<LiveSocketOptions, 'nowMs' | 'random' | 'agent'>;

/** `proxy`: a CONNECT proxy as a URL; null: none. */
export function socketDial(nowMs: () => EpochMs, proxy: string | null): SocketDial {
  // Spreads the waits of sockets: not a source of any decision.
  return { nowMs, random: Math.random, ...(proxy !== null && { agent: new ConnectAgent(proxy) }) };
}
