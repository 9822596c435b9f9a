import type { Market, TradePrint } from '../model/market.js';
import type { InstrumentIndex } from '../model/instrument.js';
import type { EpochMs } from '../model/time.js';
import type { VenueReport, VenueRequest } from '../model/venue-message.js';

/**
 * A venue as its worker drives it: synchronous, without a clock or thread of its own. The simulated exchange and
 * every later gateway are reached through this port alone.
 */
export interface VenueGateway {
  /** Handles one request; what it causes comes out of `advance`'s sink. `origin` names the asker: shard number, or -1 for the main thread. */
  handle(request: VenueRequest, origin: number, nowMs: EpochMs): void;
  /**
   * Lets the market live until nowMs and makes everything since the last call durable before a report leaves.
   * Calls the sink with what is to be released, in order.
   */
  advance(nowMs: EpochMs, sink: VenueSink): void;
  /** When `advance` must be called next even if no request comes. */
  nextWakeMs(): EpochMs;
  close(): void;
}

export interface VenueSink {
  report(report: VenueReport, destination: number): void;
  market(instrument: InstrumentIndex, market: Market): void;
  trade(print: TradePrint): void;
}

/** A row to be written; null removes it. */
export interface Row {
  readonly key: string;
  readonly value: Uint8Array | null;
}

/** The venue's own durable memory; it survives kill -9 without inventing or losing a fill. */
export interface VenueStore {
  get(key: string): Uint8Array | undefined;
  /** Every row whose key starts with the prefix and follows `after`, in key order. */
  range(prefix: string, after?: string): Iterable<{ key: string; value: Uint8Array }>;
  /** Writes all rows or none; a null value removes the row. */
  commit(rows: readonly Row[]): void;
  close(): void;
}
