import type {
  ClockFigures,
  DiskFigures,
  JournalFigures,
  KeyExpiries,
  RingFigures,
  ServiceFigures,
} from '../http/metrics/service-figures.js';
import type { Readiness } from '../http/status-endpoints.js';
import type { InstrumentCatalogue } from '../domain/instrument.js';
import type { ReconciliationReport } from '../domain/restore.js';
import type { TradingHalt } from '../domain/command.js';
import { CONTRADICTIONS } from '../domain/quarantine.js';
import type { RecoveredJournal } from '../journal/open-journal.js';
import type { JournalProgress } from '../journal/shared-journal.js';
import type { OpenOrderCounts } from '../intake/open-order-counts.js';
import { tradingFigures } from '../journal/trading-memory.js';
import type { OrderGateway } from '../intake/order-gateway.js';
import type { ShardClient } from '../intake/shard-client.js';
import type { KillSwitchDirectory } from '../risk/kill-switch.js';
import { type RealVenues, VENUES } from '../domain/exchange.js';
import type { VenueRouter } from '../venue/venue-router.js';
import type { AccountWrites } from './account-writes.js';
import type { ServiceMemory } from './shared-memory.js';
import type { ServiceThreads } from './threads.js';
import type { StreamServer } from '../stream/server.js';
import { NO_SESSIONS } from '../stream/session-figures.js';
import type { SessionServer } from '../stream/session-port.js';
import type { EpochMs } from '../domain/time.js';
import { readBarredMs, readThrottleFigures } from '../venue/throttle/throttle-figures.js';
import type { VenueRates } from '../venue/throttle/request-rates.js';

import { usedRatioOf } from '../wire/ring.js';

export interface ServiceFiguresParts {
  readonly version: string;
  readonly readiness: () => Readiness;
  readonly tradingHalts: () => readonly TradingHalt[];
  readonly reconciliation: () => ReconciliationReport | null;
  readonly memory: ServiceMemory;
  readonly venueRates: VenueRates;
  readonly shardClients: readonly ShardClient[];
  readonly orders: Pick<OrderGateway, 'pendingCount'>;
  readonly openOrders: Pick<OpenOrderCounts, 'largest'>;
  readonly accountOpenOrdersMax: number;
  readonly writes: Pick<AccountWrites, 'heaviest'>;
  readonly venues: VenueRouter;
  readonly realVenues: RealVenues;
  readonly killSwitches: Pick<KillSwitchDirectory, 'stoppedAccounts' | 'serviceSwitch'>;
  readonly threads: ServiceThreads;
  readonly journal: RecoveredJournal;
  /** null until the server is attached. */
  readonly stream: () => StreamServer | null;
  /** null until the server is attached. */
  readonly sessions: () => SessionServer | null;
  readonly clock: () => ClockFigures;
  readonly nowMs: () => EpochMs;
  readonly disk: () => DiskFigures;
  readonly costs: { readonly oldestWaitMs: number };
  readonly catalogue: InstrumentCatalogue;
  readonly keyExpiries: () => KeyExpiries;
  readonly lastBackupAtMs: () => number | null;
}

const MAIN = 'main';
/** Accounts that a metric names, so that it has few series. */
const ACCOUNTS_SHOWN_MAX = 10;
const MS_PER_S = 1_000;

/** The values of the running service's metrics, read at their source when they are scraped. */
export function serviceFigures(parts: ServiceFiguresParts): ServiceFigures {
  const { readiness, tradingHalts, reconciliation, shardClients, orders, venues, killSwitches } = parts;
  const { threads, journal, stream, sessions, clock, disk, costs } = parts;
  return {
    version: parts.version,
    isReady: () => readiness().isReady,
    tradingHalts,
    trading: tradingFigures(parts.memory.tradingFigures, parts.catalogue),
    keyExpiries: parts.keyExpiries,
    lastBackupAtMs: parts.lastBackupAtMs,
    reconciliation,
    isVenueUp: () => venues.isWorkerUp(null),
    venueLinks: () => Object.fromEntries(VENUES.map((venue) => [venue, venues.isConnected(venue)])),
    exchanges: () =>
      VENUES.map((venue) => ({
        venue,
        mode: parts.realVenues.get(venue) ?? 'simulated',
        accountsDown: venues.accountsDown(venue),
      })),
    killSwitches: () => ({
      service: killSwitches.serviceSwitch,
      accountCount: killSwitches.stoppedAccounts.length,
    }),
    shards: () =>
      shardClients.map(({ shard, isUp, openParentCount }) => ({ shard, isUp, openParents: openParentCount })),
    quarantinedOrders: () => shardClients.reduce((sum, { faults }) => sum + faults.quarantinedCount, 0),
    contradictions: () => contradictionsOf(shardClients),
    accountOpenOrdersMax: parts.accountOpenOrdersMax,
    largestAccounts: () => parts.openOrders.largest(ACCOUNTS_SHOWN_MAX),
    heaviestAccounts: () => parts.writes.heaviest(ACCOUNTS_SHOWN_MAX),
    pendingCommands: () => orders.pendingCount,
    openStreams: () => stream()?.connectionCount ?? 0,
    subscriptions: () => stream()?.subscriptionCounts() ?? {},
    sessions: () => sessions()?.figures() ?? NO_SESSIONS,
    rings: () => [...shardClients.flatMap(shardRings), ...mainRings(parts.memory)],
    venueRequests: () => readThrottleFigures(parts.memory.throttleFigures),
    venueBansMs: () => readBarredMs(parts.memory.throttleFigures, parts.nowMs()),
    venueRates: () => perSecond(parts.venueRates),
    journal: () => stepsOf(journal.progress),
    journalLagEvents: () => lagOf(journal.progress),
    workerRestarts: () => threads.restarts,
    threadSilences: () => ({ ...threads.silences, analyst: costs.oldestWaitMs }),
    clock,
    disk,
  };
}

/** An event is appended and may leave the process at the same moment, after the sync. */
function stepsOf({ durable, projected }: JournalProgress): JournalFigures {
  return { appended: durable, released: durable, committed: projected };
}

function lagOf({ durable, projected }: JournalProgress): number {
  return durable - projected;
}

function contradictionsOf(links: readonly ShardClient[]): Readonly<Record<string, number>> {
  const counts = CONTRADICTIONS.map((kind) => [kind, links.reduce((sum, { faults }) => sum + faults.countOf(kind), 0)]);
  return Object.fromEntries(counts) as Record<string, number>;
}

function perSecond(rates: VenueRates): Readonly<Record<string, number>> {
  const bounded = Object.entries(rates).flatMap(([venue, rate]) => (rate === null ? [] : [[venue, rate] as const]));
  return Object.fromEntries(bounded.map(([venue, { count, perMs }]) => [venue, (count * MS_PER_S) / perMs]));
}

/** Reads the rings of the client, because a restarted shard has new rings. */
function shardRings({ shard, memory }: ShardClient): RingFigures[] {
  const { commands, events, requests, reports, appends, places } = memory;
  return figuresOf(`shard-${shard}`, { commands, events, requests, reports, appends, places });
}

function mainRings({ requests, reports, marketUpdates, intake }: ServiceMemory): RingFigures[] {
  const { appends, places } = intake;
  return figuresOf(MAIN, { requests, reports, market: marketUpdates, appends, places });
}

function figuresOf(thread: string, rings: Readonly<Record<string, SharedArrayBuffer>>): RingFigures[] {
  return Object.entries(rings).map(([ring, memory]) => ({ ring, thread, usedRatio: usedRatioOf(memory) }));
}
