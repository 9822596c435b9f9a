import type { RiskLimitCounts } from '../../domain/risk-limit.js';
import type { RefusalCounts, RejectionCode } from '../../domain/rejection.js';
import { HALT_REASONS } from '../../domain/command.js';
import type { AnswerMeters, RouteMeter } from './answer-meter.js';
import { counter, type MetricRow, single } from './metric-row.js';
import type { ServiceFigures } from './service-figures.js';
import { tradingRows } from './trading-rows.js';
import { exchangeRows, venueRequestRows } from './venue-rows.js';

export interface MetricSources {
  readonly meters: AnswerMeters;
  readonly refusals: RefusalCounts;
  readonly risk: { readonly counts: RiskLimitCounts };
  readonly placement: { readonly refusedCounts: Readonly<Record<RejectionCode, number>> };
  readonly figures: ServiceFigures;
}

const MS_PER_S = 1_000;

/** Every metric of the service except the histograms. */
export function metricTable(sources: MetricSources): readonly MetricRow[] {
  const { figures, placement } = sources;
  return [
    ...requestRows(sources),
    ...threadRows(figures),
    ...venueRequestRows(figures),
    ...readinessRows(figures),
    ...reconciliationGauges(figures),
    killSwitchRow(figures),
    ...exchangeRows(figures),
    ...shardGauges(figures),
    ...accountRows(figures),
    ...clockRows(figures),
    ...orderRows(figures),
    ...journalRows(figures),
    ...streamRows(figures),
    ...sessionRows(figures),
    ...tradingRows(figures, placement.refusedCounts),
  ];
}

function requestRows({ meters, refusals, risk }: MetricSources): readonly MetricRow[] {
  return [
    {
      kind: 'counter',
      name: 'sluice_http_requests_total',
      help: 'Answered requests by route and status class.',
      labels: ['route', 'status'],
      read: () => [...meters.all()].flatMap(answersOf),
    },
    {
      kind: 'counter',
      name: 'sluice_limit_refusals_total',
      help: 'Requests and connections that each limit of the public interface refused or ended.',
      labels: ['limit'],
      read: () => Object.entries(refusals).map(([limit, count]) => [[limit], count]),
    },
    {
      kind: 'counter',
      name: 'sluice_guardrail_refusals_total',
      help: 'Orders and amendments that each risk limit refused.',
      labels: ['guardrail'],
      read: () => Object.entries(risk.counts).map(([limit, count]) => [[limit], count]),
    },
  ];
}

function threadRows(figures: ServiceFigures): readonly MetricRow[] {
  return [
    {
      kind: 'counter',
      name: 'sluice_worker_restarts_total',
      help: 'Deaths of a worker thread, each followed by a new start.',
      labels: ['worker'],
      read: () => Object.entries(figures.workerRestarts()).map(([worker, count]) => [[worker], count]),
    },
    {
      kind: 'gauge',
      name: 'sluice_thread_silence_seconds',
      help: 'Time since the last heartbeat of a worker thread.',
      labels: ['thread'],
      read: () => Object.entries(figures.threadSilences()).map(([thread, ms]) => [[thread], ms / MS_PER_S]),
    },
  ];
}

/** Whether the service runs and accepts orders. */
function readinessRows(figures: ServiceFigures): readonly MetricRow[] {
  return [
    {
      kind: 'gauge',
      name: 'sluice_build_info',
      help: '1 for the release that runs.',
      labels: ['version'],
      read: () => [[[figures.version], 1]],
    },
    single('sluice_ready', '1 while the service accepts orders.', () => Number(figures.isReady())),
    {
      kind: 'gauge',
      name: 'sluice_trading_halted',
      help: '1 while trading is halted for the reason.',
      labels: ['reason'],
      read: () => {
        const halts = figures.tradingHalts().filter(({ only }) => only === undefined);
        return HALT_REASONS.map((reason) => [[reason], Number(halts.some((halt) => halt.reason === reason))]);
      },
    },
  ];
}

function killSwitchRow(figures: ServiceFigures): MetricRow {
  return {
    kind: 'gauge',
    name: 'sluice_kill_switches_engaged',
    help: 'Engaged kill switches by scope: of single accounts, and of the whole service.',
    labels: ['scope'],
    read: () => {
      const { service, accountCount } = figures.killSwitches();
      return [
        [['account'], accountCount],
        [['service'], Number(service !== null)],
      ];
    },
  };
}

function orderRows(figures: ServiceFigures): readonly MetricRow[] {
  return [
    single('sluice_disk_free_bytes', 'Free space of the disk of the data directory.', () => figures.disk().freeBytes),
    single('sluice_quarantined_orders', 'Open orders that are quarantined or set aside.', figures.quarantinedOrders),
    {
      kind: 'counter',
      name: 'sluice_contradictory_reports_total',
      help: 'Reports of exchanges that contradict the recorded state of an order.',
      labels: ['kind'],
      read: () => Object.entries(figures.contradictions()).map(([kind, count]) => [[kind], count]),
    },
  ];
}

/** How far the threads and the journal are behind. */
function journalRows(figures: ServiceFigures): readonly MetricRow[] {
  return [
    single('sluice_pending_commands', 'Commands that wait for the answer of their shard.', figures.pendingCommands),
    {
      kind: 'gauge',
      name: 'sluice_ring_used_ratio',
      help: 'Used part of a ring between two threads, 0 to 1.',
      labels: ['ring', 'thread'],
      read: () => figures.rings().map(({ ring, thread, usedRatio }) => [[ring, thread], usedRatio]),
    },
    {
      kind: 'gauge',
      name: 'sluice_journal_seq',
      help: 'Number of the last appended, released and committed event of the journal.',
      labels: ['step'],
      read: () => Object.entries(figures.journal()).map(([step, seq]) => [[step], seq]),
    },
    single(
      'sluice_journal_lag_events',
      'Durable events that the state does not contain yet.',
      figures.journalLagEvents,
    ),
  ];
}

function streamRows(figures: ServiceFigures): readonly MetricRow[] {
  return [
    single('sluice_open_streams', 'WebSocket connections of streams.', figures.openStreams),
    {
      kind: 'gauge',
      name: 'sluice_stream_subscriptions',
      help: 'Subscriptions of all streams by topic.',
      labels: ['topic'],
      read: () => Object.entries(figures.subscriptions()).map(([topic, count]) => [[topic], count]),
    },
  ];
}

function sessionRows({ sessions }: ServiceFigures): readonly MetricRow[] {
  return [
    {
      kind: 'gauge',
      name: 'sluice_open_sessions',
      help: 'WebSocket connections of order entry, by whether they have authenticated.',
      labels: ['state'],
      read: () => {
        const { open, authenticated } = sessions();
        return [
          [['authenticated'], authenticated],
          [['unauthenticated'], open - authenticated],
        ];
      },
    },
    single('sluice_session_open_requests', 'Requests of sessions without an answer.', () => sessions().openRequests),
    single(
      'sluice_session_records',
      'Sessions with cancel_on_disconnect: connected, waiting for a resume, or with cancels under way.',
      () => sessions().records,
    ),
    counter('sluice_sessions_opened_total', 'Opened connections of order entry.', () => sessions().opened),
    counter(
      'sluice_sessions_refused_total',
      'Authentications of sessions that were refused.',
      () => sessions().refused,
    ),
    {
      kind: 'counter',
      name: 'sluice_sessions_closed_total',
      help: 'Closed connections of order entry, by the close code of the service; client: closed or lost by the client.',
      labels: ['reason'],
      read: () => Object.entries(sessions().closed).map(([reason, count]) => [[reason], count]),
    },
  ];
}

function reconciliationGauges({ reconciliation }: ServiceFigures): readonly MetricRow[] {
  return [
    single('sluice_reconciliation_waiting_accounts', 'Accounts that are not reconciled after a restore.', () => {
      return reconciliation()?.accounts.filter(({ isComplete }) => !isComplete).length ?? 0;
    }),
    single('sluice_reconciliation_waiting_orders', 'Open orders that are not reconciled after a restore.', () => {
      return reconciliation()?.accounts.reduce((sum, { waitingOrders }) => sum + waitingOrders, 0) ?? 0;
    }),
    single('sluice_restore_orphans', 'Orders at exchanges whose parent order the backup does not know.', () => {
      return reconciliation()?.orphanCount ?? 0;
    }),
    single('sluice_restore_open_orphans', 'Orphans that were open in the latest order list.', () => {
      return reconciliation()?.openOrphanCount ?? 0;
    }),
  ];
}

function shardGauges({ shards }: ServiceFigures): readonly MetricRow[] {
  const labels = ['shard'];
  return [
    {
      kind: 'gauge',
      name: 'sluice_shard_up',
      help: '1 while the shard accepts commands.',
      labels,
      read: () => shards().map(({ shard, isUp }) => [[String(shard)], Number(isUp)]),
    },
    {
      kind: 'gauge',
      name: 'sluice_open_parents',
      help: 'Open parent orders of the shard.',
      labels,
      read: () => shards().map(({ shard, openParents }) => [[String(shard)], openParents]),
    },
  ];
}

function accountRows({
  tradingHalts,
  accountOpenOrdersMax,
  largestAccounts,
  heaviestAccounts,
}: ServiceFigures): readonly MetricRow[] {
  const labels = ['account'];
  return [
    {
      kind: 'gauge',
      name: 'sluice_account_halted',
      help: '1 for each account that is halted alone.',
      labels,
      read: () => tradingHalts().flatMap(({ only }) => (only === undefined ? [] : [[[only], 1] as const])),
    },
    {
      kind: 'gauge',
      name: 'sluice_account_open_orders',
      help: 'Open orders of the accounts that have the most.',
      labels,
      read: () => largestAccounts().map(({ account, openOrders }) => [[account], openOrders]),
    },
    single(
      'sluice_account_open_orders_limit',
      'Open orders that an account without a risk limit of its own may have; 0: any number.',
      () => accountOpenOrdersMax,
    ),
    {
      kind: 'gauge',
      name: 'sluice_account_journal_bytes_per_second',
      help: 'Bytes that the heaviest accounts write to the journal, as a mean of about a minute.',
      labels,
      read: () => heaviestAccounts().map(({ account, bytesPerSecond }) => [[account], bytesPerSecond]),
    },
  ];
}

function clockRows({ clock }: ServiceFigures): readonly MetricRow[] {
  return [
    single('sluice_clock_offset_seconds', 'Service time minus wall clock.', () => clock().offsetMs / MS_PER_S),
    single(
      'sluice_clock_error_seconds',
      'Part of the offset that does not come from the simulated speed; it is slewed away.',
      () => clock().errorMs / MS_PER_S,
    ),
    single('sluice_clock_pace', 'Seconds of service time per real second.', () => clock().pace),
    counter('sluice_clock_steps_total', 'Steps of the wall clock since the start.', () => clock().stepCount),
  ];
}

/** Counts of each status class with answers. */
function answersOf({ route, answersByClass }: RouteMeter): (readonly [string[], number])[] {
  return [...answersByClass].flatMap((count, statusClass) =>
    count === 0 ? [] : [[[route, `${statusClass}xx`], count] as const],
  );
}
