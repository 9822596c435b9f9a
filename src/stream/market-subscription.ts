import { WS_CLOSED_CANDLES_WAITING_MAX } from '../model/limits.js';
import type { MarketFeed } from '../model/market-feed.js';
import type { Socket } from './socket.js';

export interface MarketSubscriptionParts {
  readonly feed: MarketFeed;
  readonly socket: Pick<Socket, 'send' | 'getBufferedAmount'>;
  /** More than WS_CLOSED_CANDLES_WAITING_MAX wait: the connection must end, for none of them may be left out. */
  readonly onOverflow: () => void;
}

/**
 * One market feed on its way to one socket. While the socket still holds what it was given before, this waits:
 *
 *   keep ──▶ kept, in order ──┐
 *   show ──▶ latest only ─────┴──▶ socket, when it has drained
 */
export class MarketSubscription {
  readonly feed: MarketFeed;
  readonly #parts: MarketSubscriptionParts;
  readonly #kept: Uint8Array[] = [];
  #latest: Uint8Array | null = null;
  #shown: Uint8Array | null = null;

  constructor(parts: MarketSubscriptionParts) {
    this.feed = parts.feed;
    this.#parts = parts;
  }

  /** Sends a frame that the next one makes worthless, unless it was sent already. */
  show(frame: Uint8Array): void {
    if (frame === this.#shown) return;
    this.#latest = this.#shown = frame;
    this.flush();
  }

  /** Sends a frame that must not be left out. What waits to be shown is older and now worthless. */
  keep(frame: Uint8Array): void {
    this.#latest = null;
    this.#kept.push(frame);
    this.flush();
    if (this.#kept.length > WS_CLOSED_CANDLES_WAITING_MAX) this.#parts.onOverflow();
  }

  /** Hands over what the socket takes now. */
  flush(): void {
    const { socket } = this.#parts;
    while (socket.getBufferedAmount() === 0) {
      const frame = this.#kept.shift() ?? this.#takeLatest();
      if (frame === null) return;
      socket.send(frame);
    }
  }

  #takeLatest(): Uint8Array | null {
    const frame = this.#latest;
    this.#latest = null;
    return frame;
  }
}
