import type { EpochMs } from '../../../domain/time.js';
import { ConnectAgent } from './connect-agent.js';
import type { LiveSocketOptions } from './live-socket.js';

/** How the sockets of an exchange are dialled. */
export type SocketDial = Pick<LiveSocketOptions, 'nowMs' | 'random' | 'barredMs' | 'agent'>;

/** `proxy`: a CONNECT proxy as a URL; null: none. `barredMs`: the rest of a ban of this address. */
export function socketDial(nowMs: () => EpochMs, proxy: string | null, barredMs: () => number): SocketDial {
  // `random` spreads the waits of sockets: not a source of any decision.
  return { nowMs, random: Math.random, barredMs, ...(proxy !== null && { agent: new ConnectAgent(proxy) }) };
}
