import { EXCHANGE_IDS, type Venue, VENUES } from '../../model/exchange.js';
import type { AccountTopic } from '../../model/feed.js';

const EXCHANGE_MEMBERS = Object.fromEntries(
  VENUES.map((venue) => [venue, `"exchange_id":${EXCHANGE_IDS[venue]},"exchange_name":"${venue}"`]),
) as Readonly<Record<Venue, string>>;

/** `"exchange_id":1,"exchange_name":"BINANCE"`. */
export function exchangeMembers(venue: Venue): string {
  return EXCHANGE_MEMBERS[venue];
}

/** How every frame of an account topic begins; `seq` counts the frames of (account, topic, venue) from 1. */
export function feedMembers(topic: AccountTopic, seq: number, venue: Venue): string {
  return `"topic":"${topic}","seq":${seq},${exchangeMembers(venue)}`;
}
