import type { GuardrailCounts } from '../../model/guardrail.js';
import type { RefusalCounts } from '../../model/refusal-counts.js';
import { HALT_REASONS } from '../../model/trading-halt.js';
import type { AnswerMeters, RouteMeter } from './answer-meter.js';
import type { ServiceFigures } from './service-figures.js';

export interface MetricSources {
  readonly meters: AnswerMeters;
  readonly refusals: RefusalCounts;
  readonly guardrails: { readonly counts: GuardrailCounts };
  readonly figures: ServiceFigures;
}

const MS_PER_S = 1_000;

/** One metric: its name ends with what it counts, and its rows are read at each scrape. */
export interface MetricRow {
  readonly kind: 'counter' | 'gauge';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** The values of the labels, in their order, and the number. */
  readonly read: () => readonly (readonly [labels: readonly string[], value: number])[];
}

/** Every metric that is ours, but for the histogram of answers. */
export function metricTable({ meters, refusals, guardrails, figures }: MetricSources): readonly MetricRow[] {
  return [
    {
      kind: 'counter',
      name: 'sluice_http_requests_total',
      help: 'Requests answered, by route and class of status.',
      labels: ['route', 'status'],
      read: () => [...meters.all()].flatMap(answersOf),
    },
    {
      kind: 'counter',
      name: 'sluice_limit_refusals_total',
      help: 'What each limit of the public interface has refused or ended.',
      labels: ['limit'],
      read: () => Object.entries(refusals).map(([limit, count]) => [[limit], count]),
    },
    {
      kind: 'counter',
      name: 'sluice_guardrail_refusals_total',
      help: 'Orders and amendments that each guardrail has refused.',
      labels: ['guardrail'],
      read: () => Object.entries(guardrails.counts).map(([guardrail, count]) => [[guardrail], count]),
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
      help: 'Time since a worker thread was last seen moving.',
      labels: ['thread'],
      read: () => Object.entries(figures.threadSilences()).map(([thread, ms]) => [[thread], ms / MS_PER_S]),
    },
    ...venueRows(figures),
    single('sluice_ready', '1 while the service takes orders.', () => Number(figures.isReady())),
    {
      kind: 'gauge',
      name: 'sluice_trading_halted',
      help: '1 while no order is placed for the reason.',
      labels: ['reason'],
      read: () => {
        const halts = figures.tradingHalts();
        return HALT_REASONS.map((reason) => [[reason], Number(halts.some((halt) => halt.reason === reason))]);
      },
    },
    ...reconciliationGauges(figures),
    single('sluice_venue_up', '1 while the thread of the venues is up.', () => Number(figures.isVenueUp())),
    ...shardGauges(figures),
    ...clockRows(figures),
    single('sluice_disk_free_bytes', 'Free space of the disk of the data directory.', () => figures.disk().freeBytes),
    single('sluice_quarantined_orders', 'Open orders that are quarantined or set aside.', figures.quarantinedOrders),
    {
      kind: 'counter',
      name: 'sluice_contradictory_reports_total',
      help: 'Reports of exchanges that contradict what is known of an order.',
      labels: ['kind'],
      read: () => Object.entries(figures.contradictions()).map(([kind, count]) => [[kind], count]),
    },
    single('sluice_pending_commands', 'Commands that wait for the answer of their shard.', figures.pendingCommands),
    {
      kind: 'gauge',
      name: 'sluice_ring_used_ratio',
      help: 'Part of a ring between two threads that is in use, 0 to 1.',
      labels: ['ring', 'thread'],
      read: () => figures.rings().map(({ ring, thread, usedRatio }) => [[ring, thread], usedRatio]),
    },
    {
      kind: 'gauge',
      name: 'sluice_journal_seq',
      help: 'Number of the last event of the journal that was appended, released, committed.',
      labels: ['step'],
      read: () => Object.entries(figures.journal()).map(([step, seq]) => [[step], seq]),
    },
    single('sluice_open_streams', 'WebSocket connections.', figures.openStreams),
    {
      kind: 'gauge',
      name: 'sluice_stream_subscriptions',
      help: 'Subscriptions of all streams.',
      labels: ['topic'],
      read: () => Object.entries(figures.subscriptions()).map(([topic, count]) => [[topic], count]),
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
    single('sluice_restore_open_orphans', 'Of these, how many were open when they were listed last.', () => {
      return reconciliation()?.openOrphanCount ?? 0;
    }),
  ];
}

function venueRows({ venueRequests, venueRates }: ServiceFigures): readonly MetricRow[] {
  const labels = ['venue', 'class'];
  const of = (name: 'sent' | 'delayed' | 'refused' | 'withdrawn' | 'waiting') => (): ReturnType<MetricRow['read']> =>
    venueRequests().map((one) => [[one.venue, one.requestClass], one[name]]);
  const rows = [
    ['counter', 'sluice_venue_requests_total', 'Requests about child orders sent to a venue.', of('sent')],
    [
      'counter',
      'sluice_venue_requests_delayed_total',
      'Requests that had to wait because their account had used up what the venue takes of it.',
      of('delayed'),
    ],
    [
      'counter',
      'sluice_venue_requests_refused_total',
      'Requests that waited too long, or found too many waiting, and were refused to their order.',
      of('refused'),
    ],
    [
      'counter',
      'sluice_venue_requests_withdrawn_total',
      'Requests whose order was cancelled or asked for before they were sent.',
      of('withdrawn'),
    ],
    ['gauge', 'sluice_venue_requests_waiting', 'Requests that wait for their turn.', of('waiting')],
  ] as const;
  return [
    ...rows.map(([kind, name, help, read]) => ({ kind, name, help, labels, read })),
    {
      kind: 'gauge',
      name: 'sluice_venue_request_rate_limit',
      help: 'Requests a second that the venue takes of one account; none where that is not bounded.',
      labels: ['venue'],
      read: () => Object.entries(venueRates()).map(([venue, rate]) => [[venue], rate]),
    },
  ];
}

function shardGauges({ shards }: ServiceFigures): readonly MetricRow[] {
  const labels = ['shard'];
  return [
    {
      kind: 'gauge',
      name: 'sluice_shard_up',
      help: '1 while the shard takes commands.',
      labels,
      read: () => shards().map(({ shard, isUp }) => [[String(shard)], Number(isUp)]),
    },
    {
      kind: 'gauge',
      name: 'sluice_open_parents',
      help: 'Parent orders that the shard works.',
      labels,
      read: () => shards().map(({ shard, openParents }) => [[String(shard)], openParents]),
    },
  ];
}

function clockRows({ clock }: ServiceFigures): readonly MetricRow[] {
  return [
    single('sluice_clock_offset_seconds', 'Service time minus wall clock.', () => clock().offsetMs / MS_PER_S),
    single(
      'sluice_clock_error_seconds',
      'Part of the offset that the simulated speed does not explain; it is slewed away.',
      () => clock().errorMs / MS_PER_S,
    ),
    single('sluice_clock_pace', 'Seconds of service time a real second.', () => clock().pace),
    {
      kind: 'counter',
      name: 'sluice_clock_steps_total',
      help: 'Steps of the wall clock since the start.',
      labels: [],
      read: () => [[[], clock().stepCount]],
    },
  ];
}

function single(name: string, help: string, read: () => number): MetricRow {
  return { kind: 'gauge', name, help, labels: [], read: () => [[[], read()]] };
}

/** Of each class of status that the route has been answered with. */
function answersOf({ route, answersByClass }: RouteMeter): (readonly [string[], number])[] {
  return [...answersByClass].flatMap((count, statusClass) =>
    count === 0 ? [] : [[[route, `${statusClass}xx`], count] as const],
  );
}
