import type { Venue } from '../../../domain/exchange.js';
import type { CandleInterval } from '../../../domain/market-feed.js';
import type { MarketTopic } from '../live-exchange.js';
import type { ReportFinding } from '../normal/message.js';
import type { Depth, VenueRecord } from '../normal/records.js';
import type { BookSequence } from './local-book.js';
import type { StreamCommand } from './stream-subscriptions.js';

/** A stream on one part of the stream host. Parts may use the same names. */
export interface StreamName<Route extends string> {
  readonly route: Route;
  readonly name: string;
}

/** What a frame is: records of a stream, or the answer to a message. null: nothing that matters here. */
export type StreamFrame =
  | { readonly kind: 'records'; readonly stream: string }
  /** `name`: the stream that is confirmed, where each name has a confirmation of its own. */
  | { readonly kind: 'confirmed'; readonly id: number; readonly name?: string }
  /** Without `id` the exchange does not say which message it refuses. */
  | { readonly kind: 'refused'; readonly message: string; readonly id?: number }
  | null;

/** What differs between the public streams of exchanges. */
export interface StreamRules<Route extends string> {
  readonly venue: Venue;
  /** Parts of the stream host. Each has sockets of its own. */
  readonly routes: readonly Route[];
  /** Names in one subscribe message, where the exchange takes fewer than usual. */
  readonly namesPerMessageMax?: Readonly<Record<Route, number>>;
  /** True: each name of a message has a confirmation of its own. */
  readonly confirmsEachName: boolean;
  /** A message that the exchange wants at this interval; null: pings of the protocol are enough. */
  readonly ping: { readonly text: string; readonly everyMs: number; readonly answer: string | null } | null;
  readonly intervals: Readonly<Record<CandleInterval, string>>;
  readonly sequence: BookSequence;
  /** Kinds of topics whose stream sends changes of a book. */
  readonly bookKinds: ReadonlySet<MarketTopic['kind']>;
  /** True for a book that cannot be right; absent: its sequence proves each change. */
  readonly isWrong?: (book: Depth) => boolean;
  /** Streams that carry a topic; none: the exchange has no stream for it. */
  streamsOf(topic: MarketTopic): readonly StreamName<Route>[];
  commandText(command: StreamCommand): string;
  frameOf(frame: unknown): StreamFrame;
  recordsOf(frame: unknown, report: ReportFinding): readonly VenueRecord[];
}
