/** Every limit of the public interface that refuses or ends something, by the name of its count. */
const LIMITS = [
  'key_orders',
  'key_cancels',
  'key_reads',
  'address',
  'body_bytes',
  'body_room',
  'body_time',
  'connections',
  'stream_connections',
  'stream_account_connections',
  'stream_subscriptions',
  'stream_messages',
  'stream_frame_bytes',
] as const;

export type LimitName = (typeof LIMITS)[number];

/** How often each limit has refused since the service started. Whoever refuses counts; whoever shows it reads. */
export type RefusalCounts = Record<LimitName, number>;

export function noRefusals(): RefusalCounts {
  return Object.fromEntries(LIMITS.map((name) => [name, 0])) as RefusalCounts;
}
