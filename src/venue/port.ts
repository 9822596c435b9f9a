import type { InstrumentIndex } from '../domain/instrument.js';
import type { Market, TradePrint } from '../domain/market.js';
import type { EpochMs } from '../domain/time.js';
import type { VenueRequest } from '../domain/venue-message.js';
import type { VenueReport } from '../domain/venue-report.js';

/**
 * One venue, driven synchronously by its worker: no own clock, no own thread. The simulated exchange and every live
 * gateway implement this port.
 */
export interface VenueGateway {
  /**
   * Handles one request. The results leave through the sink of `advance`. `origin` is the shard number, or -1 for the
   * main thread.
   */
  handle(request: VenueRequest, origin: number, nowMs: EpochMs): void;
  /**
   * Advances the market to nowMs. Makes all changes since the last call durable before it releases a report. Calls the
   * sink in order.
   */
  advance(nowMs: EpochMs, sink: VenueSink): void;
  /** The latest time of the next `advance` when no request comes. */
  nextWakeMs(): EpochMs;
  close(): void;
}

export interface VenueSink {
  report(report: VenueReport, destination: number): void;
  market(instrument: InstrumentIndex, market: Market): void;
  trade(print: TradePrint): void;
}

/** A row to write; a null value removes the row. */
export interface VenueRow {
  readonly key: string;
  readonly value: Uint8Array | null;
}

/** Durable state of a simulated venue. After kill -9 it has lost no committed fill and invented none. */
export interface VenueStore {
  get(key: string): Uint8Array | undefined;
  /** Rows whose key starts with `prefix` and sorts after `after`, in key order. */
  range(prefix: string, after?: string): Iterable<{ key: string; value: Uint8Array }>;
  /** Writes all rows or none. */
  commit(rows: readonly VenueRow[]): void;
  close(): void;
}

/** Simulated network distance: none, or the latency profile of each venue's listing. */
export type VenueDistance = 'none' | 'profile';
