import type { MetricRow } from './metric-row.js';
import type { RiskLimitCounts } from '../../domain/risk-limit.js';
import type { RefusalCounts, RejectionCode } from '../../domain/rejection.js';
import { HALT_REASONS } from '../../domain/command.js';
import type { AnswerMeters, RouteMeter } from './answer-meter.js';
import type { ServiceFigures } from './service-figures.js';
import { tradingRows } from './trading-rows.js';

export interface MetricSources {
  readonly meters: AnswerMeters;
  readonly refusals: RefusalCounts;
  readonly risk: { readonly counts: RiskLimitCounts };
  readonly placement: { readonly refusedCounts: Readonly<Record<RejectionCode, number>> };
  readonly figures: ServiceFigures;
}

const MS_PER_S = 1_000;

/** Every metric of the service except the histograms. */
export function metricTable({ meters, refusals, risk, placement, figures }: MetricSources): readonly MetricRow[] {
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
    ...venueRows(figures),
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
    ...reconciliationGauges(figures),
    {
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
    },
    single('sluice_venue_up', '1 while the venue thread is up.', () => Number(figures.isVenueUp())),
    {
      kind: 'gauge',
      name: 'sluice_venue_link_up',
      help: '1 while the venue is connected.',
      labels: ['venue'],
      read: () => Object.entries(figures.venueLinks()).map(([venue, isUp]) => [[venue], Number(isUp)]),
    },
    {
      kind: 'gauge',
      name: 'sluice_exchange_mode',
      help: '1 for the mode in which the service trades at the exchange: simulated, testnet or live.',
      labels: ['venue', 'mode'],
      read: () => figures.exchanges().map(({ venue, mode }) => [[venue, mode], 1]),
    },
    {
      kind: 'gauge',
      name: 'sluice_live_accounts_down',
      help: 'Accounts at a real exchange without a connection: no key, a refused key, or a lost connection.',
      labels: ['venue'],
      read: () =>
        figures
          .exchanges()
          .filter(({ mode }) => mode !== 'simulated')
          .map(({ venue, accountsDown }) => [[venue], accountsDown]),
    },
    ...shardGauges(figures),
    ...accountRows(figures),
    ...clockRows(figures),
    single('sluice_disk_free_bytes', 'Free space of the disk of the data directory.', () => figures.disk().freeBytes),
    single('sluice_quarantined_orders', 'Open orders that are quarantined or set aside.', figures.quarantinedOrders),
    {
      kind: 'counter',
      name: 'sluice_contradictory_reports_total',
      help: 'Reports of exchanges that contradict the recorded state of an order.',
      labels: ['kind'],
      read: () => Object.entries(figures.contradictions()).map(([kind, count]) => [[kind], count]),
    },
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
    single('sluice_open_streams', 'WebSocket connections of streams.', figures.openStreams),
    {
      kind: 'gauge',
      name: 'sluice_stream_subscriptions',
      help: 'Subscriptions of all streams by topic.',
      labels: ['topic'],
      read: () => Object.entries(figures.subscriptions()).map(([topic, count]) => [[topic], count]),
    },
    ...sessionRows(figures),
    ...tradingRows(figures, placement.refusedCounts),
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

function venueRows({ venueRequests, venueRates, venueBansMs }: ServiceFigures): readonly MetricRow[] {
  const labels = ['venue', 'class'];
  const of = (name: 'sent' | 'delayed' | 'refused' | 'withdrawn' | 'waiting') => (): ReturnType<MetricRow['read']> =>
    venueRequests().map((one) => [[one.venue, one.requestClass], one[name]]);
  const rows = [
    ['counter', 'sluice_venue_requests_total', 'Requests about child orders sent to a venue.', of('sent')],
    [
      'counter',
      'sluice_venue_requests_delayed_total',
      'Requests that waited because the request budget of their account was used up.',
      of('delayed'),
    ],
    [
      'counter',
      'sluice_venue_requests_refused_total',
      'Requests that were refused because they waited too long, or because too many were waiting.',
      of('refused'),
    ],
    [
      'counter',
      'sluice_venue_requests_withdrawn_total',
      'Requests that were replaced by a cancel or a status request before they were sent.',
      of('withdrawn'),
    ],
    ['gauge', 'sluice_venue_requests_waiting', 'Requests that wait for the budget.', of('waiting')],
  ] as const;
  return [
    ...rows.map(([kind, name, help, read]) => ({ kind, name, help, labels, read })),
    {
      kind: 'gauge',
      name: 'sluice_venue_request_rate_limit',
      help: 'Requests per second that the venue accepts from one account; absent for a venue without a bound.',
      labels: ['venue'],
      read: () => Object.entries(venueRates()).map(([venue, rate]) => [[venue], rate]),
    },
    {
      kind: 'gauge',
      name: 'sluice_venue_ban_seconds',
      help: 'Seconds until the venue takes requests of this address again, cancels too; absent: it takes them now.',
      labels: ['venue'],
      read: () => Object.entries(venueBansMs()).map(([venue, ms]) => [[venue], ms / 1000]),
    },
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

function single(name: string, help: string, read: () => number): MetricRow {
  return { kind: 'gauge', name, help, labels: [], read: () => [[[], read()]] };
}

function counter(name: string, help: string, read: () => number): MetricRow {
  return { kind: 'counter', name, help, labels: [], read: () => [[[], read()]] };
}

/** Counts of each status class with answers. */
function answersOf({ route, answersByClass }: RouteMeter): (readonly [string[], number])[] {
  return [...answersByClass].flatMap((count, statusClass) =>
    count === 0 ? [] : [[[route, `${statusClass}xx`], count] as const],
  );
}
