import type { ClockFigures, RingFigures, ServiceFigures } from './http/metrics/service-figures.js';
import type { Readiness } from './http/port.js';
import type { ReconciliationReport } from './model/restore.js';
import type { TradingHalt } from './model/trading-halt.js';
import { CONTRADICTIONS } from './model/quarantine.js';
import type { RecoveredJournal } from './journal/index.js';
import type { OrderDesk } from './route/order-desk.js';
import type { ShardLink } from './route/shard-link.js';
import type { VenueLine } from './route/venue-line.js';
import type { ServiceMemory } from './service-memory.js';
import type { ServiceThreads } from './service-threads.js';
import type { StreamServer } from './stream/index.js';
import type { DiskFigures } from './route/disk-watch.js';
import { readBudgetFigures, type VenueRates } from './venue/index.js';
import { usedRatioOf } from './wire/ring.js';

export interface ServiceFiguresParts {
  readonly readiness: () => Readiness;
  readonly tradingHalts: () => readonly TradingHalt[];
  readonly reconciliation: () => ReconciliationReport | null;
  readonly memory: ServiceMemory;
  readonly venueRates: VenueRates;
  readonly links: readonly ShardLink[];
  readonly orders: OrderDesk;
  readonly venueLine: VenueLine;
  readonly threads: ServiceThreads;
  readonly journal: RecoveredJournal;
  /** null before there are any. */
  readonly stream: () => StreamServer | null;
  readonly clock: () => ClockFigures;
  readonly disk: () => DiskFigures;
  readonly costs: { readonly oldestWaitMs: number };
}

const MAIN = 'main';
const MS_PER_S = 1_000;

/** What the running service tells its metrics: read where it is kept, when it is asked for. */
export function serviceFigures(parts: ServiceFiguresParts): ServiceFigures {
  const { readiness, tradingHalts, reconciliation, links, orders, venueLine } = parts;
  const { threads, journal, stream, clock, disk, costs } = parts;
  return {
    isReady: () => readiness().isReady,
    tradingHalts,
    reconciliation,
    isVenueUp: () => venueLine.isVenueUp,
    shards: () => links.map(({ shard, isUp, openParentCount }) => ({ shard, isUp, openParents: openParentCount })),
    quarantinedOrders: () => links.reduce((sum, { faults }) => sum + faults.quarantinedCount, 0),
    contradictions: () => contradictionsOf(links),
    pendingCommands: () => orders.pendingCount,
    openStreams: () => stream()?.connectionCount ?? 0,
    subscriptions: () => stream()?.subscriptionCounts() ?? {},
    rings: () => [...links.flatMap(shardRings), ...mainRings(parts.memory)],
    venueRequests: () => readBudgetFigures(parts.memory.budgetFigures),
    venueRates: () => perSecond(parts.venueRates),
    journal: () => journal.progress,
    workerRestarts: () => threads.restarts,
    threadSilences: () => ({ ...threads.silences, analyst: costs.oldestWaitMs }),
    clock,
    disk,
  };
}

function contradictionsOf(links: readonly ShardLink[]): Readonly<Record<string, number>> {
  const counts = CONTRADICTIONS.map((kind) => [kind, links.reduce((sum, { faults }) => sum + faults.countOf(kind), 0)]);
  return Object.fromEntries(counts) as Record<string, number>;
}

function perSecond(rates: VenueRates): Readonly<Record<string, number>> {
  const bounded = Object.entries(rates).flatMap(([venue, rate]) => (rate === null ? [] : [[venue, rate] as const]));
  return Object.fromEntries(bounded.map(([venue, { count, perMs }]) => [venue, (count * MS_PER_S) / perMs]));
}

/** By the link and not by the service's memory: a shard that started again has other rings. */
function shardRings({ shard, memory }: ShardLink): RingFigures[] {
  const { commands, events, requests, reports } = memory;
  return figuresOf(`shard-${shard}`, { commands, events, requests, reports });
}

function mainRings({ requests, reports, marketUpdates }: ServiceMemory): RingFigures[] {
  return figuresOf(MAIN, { requests, reports, market: marketUpdates });
}

function figuresOf(thread: string, rings: Readonly<Record<string, SharedArrayBuffer>>): RingFigures[] {
  return Object.entries(rings).map(([ring, memory]) => ({ ring, thread, usedRatio: usedRatioOf(memory) }));
}
