import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MARKET_RENEW_MS, STREAM_CHECK_MS, SUBSCRIBE_WAIT_MS_MAX } from '../../../../src/domain/limits/live.js';
import type { EpochMs } from '../../../../src/domain/time.js';
import { OKX_INTERVALS } from '../../../../src/venue/live/dialect/okx-streams.js';
import type { MarketTopic } from '../../../../src/venue/live/live-exchange.js';
import { StreamMarket } from '../../../../src/venue/live/market/stream-market.js';
import type { StreamRules } from '../../../../src/venue/live/market/stream-rules.js';
import type { StreamCommand } from '../../../../src/venue/live/market/stream-subscriptions.js';
import type { MarketRecord, MarkPrice } from '../../../../src/venue/live/normal/records.js';

type Route = 'quotes' | 'rest';

/*
 * Rules of an exchange that does not exist. A frame is `{ answer: id }`, `{ refusal: text, id }` or `{ stream, records
 * }`.
 */
const RULES: StreamRules<Route> = {
  venue: 'OKX',
  routes: ['quotes', 'rest'],
  confirmsEachName: false,
  ping: { text: 'ping', everyMs: 1_000, answer: 'pong' },
  intervals: OKX_INTERVALS,
  sequence: {
    first: ({ previousUpdateId }, id) => Number(previousUpdateId) === id,
    next: ({ previousUpdateId }, id) => Number(previousUpdateId) === id,
  },
  bookKinds: new Set(['depth']),
  streamsOf: ({ kind, symbol }) => {
    if (kind === 'candles') return [];
    if (kind === 'mark') return [nameOf('rest', 'price', symbol), nameOf('rest', 'funding', symbol)];
    // Marks and open interest share the stream of prices.
    if (kind === 'openInterest') return [nameOf('rest', 'price', symbol)];
    return [nameOf(kind === 'trades' ? 'rest' : 'quotes', kind, symbol)];
  },
  commandText: (command) => JSON.stringify(command),
  frameOf: (frame) => {
    type Frame = { answer?: string; refusal?: string; id?: string; stream?: string };
    const { answer, refusal, id, stream } = frame as Frame;
    if (answer !== undefined) return { kind: 'confirmed', id: Number(answer) };
    if (refusal !== undefined)
      return { kind: 'refused', message: refusal, ...(id !== undefined && { id: Number(id) }) };
    return stream === undefined ? null : { kind: 'records', stream };
  },
  recordsOf: (frame) => (frame as { records: MarketRecord[] }).records,
};

function nameOf(route: Route, what: string, symbol: string): { route: Route; name: string } {
  return { route, name: `${what}:${symbol}` };
}

class FakeSocket {
  readonly route: Route;
  readonly events: { onOpen: () => void; onText: (text: string) => void; onCut: () => void };
  readonly sent: string[] = [];
  heardAtMs = now();
  reopened = 0;
  isClosed = false;

  constructor(route: Route, events: FakeSocket['events']) {
    this.route = route;
    this.events = events;
  }

  send(text: string): boolean {
    this.sent.push(text);
    return true;
  }

  reopen(): void {
    this.reopened += 1;
  }

  close(): void {
    this.isClosed = true;
  }

  get commands(): StreamCommand[] {
    return this.sent.filter((text) => text !== 'ping').map((text) => JSON.parse(text) as StreamCommand);
  }

  receive(frame: object): void {
    this.heardAtMs = now();
    this.events.onText(JSON.stringify(frame));
  }

  /** Confirms the last message. */
  confirm(): void {
    this.receive({ answer: String(this.commands.at(-1)!.id) });
  }
}

const now = (): EpochMs => Date.now() as EpochMs;
const topic = (kind: Exclude<MarketTopic['kind'], 'candles'>, symbol = 'BTC'): MarketTopic => ({ kind, symbol });
const level = (price: string) => ({ price, quantity: '1' });

function quote(symbol = 'BTC', price = '100'): MarketRecord {
  return { kind: 'TopOfBook', symbol, bid: level(price), ask: level('200'), updateId: '1', atMs: now() };
}

function depth(last: number, previous: number | null, price = '100'): MarketRecord {
  const isSnapshot = previous === null;
  const ids = {
    firstUpdateId: null,
    lastUpdateId: String(last),
    previousUpdateId: isSnapshot ? null : String(previous),
  };
  return { kind: 'Depth', symbol: 'BTC', isSnapshot, bids: [level(price)], asks: [level('200')], ...ids, atMs: now() };
}

function mark(members: Partial<MarkPrice>): MarketRecord {
  const none = { markPrice: null, indexPrice: null, fundingRate: null, nextFundingMs: null };
  return { kind: 'MarkPrice', symbol: 'BTC', ...none, ...members, atMs: now() };
}

let sockets: FakeSocket[];
let delivered: MarketRecord[];
let stale: string[][];
let findings: string[];
let missing: MarketTopic[];
let market: StreamMarket<Route>;

function open(hasRequests = false): void {
  market = new StreamMarket({
    rules: RULES,
    openSocket: (route, events) => {
      const socket = new FakeSocket(route, events);
      sockets.push(socket);
      return socket;
    },
    nowMs: now,
    events: {
      onRecord: (record) => delivered.push(record),
      onStale: (symbols) => stale.push([...symbols]),
    },
    onFinding: ({ message }) => findings.push(message),
    ...(hasRequests && { onMissing: (each) => missing.push(each) }),
  });
}

function look(): void {
  vi.advanceTimersByTime(STREAM_CHECK_MS);
}

/** Subscribes, and opens and confirms the socket of the route. */
function begin(...topics: readonly MarketTopic[]): FakeSocket {
  for (const each of topics) market.subscribe(each);
  look();
  const socket = sockets.at(-1)!;
  socket.events.onOpen();
  look();
  socket.confirm();
  return socket;
}

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  [sockets, delivered, stale, findings, missing] = [[], [], [], [], []];
  open();
});
afterEach(() => {
  market.close();
  vi.useRealTimers();
});

describe('topics over public streams', () => {
  it('use a socket of each route, and none of a route without streams', () => {
    market.subscribe(topic('topOfBook'));
    look();
    expect(sockets.map(({ route }) => route)).toEqual(['quotes']);
    market.subscribe(topic('trades'));
    market.subscribe({ kind: 'candles', symbol: 'BTC', interval: 'ONE_DAY' });
    look();
    expect(sockets.map(({ route }) => route)).toEqual(['quotes', 'rest']);
    market.unsubscribe(topic('trades'));
    look();
    expect(sockets.map(({ isClosed }) => isClosed)).toEqual([false, true]);
  });

  it('are subscribed once, also when they are asked for twice', () => {
    const socket = begin(topic('topOfBook'), topic('topOfBook'), topic('topOfBook', 'ETH'));
    expect(socket.commands).toEqual([{ id: 1, isSubscribe: true, names: ['topOfBook:BTC', 'topOfBook:ETH'] }]);
    market.subscribe(topic('topOfBook'));
    vi.advanceTimersByTime(5_000);
    expect(socket.commands).toHaveLength(1);
  });

  it('deliver nothing after their end, also of frames that were on the way', () => {
    const socket = begin(topic('topOfBook'));
    socket.receive({ stream: 'topOfBook:BTC', records: [quote()] });
    market.unsubscribe(topic('topOfBook'));
    socket.receive({ stream: 'topOfBook:BTC', records: [quote()] });
    vi.advanceTimersByTime(10 * MARKET_RENEW_MS);
    expect(delivered).toHaveLength(1);
  });

  it('share a stream, and leave it to the others when one of them ends', () => {
    const socket = begin(topic('openInterest'));
    market.subscribe(topic('mark'));
    const first = { kind: 'OpenInterest', symbol: 'BTC', quantity: '7', atMs: now() } as const;
    vi.advanceTimersByTime(2_000);
    // The shared stream begins again, so that the second topic has its present state.
    expect(socket.commands.slice(1).map(({ isSubscribe, names }) => [isSubscribe, names])).toEqual([
      [true, ['funding:BTC']],
      [false, ['price:BTC']],
      [true, ['price:BTC']],
    ]);
    socket.receive({ stream: 'price:BTC', records: [first, mark({ markPrice: '99', fundingRate: '0.1' })] });
    expect(delivered.map(({ kind }) => kind)).toEqual(['OpenInterest', 'MarkPrice']);
    market.unsubscribe(topic('openInterest'));
    socket.receive({ stream: 'price:BTC', records: [first, mark({ markPrice: '98' })] });
    expect(delivered.map(({ kind }) => kind)).toEqual(['OpenInterest', 'MarkPrice', 'MarkPrice']);
  });

  it('join a mark from its parts, and begin anew after a cut', () => {
    const socket = begin(topic('mark'));
    socket.receive({ stream: 'price:BTC', records: [mark({ markPrice: '99' })] });
    expect(delivered).toEqual([]);
    socket.receive({ stream: 'funding:BTC', records: [mark({ fundingRate: '0.1' })] });
    expect(delivered).toMatchObject([{ markPrice: '99', fundingRate: '0.1' }]);
    socket.events.onCut();
    socket.receive({ stream: 'price:BTC', records: [mark({ markPrice: '98' })] });
    expect(delivered).toHaveLength(1);
  });
});

describe('a topic that ends and begins at once', () => {
  it('gets its present state from its stream, which begins again', () => {
    const socket = begin(topic('depth'));
    market.unsubscribe(topic('depth'));
    market.subscribe(topic('depth'));
    vi.advanceTimersByTime(2_000);
    expect(socket.commands.slice(1).map(({ isSubscribe }) => isSubscribe)).toEqual([false, true]);
  });

  it('gets it also when its end was seen before its message could be sent', () => {
    const socket = begin(topic('depth'), topic('topOfBook'));
    // The message about this one goes first.
    market.subscribe(topic('topOfBook', 'ETH'));
    market.unsubscribe(topic('depth'));
    look();
    market.subscribe(topic('depth'));
    vi.advanceTimersByTime(2_000);
    expect(socket.commands.slice(1).map(({ isSubscribe, names }) => [isSubscribe, names])).toEqual([
      [true, ['topOfBook:ETH']],
      [false, ['depth:BTC']],
      [true, ['depth:BTC']],
    ]);
  });

  it('has its present state requested where the exchange answers such requests', () => {
    market.close();
    open(true);
    begin(topic('depth'));
    market.unsubscribe(topic('depth'));
    market.subscribe(topic('depth'));
    expect(missing).toEqual([topic('depth'), topic('depth')]);
  });
});

describe('a state that does not change', () => {
  it('is delivered again while its connection is heard, and not otherwise', () => {
    const socket = begin(topic('topOfBook'));
    socket.receive({ stream: 'topOfBook:BTC', records: [quote()] });
    vi.advanceTimersByTime(10 * MARKET_RENEW_MS);
    expect(delivered).toHaveLength(1);
    socket.heardAtMs = now();
    look();
    expect(delivered).toHaveLength(2);
    vi.advanceTimersByTime(10 * MARKET_RENEW_MS);
    expect(delivered).toHaveLength(2);
  });

  it('is delivered again after a cut of another socket with its symbol', () => {
    const quotes = begin(topic('topOfBook'));
    quotes.receive({ stream: 'topOfBook:BTC', records: [quote()] });
    const rest = begin(topic('trades'));
    rest.events.onCut();
    expect(stale).toEqual([['BTC']]);
    look();
    expect(delivered).toHaveLength(2);
  });

  it('is forgotten by a cut, which names each symbol once', () => {
    const socket = begin(topic('topOfBook'), topic('depth'), topic('topOfBook', 'ETH'));
    socket.receive({ stream: 'topOfBook:BTC', records: [quote()] });
    socket.events.onCut();
    expect(stale).toEqual([['BTC', 'ETH']]);
    socket.heardAtMs = (now() + 60_000) as EpochMs;
    vi.advanceTimersByTime(10 * MARKET_RENEW_MS);
    expect(delivered).toHaveLength(1);
    socket.events.onOpen();
    look();
    expect(socket.commands.at(-1)).toMatchObject({
      isSubscribe: true,
      names: ['topOfBook:BTC', 'depth:BTC', 'topOfBook:ETH'],
    });
  });
});

describe('a book with a missing change', () => {
  it('is subscribed again, and shown after its next snapshot', () => {
    const socket = begin(topic('depth'), topic('topOfBook'));
    const receive = (record: MarketRecord): void => socket.receive({ stream: 'depth:BTC', records: [record] });
    receive(depth(10, null));
    receive(depth(11, 10, '101'));
    receive(depth(13, 12, '103'));
    vi.advanceTimersByTime(2_000);
    receive(depth(14, 13, '104'));
    // The broken book is withdrawn once.
    expect(delivered).toHaveLength(3);
    expect(delivered.at(-1)).toMatchObject({ kind: 'Depth', symbol: 'BTC', isSnapshot: true, bids: [], asks: [] });
    expect(socket.commands.slice(1).map(({ isSubscribe, names }) => [isSubscribe, names])).toEqual([
      [false, ['depth:BTC']],
      [true, ['depth:BTC']],
    ]);
    socket.heardAtMs = (now() + 60_000) as EpochMs;
    look();
    expect(delivered).toHaveLength(3);
    receive(depth(20, null, '105'));
    expect(delivered.at(-1)).toMatchObject({ kind: 'Depth', lastUpdateId: '20', bids: [{ price: '105' }] });
    expect(stale).toEqual([]);
  });

  it('lets the quotes of its market be delivered again at once', () => {
    const socket = begin(topic('depth'), topic('topOfBook'));
    socket.receive({ stream: 'topOfBook:BTC', records: [quote()] });
    socket.receive({ stream: 'depth:BTC', records: [depth(10, null)] });
    socket.receive({ stream: 'depth:BTC', records: [depth(13, 12)] });
    look();
    expect(delivered.map(({ kind }) => kind)).toEqual(['TopOfBook', 'Depth', 'Depth', 'TopOfBook']);
  });

  it('is asked for where the exchange answers requests for books', () => {
    market.close();
    open(true);
    const socket = begin(topic('depth'));
    expect(missing).toEqual([topic('depth')]);
    const receive = (record: MarketRecord): void => socket.receive({ stream: 'depth:BTC', records: [record] });
    receive(depth(12, 11));
    // Older than the waiting change.
    expect(market.takeState(topic('depth'), depth(10, null))).toBe(false);
    expect(market.isMissing(topic('depth'))).toBe(true);
    expect(market.takeState(topic('depth'), depth(11, null))).toBe(true);
    expect(market.isMissing(topic('depth'))).toBe(false);
    receive(depth(14, 13));
    expect(missing).toHaveLength(2);
    expect(market.isMissing(topic('depth'))).toBe(true);
    socket.events.onCut();
    expect(market.isMissing(topic('depth'))).toBe(false);
    expect(socket.commands).toHaveLength(1);
  });
});

describe('a quote from a book without one side', () => {
  it('is withdrawn', () => {
    const socket = begin(topic('topOfBook'));
    const whole = depth(1, null) as Extract<MarketRecord, { kind: 'Depth' }>;
    socket.receive({ stream: 'topOfBook:BTC', records: [whole] });
    expect(delivered).toMatchObject([{ kind: 'TopOfBook', bid: { price: '100' } }]);
    socket.receive({ stream: 'topOfBook:BTC', records: [{ ...whole, bids: [] }] });
    expect(stale).toEqual([['BTC']]);
    socket.heardAtMs = (now() + 60_000) as EpochMs;
    look();
    expect(delivered).toHaveLength(1);
  });
});

describe('a connection', () => {
  it('is opened again when a message has no confirmation', () => {
    market.subscribe(topic('topOfBook'));
    look();
    sockets[0]!.events.onOpen();
    look();
    sockets[0]!.receive({ refusal: 'too many' });
    vi.advanceTimersByTime(SUBSCRIBE_WAIT_MS_MAX + STREAM_CHECK_MS);
    expect(sockets[0]!.reopened).toBeGreaterThan(0);
    expect(findings).toEqual(['too many']);
  });

  it('stays open for the other streams when the exchange refuses one of them', () => {
    for (const symbol of ['BTC', 'GONE', 'ETH']) market.subscribe(topic('topOfBook', symbol));
    look();
    const socket = sockets[0]!;
    socket.events.onOpen();
    for (let step = 0; step < 100; step += 1) {
      const count = socket.commands.length;
      look();
      if (socket.commands.length === count) continue;
      const { id, names } = socket.commands.at(-1)!;
      if (names.includes('topOfBook:GONE')) socket.receive({ refusal: 'no such market', id: String(id) });
      else socket.confirm();
    }
    expect(socket.reopened).toBe(0);
    expect(socket.commands.slice(1).map(({ names }) => names)).toEqual([
      ['topOfBook:BTC'],
      ['topOfBook:GONE'],
      ['topOfBook:ETH'],
    ]);
  });

  it('gets the messages that the exchange wants, and its answers are no findings', () => {
    const socket = begin(topic('topOfBook'));
    vi.advanceTimersByTime(5_000);
    expect(socket.sent.filter((text) => text === 'ping').length).toBeGreaterThan(3);
    socket.events.onText('pong');
    socket.events.onText('{"neither":1}');
    expect(findings).toEqual([]);
    socket.events.onText('<html>');
    expect(findings).toEqual(['the frame is no JSON']);
  });
});
