import type { Pipe } from './outbox.js';

/** What the streams need of a WebSocket; uWebSockets.js gives it, tests fake it. */
export interface Socket extends Pipe {
  /** Joins a topic of App.publish. */
  subscribe(topic: string): boolean;
  unsubscribe(topic: string): boolean;
  /** Sends a close frame; the close handler runs before this returns, and the socket must not be used after. */
  end(code: number, reason: string): void;
  /** Cuts the connection without a close frame; otherwise as `end`. */
  close(): void;
}

/** WebSocket close codes we use. */
export const GOING_AWAY = 1001;
export const POLICY_VIOLATION = 1008;
export const INTERNAL_ERROR = 1011;
export const TRY_AGAIN_LATER = 1013;
