import { formatAmount } from '../../model/amount.js';
import { assert } from '../../model/assert.js';
import type { EventEnvelope } from '../../model/event.js';
import type { Venue } from '../../model/exchange.js';
import type { EpochMs } from '../../model/time.js';
import type { AssetBalance } from '../../model/venue-message.js';
import { feedMembers } from './feed-members.js';
import { quoted } from './json-text.js';

/** Frame of topic `balance`: one asset after something changed it. */
export function balanceFrame(seq: number, envelope: EventEnvelope): string {
  const { event } = envelope;
  assert(event.kind === 'BalanceChanged', 'only a changed balance makes a balance frame');
  return `{${feedMembers('balance', seq, event.venue)}${balanceMembers(event, envelope.eventAtMs)}}`;
}

export interface BalanceSnapshot {
  /** The last frame of the feed before the snapshot; 0 when there was none. */
  readonly seq: number;
  readonly venue: Venue;
  readonly balance: AssetBalance;
  readonly atMs: EpochMs;
}

/** One asset as it stands at the time of a subscription. */
export function balanceSnapshotFrame({ seq, venue, balance, atMs }: BalanceSnapshot): string {
  return `{${feedMembers('balance', seq, venue)},"snapshot":true${balanceMembers(balance, atMs)}}`;
}

function balanceMembers({ asset, total, free }: AssetBalance, atMs: EpochMs): string {
  const amounts = `"balance":${formatAmount(total)},"free":${formatAmount(free)}`;
  return `,"symbol":${quoted(asset)},${amounts},"timestamp":${atMs}`;
}
