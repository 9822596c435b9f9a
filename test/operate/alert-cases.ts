/** Samples of an alert, and two times: the alert is silent at the first and fires at the second. */
export interface AlertCase {
  /** By series: values every 15 s, in the notation of promtool. */
  readonly series: Readonly<Record<string, string>>;
  readonly silentAt: string;
  readonly firesAt: string;
}

/** A gauge that becomes wrong at one minute. */
function from1m(series: string, good: number, bad: number): Readonly<Record<string, string>> {
  return { [series]: `${good}x3 ${bad}x100` };
}

const CREATE = 'route="/api/v2/trading/order/create"';
const SERVICE = 'job="sluice",instance="a"';

/** One case for each alert of the rule file. */
export const ALERT_CASES: Readonly<Record<string, AlertCase>> = {
  SluiceDown: { series: from1m(`up{${SERVICE}}`, 1, 0), silentAt: '1m15s', firesAt: '1m45s' },
  SluiceNotReady: { series: from1m('sluice_ready', 1, 0), silentAt: '1m45s', firesAt: '2m15s' },
  SluiceRestarted: {
    series: from1m(`process_start_time_seconds{${SERVICE}}`, 100, 200),
    silentAt: '45s',
    firesAt: '1m15s',
  },
  SluiceShardDown: { series: from1m('sluice_shard_up{shard="0"}', 1, 0), silentAt: '1m15s', firesAt: '1m45s' },
  SluiceThreadSilent: {
    series: {
      ...from1m('sluice_thread_silence_seconds{thread="venue"}', 4, 6),
      'sluice_thread_silence_seconds{thread="keeper"}': '15x103',
    },
    silentAt: '45s',
    firesAt: '1m15s',
  },
  SluiceWorkerRestarted: {
    series: from1m('sluice_worker_restarts_total{worker="keeper"}', 0, 1),
    silentAt: '45s',
    firesAt: '1m15s',
  },
  SluiceDescriptorsLow: {
    series: {
      ...from1m(`process_open_fds{${SERVICE}}`, 60, 900),
      [`process_max_fds{${SERVICE}}`]: '1000x103',
    },
    silentAt: '5m45s',
    firesAt: '6m15s',
  },
  SluiceTradingHalted: {
    series: from1m('sluice_trading_halted{reason="DISK_FULL"}', 0, 1),
    silentAt: '45s',
    firesAt: '1m15s',
  },
  SluiceAccountHalted: {
    series: from1m('sluice_account_halted{account="desk"}', 0, 1),
    silentAt: '45s',
    firesAt: '1m15s',
  },
  SluiceAccountOrders: {
    series: {
      ...from1m('sluice_account_open_orders{account="desk",instance="a"}', 1_600, 1_601),
      'sluice_account_open_orders{account="demo",instance="a"}': '1600x103',
      'sluice_account_open_orders_limit{instance="a"}': '2000x103',
      // The limit is off.
      'sluice_account_open_orders{account="desk",instance="b"}': '5000x103',
      'sluice_account_open_orders_limit{instance="b"}': '0x103',
    },
    silentAt: '5m45s',
    firesAt: '6m15s',
  },
  SluiceAccountWrites: {
    series: from1m('sluice_account_journal_bytes_per_second{account="desk"}', 900_000, 1_100_000),
    silentAt: '10m45s',
    firesAt: '11m15s',
  },
  SluiceKillSwitchEngaged: {
    series: from1m('sluice_kill_switches_engaged{scope="account"}', 0, 2),
    silentAt: '45s',
    firesAt: '1m15s',
  },
  SluiceOrdersQuarantined: { series: from1m('sluice_quarantined_orders', 0, 1), silentAt: '45s', firesAt: '1m15s' },
  SluiceContradictoryReports: {
    series: {
      ...from1m('sluice_contradictory_reports_total{kind="CHILD_OVERFILL"}', 0, 1),
      // A late fill is recorded and marked. It needs no alert.
      'sluice_contradictory_reports_total{kind="LATE_FILL"}': '0+1x103',
    },
    silentAt: '45s',
    firesAt: '1m15s',
  },
  SluiceOrderOverfilled: {
    series: from1m('sluice_contradictory_reports_total{kind="ORDER_OVERFILL"}', 0, 1),
    silentAt: '45s',
    firesAt: '1m15s',
  },
  SluiceChildrenUnknown: {
    series: { 'sluice_venue_requests_total{venue="OKX",class="STATUS"}': '0x3 0+1x100' },
    silentAt: '5m45s',
    firesAt: '6m45s',
  },
  SluiceRestoreWaiting: {
    series: from1m('sluice_reconciliation_waiting_orders', 0, 3),
    silentAt: '15m45s',
    firesAt: '16m15s',
  },
  SluiceRestoreOrphans: {
    series: from1m('sluice_restore_open_orphans', 0, 1),
    silentAt: '5m45s',
    firesAt: '6m15s',
  },
  SluiceVenueThreadDown: { series: from1m('sluice_venue_up', 1, 0), silentAt: '1m15s', firesAt: '1m45s' },
  SluiceVenueLinkDown: {
    series: { ...from1m('sluice_venue_link_up{venue="OKX"}', 1, 0), sluice_venue_up: '1x103' },
    silentAt: '1m15s',
    firesAt: '1m45s',
  },
  SluiceLiveAccountDown: {
    series: from1m('sluice_live_accounts_down{venue="OKX"}', 0, 1),
    silentAt: '2m45s',
    firesAt: '3m15s',
  },
  SluiceVenueBanned: {
    series: from1m('sluice_venue_ban_seconds{venue="BINANCE"}', 0, 90),
    silentAt: '45s',
    firesAt: '1m15s',
  },
  SluiceVenueThrottled: {
    series: { 'sluice_venue_requests_refused_total{venue="OKX",class="RESTING"}': '0x3 0+1x100' },
    silentAt: '5m45s',
    firesAt: '6m45s',
  },
  SluiceJournalSilent: {
    series: from1m('sluice_thread_silence_seconds{thread="journal"}', 2, 4),
    silentAt: '45s',
    firesAt: '1m15s',
  },
  SluiceJournalLag: {
    series: from1m('sluice_journal_lag_events', 15_000, 25_000),
    silentAt: '1m15s',
    firesAt: '1m45s',
  },
  SluiceDiskLow: { series: from1m('sluice_disk_free_bytes', 2.5e9, 1.5e9), silentAt: '45s', firesAt: '1m15s' },
  // 60 MB a minute: the 10 GB above the bound last for less than three hours.
  SluiceDiskFilling: {
    series: { sluice_disk_free_bytes: '10500000000x8 10500000000-15000000x100' },
    silentAt: '2m',
    firesAt: '20m',
  },
  SluiceClockStep: { series: from1m('sluice_clock_steps_total', 0, 1), silentAt: '45s', firesAt: '1m15s' },
  SluiceClockWrong: { series: from1m('sluice_clock_error_seconds', 0, -8), silentAt: '1m45s', firesAt: '2m15s' },
  SluiceBusy: {
    series: { [`sluice_http_requests_total{${CREATE},status="5xx"}`]: '0x3 0+15x100' },
    silentAt: '1m15s',
    firesAt: '2m45s',
  },
  SluiceQueueFilling: {
    series: from1m('sluice_ring_used_ratio{ring="commands",thread="shard-0"}', 0.4, 0.6),
    silentAt: '1m45s',
    firesAt: '2m15s',
  },
  SluiceOrdersRefused: {
    series: {
      [`sluice_http_requests_total{${CREATE},status="2xx"}`]: '0+15x103',
      [`sluice_http_requests_total{${CREATE},status="4xx"}`]: '0x3 0+15x100',
    },
    silentAt: '3m',
    firesAt: '8m',
  },
  SluiceOrderEntrySlow: {
    series: {
      [`sluice_http_request_duration_seconds_bucket{${CREATE},le="0.25"}`]: '0+10x103',
      [`sluice_http_request_duration_seconds_bucket{${CREATE},le="0.5"}`]: '0+10x3 30+20x100',
      [`sluice_http_request_duration_seconds_bucket{${CREATE},le="+Inf"}`]: '0+10x3 30+20x100',
    },
    silentAt: '2m30s',
    firesAt: '6m',
  },
  SluiceOrdersFailing: {
    series: {
      'sluice_orders_ended_total{status="FILLED",code=""}': '0+1x103',
      'sluice_orders_ended_total{status="REJECTED",code="INSUFFICIENT_FUNDS"}': '0x3 0+3x100',
    },
    silentAt: '2m30s',
    firesAt: '6m',
  },
  SluiceChildrenRefused: {
    series: {
      'sluice_child_refusals_total{venue="OKX",code="INVALID_QUANTITY"}': '0x3 0+5x100',
      'sluice_child_refusals_total{venue="BYBIT",code="OTHER"}': '0+1x103',
      'sluice_child_acknowledge_seconds_count{venue="OKX"}': '0x3 0+5x100',
      'sluice_child_acknowledge_seconds_count{venue="BYBIT"}': '0+10x103',
    },
    silentAt: '2m30s',
    firesAt: '5m',
  },
  SluiceScheduleLag: {
    series: {
      'sluice_schedule_lag_ratio_bucket{strategy="TWAP",le="0.2"}': '0+1x3 3x100',
      'sluice_schedule_lag_ratio_count{strategy="TWAP"}': '0+1x103',
    },
    silentAt: '5m',
    firesAt: '9m',
  },
  SluiceChildrenUnknownLong: {
    series: {
      ...from1m('sluice_unknown_children{venue="OKX",age="120"}', 0, 2),
      'sluice_unknown_children{venue="OKX",age="60"}': '5x103',
    },
    silentAt: '45s',
    firesAt: '1m15s',
  },
  SluiceAcknowledgeSlow: {
    series: {
      'sluice_child_acknowledge_seconds_bucket{venue="OKX",le="1"}': '0+10x3 30x100',
      'sluice_child_acknowledge_seconds_bucket{venue="OKX",le="2.5"}': '0+10x3 30x100',
      'sluice_child_acknowledge_seconds_bucket{venue="OKX",le="5"}': '0+10x103',
      'sluice_child_acknowledge_seconds_bucket{venue="OKX",le="+Inf"}': '0+10x103',
    },
    silentAt: '5m',
    firesAt: '8m',
  },
  SluiceKeyExpiring: {
    series: from1m('sluice_key_expiry_timestamp_seconds{kind="api"}', 700_000, 600_000),
    silentAt: '45s',
    firesAt: '1m15s',
  },
  // The clock of promtool begins at 0.
  SluiceBackupOld: {
    series: {
      ...from1m('sluice_last_backup_timestamp_seconds{instance="a"}', -93_000, -94_000),
      'sluice_last_backup_timestamp_seconds{instance="b"}': '-94000x103',
      [`process_start_time_seconds{${SERVICE}}`]: '-90000x103',
      'process_start_time_seconds{job="sluice",instance="b"}': '0x103',
    },
    silentAt: '1m30s',
    firesAt: '2m30s',
  },
};
