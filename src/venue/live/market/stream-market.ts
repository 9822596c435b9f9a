import { STREAM_CHECK_MS } from '../../../domain/limits/live.js';
import type { EpochMs } from '../../../domain/time.js';
import { parseExactJson } from '../json/exact-json.js';
import { type MarketEvents, type MarketTopic, topicKey } from '../live-exchange.js';
import { type ReportFinding, unknown, unreadable } from '../normal/message.js';
import type { MarketRecord } from '../normal/records.js';
import type { LiveSocket, LiveSocketOptions } from '../transport/live-socket.js';
import { StreamedTopic } from './streamed-topic.js';
import type { StreamRules } from './stream-rules.js';
import { SocketStreams, StreamPool } from './stream-subscriptions.js';

export interface StreamMarketParts<Route extends string> {
  readonly rules: StreamRules<Route>;
  readonly openSocket: (
    route: Route,
    events: Pick<LiveSocketOptions, 'onOpen' | 'onText' | 'onCut'>,
  ) => Pick<LiveSocket, 'send' | 'reopen' | 'close' | 'heardAtMs'>;
  readonly nowMs: () => EpochMs;
  readonly events: MarketEvents;
  readonly onFinding: ReportFinding;
  /**
   * Called when a topic lacks its present state: its stream begins, or a change of its book is missing. Absent: the
   * stream itself begins with the state, so it is subscribed again.
   */
  readonly onMissing?: (topic: MarketTopic) => void;
}

/** One socket and its streams. */
interface StreamSocket {
  readonly streams: SocketStreams;
  readonly socket: ReturnType<StreamMarketParts<string>['openSocket']>;
  pingAtMs: number;
}

/**
 * The subscribed topics of one exchange over its public streams. States that do not change are delivered again while
 * pings prove that their connection is live. So a record that is old has lost its connection.
 */
export class StreamMarket<Route extends string> {
  readonly #parts: StreamMarketParts<Route>;
  readonly #topics = new Map<string, StreamedTopic<Route>>();
  /** The topics of each stream: two topics may share one. */
  readonly #byStream: ReadonlyMap<Route, Map<string, readonly StreamedTopic<Route>[]>>;
  readonly #pools: ReadonlyMap<Route, StreamPool<StreamSocket>>;
  readonly #timer: NodeJS.Timeout;
  /** True when topics have changed since the sockets were adjusted. */
  #isChanged = false;

  constructor(parts: StreamMarketParts<Route>) {
    this.#parts = parts;
    const { routes } = parts.rules;
    this.#byStream = new Map(routes.map((route) => [route, new Map<string, readonly StreamedTopic<Route>[]>()]));
    this.#pools = new Map(routes.map((route) => [route, new StreamPool(() => this.#openSocket(route), closeSocket)]));
    this.#timer = setInterval(() => this.#advance(parts.nowMs()), STREAM_CHECK_MS);
  }

  /** A second call for the same topic has no effect, nor has one for a topic without a stream. */
  subscribe(topic: MarketTopic): void {
    if (this.#topics.has(topicKey(topic))) return;
    const { rules, events, onMissing } = this.#parts;
    const added = new StreamedTopic(topic, rules, events);
    if (added.streams.length === 0) return;
    this.#topics.set(topicKey(topic), added);
    for (const { route, name } of added.streams) {
      this.#byStream.get(route)!.set(name, [...this.#topicsOf(route, name), added]);
      // A stream that has begun for another topic, or for this one before, does not begin again by itself.
      const streams = this.#streamsWith(route, name);
      if (onMissing === undefined) streams?.renew(name);
      else if (streams?.isConfirmed(name) === true) this.#begun(route, [name]);
    }
    this.#isChanged = true;
  }

  unsubscribe(topic: MarketTopic): void {
    const removed = this.#topics.get(topicKey(topic));
    if (removed === undefined) return;
    this.#topics.delete(topicKey(topic));
    for (const { route, name } of removed.streams) {
      const others = this.#topicsOf(route, name).filter((each) => each !== removed);
      if (others.length > 0) this.#byStream.get(route)!.set(name, others);
      else this.#byStream.get(route)!.delete(name);
    }
    this.#isChanged = true;
  }

  /** True for a topic whose streams deliver, and whose present state is not known. */
  isMissing(topic: MarketTopic): boolean {
    const found = this.#topics.get(topicKey(topic));
    if (found === undefined || found.hasState) return false;
    return found.streams.every(({ route, name }) => this.#streamsWith(route, name)?.isConfirmed(name) === true);
  }

  /**
   * Takes the answer to a request for the present state of a topic. False: it is too old for the changes of its book.
   */
  takeState(topic: MarketTopic, record: MarketRecord): boolean {
    return this.#topics.get(topicKey(topic))?.takeState(record, this.#parts.nowMs()) ?? true;
  }

  close(): void {
    clearInterval(this.#timer);
    for (const pool of this.#pools.values()) pool.want(new Set());
  }

  #topicsOf(route: Route, name: string): readonly StreamedTopic<Route>[] {
    return this.#byStream.get(route)!.get(name) ?? [];
  }

  #streamsWith(route: Route, name: string): SocketStreams | undefined {
    return this.#pools.get(route)!.socketWith(name)?.streams;
  }

  #openSocket(route: Route): StreamSocket {
    const { rules, openSocket, nowMs } = this.#parts;
    const { namesPerMessageMax, confirmsEachName } = rules;
    const streams = new SocketStreams({ namesPerMessageMax: namesPerMessageMax?.[route], confirmsEachName });
    const socket = openSocket(route, {
      onOpen: () => streams.opened(nowMs()),
      onText: (text) => this.#receive(route, streams, text),
      onCut: () => this.#cut(route, streams),
    });
    return { streams, socket, pingAtMs: 0 };
  }

  #advance(nowMs: EpochMs): void {
    const { rules } = this.#parts;
    if (this.#isChanged) this.#adjust();
    for (const [route, pool] of this.#pools) {
      for (const opened of pool.sockets) {
        const { streams, socket } = opened;
        const command = streams.take(nowMs);
        if (command !== null) socket.send(rules.commandText(command));
        if (rules.ping !== null && nowMs >= opened.pingAtMs) {
          socket.send(rules.ping.text);
          opened.pingAtMs = nowMs + rules.ping.everyMs;
        }
        if (streams.isSilent(nowMs)) socket.reopen();
        const { heardAtMs } = socket;
        for (const name of streams.names)
          for (const topic of this.#topicsOf(route, name)) topic.renew(heardAtMs, nowMs);
      }
    }
  }

  #adjust(): void {
    this.#isChanged = false;
    for (const [route, pool] of this.#pools) pool.want(new Set(this.#byStream.get(route)!.keys()));
  }

  #receive(route: Route, streams: SocketStreams, text: string): void {
    const { rules, nowMs, onFinding } = this.#parts;
    if (text === rules.ping?.answer) return;
    const source = { venue: rules.venue, report: onFinding };
    let frame: unknown;
    try {
      frame = parseExactJson(text);
    } catch {
      return unreadable({ ...source, type: 'frame' }, 'the frame is no JSON');
    }
    const read = rules.frameOf(frame);
    if (read === null) return;
    if (read.kind === 'refused') {
      streams.refused(read.id ?? null, nowMs());
      return unknown({ ...source, type: 'subscribe' }, read.message);
    }
    if (read.kind === 'confirmed') return this.#begun(route, streams.confirmed(read.id, read.name));
    const topics = this.#topicsOf(route, read.stream);
    // The last frames of an ended subscription have no topic.
    if (topics.length === 0) return;
    const records = rules.recordsOf(frame, onFinding) as readonly MarketRecord[];
    for (const topic of topics) {
      for (const record of records) if (!topic.take(record, nowMs())) this.#restore(topic);
    }
  }

  #begun(route: Route, names: readonly string[]): void {
    const { onMissing } = this.#parts;
    if (onMissing === undefined) return;
    for (const { topic, hasState } of names.flatMap((name) => this.#topicsOf(route, name))) {
      if ((topic.kind === 'topOfBook' || topic.kind === 'depth') && !hasState) onMissing(topic);
    }
  }

  #restore({ topic, streams }: StreamedTopic<Route>): void {
    // A reader of a withdrawn book does not know the best prices either.
    this.#expire(new Set([topic.symbol]));
    const { onMissing } = this.#parts;
    if (onMissing !== undefined) return onMissing(topic);
    for (const { route, name } of streams) this.#streamsWith(route, name)?.renew(name);
  }

  /** Other states of these symbols are current: they are delivered again at the next look. */
  #expire(symbols: ReadonlySet<string>): void {
    for (const each of this.#topics.values()) if (symbols.has(each.topic.symbol)) each.expire();
  }

  #cut(route: Route, streams: SocketStreams): void {
    streams.cut();
    const topics = [...streams.names].flatMap((name) => this.#topicsOf(route, name));
    for (const topic of topics) topic.cut();
    const symbols = new Set(topics.map(({ topic }) => topic.symbol));
    if (symbols.size === 0) return;
    this.#expire(symbols);
    this.#parts.events.onStale([...symbols], this.#parts.nowMs());
  }
}

function closeSocket({ socket }: StreamSocket): void {
  socket.close();
}
