import { formatSteps } from '../../domain/quantity.js';
import type { RejectionCode } from '../../domain/rejection.js';
import { ACKNOWLEDGE_ENDS_MS, LAG_ENDS, VALUE_DIGITS } from '../../domain/trading-figures.js';
import type { MetricRow, HistogramRow } from './metric-row.js';
import type { ServiceFigures } from './service-figures.js';

const MS_PER_S = 1_000;

/** What orders do, the age of the last backup, and the expiry of keys. No label names an order, an account or a key. */
export function tradingRows(
  figures: ServiceFigures,
  refusedCounts: Readonly<Record<RejectionCode, number>>,
): readonly MetricRow[] {
  const { trading } = figures;
  return [
    {
      kind: 'counter',
      name: 'sluice_orders_ended_total',
      help: 'Ended orders by final status and error code; an end without a code has an empty one.',
      labels: ['status', 'code'],
      read: () => trading.ends().map(({ status, code, count }) => [[status, code ?? ''], count]),
    },
    {
      kind: 'counter',
      name: 'sluice_creates_rejected_total',
      help: 'Creates that were answered REJECTED at once, by error code. Nothing of them is stored.',
      labels: ['code'],
      read: () =>
        Object.entries(refusedCounts)
          .filter(([, count]) => count > 0)
          .map(([code, count]) => [[code], count]),
    },
    {
      kind: 'counter',
      name: 'sluice_child_refusals_total',
      help: 'Child orders that an exchange refused, by exchange and error code.',
      labels: ['venue', 'code'],
      read: () => trading.refusals().map(({ venue, code, count }) => [[venue, code], count]),
    },
    {
      kind: 'counter',
      name: 'sluice_fills_total',
      help: 'Fills by exchange, and by whether the child rested (MAKER) or took (TAKER).',
      labels: ['venue', 'liquidity'],
      read: () => trading.fills().map(({ venue, liquidity, count }) => [[venue, liquidity], count]),
    },
    {
      kind: 'counter',
      name: 'sluice_traded_value_total',
      help: 'Quantity times price of all fills, in units of the quote currency.',
      labels: ['venue', 'currency'],
      read: () =>
        trading.values().map(({ venue, quote, units }) => [[venue, quote], Number(formatSteps(units, VALUE_DIGITS))]),
    },
    {
      kind: 'gauge',
      name: 'sluice_unknown_children',
      help: 'Child orders of which the service does not know whether the exchange has them, for at least `age` seconds.',
      labels: ['venue', 'age'],
      read: () => trading.unknown().map(({ venue, ageS, count }) => [[venue, String(ageS)], count]),
    },
    ...dateRows(figures),
  ];
}

/** Times that alarms compare with the present one. */
function dateRows(figures: ServiceFigures): readonly MetricRow[] {
  return [
    {
      kind: 'gauge',
      name: 'sluice_key_expiry_timestamp_seconds',
      help: 'Earliest expiry of the API keys and of the keys of exchanges, from seven days ago on. Absent: no key expires.',
      labels: ['kind'],
      read: () =>
        Object.entries(figures.keyExpiries()).flatMap(([kind, atMs]) =>
          atMs === null ? [] : [[[kind], atMs / MS_PER_S]],
        ),
    },
    {
      kind: 'gauge',
      name: 'sluice_last_backup_timestamp_seconds',
      help: 'Begin of the last finished backup of the data directory; 0: there was none.',
      labels: [],
      read: () => [[[], (figures.lastBackupAtMs() ?? 0) / MS_PER_S]],
    },
  ];
}

/** How fast exchanges answer, and how far orders are behind their schedule. */
export function tradingHistograms({ trading }: ServiceFigures): readonly HistogramRow[] {
  return [
    {
      name: 'sluice_child_acknowledge_seconds',
      help: 'Service time from the submission of a child order to the first answer of its exchange.',
      label: 'venue',
      ends: ACKNOWLEDGE_ENDS_MS.map((endMs) => endMs / MS_PER_S),
      read: () => trading.acknowledged().map((row) => ({ ...row, total: row.total / MS_PER_S })),
    },
    {
      name: 'sluice_schedule_lag_ratio',
      help: 'Part of the order by which it was behind its schedule, at each decision of TWAP, VWAP, POV and IS.',
      label: 'strategy',
      ends: LAG_ENDS,
      read: trading.lags,
    },
  ];
}
