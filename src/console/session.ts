import { FeedStream, NOT_RESUMABLE } from '../client/feed-stream.js';
import type { OpenSocket } from '../client/stream-socket.js';
import { TRADING_EXCHANGES } from '../client/wire.js';
import type { ChildOrderFrame, Exchange, Instrument, KillSwitch } from '../client/wire.js';
import type { OrderDetails, TradeFrame } from '../client/wire.js';
import { type LiveMode, modeIn } from './live-mode.js';
import { OrderBoard, OriginLookup } from './order/order-board.js';
import { OrderHistory } from './order/order-history.js';
import { OrderSearch } from './order/order-search.js';
import type { ServiceApi } from './network/service-api.js';
import type { Liveness } from './network/service-health.js';
import { reasonOf } from './view/figures.js';

export interface SessionParts {
  readonly api: ServiceApi;
  readonly openSocket: OpenSocket;
  /** Clock of this machine, epoch milliseconds. */
  readonly nowMs: () => number;
  /** Something that the page shows may have changed. */
  readonly onChange: () => void;
}

/** Ended orders that are read at the start. */
const RECENT_ORDERS = 200;
/** The largest page of a timeline. */
const TIMELINE_PAGE_ENTRIES = 1_000;
/** Ids in one request. */
const IDS_MAX = 100;
const DETAIL_TOPICS = ['child_order', 'trade'] as const;

/** Data that one key may see: all orders of its account, one order in full. */
export class Session {
  readonly board = new OrderBoard();
  readonly origins: OriginLookup;
  readonly search: OrderSearch;
  liveness: Liveness = { state: 'CONNECTING' };
  exchanges: readonly Exchange[] = [];
  killSwitch: KillSwitch = { engaged: false };
  /** null until it is known; the service decides then. */
  mayTrade: boolean | null = null;
  /** The order that is open on the page. */
  order: OrderHistory | null = null;
  readonly #parts: SessionParts;
  readonly #stream: FeedStream;
  /** Why the service refuses a feed, by its topic and exchange. */
  readonly #refusals = new Map<string, string>();
  readonly #instruments = new Map<string, Promise<readonly Instrument[]>>();
  #orderVenues: readonly string[] = [];
  #hasRecent = false;
  #isClosed = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    const { api, openSocket } = parts;
    this.#stream = new FeedStream({
      openSocket,
      listenKey: () => api.listenKey(),
      onSubscribed: () => this.#catchUp(),
      onConnection: (state, cause) => state === 'DOWN' && this.#goStale(cause),
      onReconnectFailed: (error) => this.#goStale(error),
      onFeedEnded: (error) => this.#goStale(error),
      onFeedLost: ({ topic, exchange }, { code, message }) => {
        // Frames that the service no longer has are read as the present state of the orders.
        if (code === NOT_RESUMABLE) return;
        this.#refusals.set(`${topic} ${exchange}`, `${topic} of ${exchange} cannot be followed: ${message}`);
        this.#changed();
      },
    });
    this.search = new OrderSearch({
      find: (window, limit) => api.findPage(window, limit),
      found: (orders) => this.board.takeFound(orders),
      onChange: () => this.#changed(),
    });
    this.origins = new OriginLookup({
      timeline: (orderId, after, limit) => api.timeline({ orderId, after, limit }),
      learned: (orderId, entries) => {
        this.board.learn(orderId, entries);
        this.#changed();
      },
    });
  }

  /** False until the orders were read for the first time: the empty board has no meaning until then. */
  get isRead(): boolean {
    return this.#hasRecent;
  }

  /** The stream that the service refuses, with the reason; null: none. */
  get failure(): string | null {
    const [failure = null] = this.#refusals.values();
    return failure;
  }

  /** The mode of an exchange; undefined before the state of the exchanges is known. */
  modeOf(exchange: string): LiveMode | undefined {
    return modeIn(this.exchanges, exchange);
  }

  get venuesDown(): readonly string[] {
    return this.exchanges.filter(({ status }) => status === 'DOWN').map(({ exchange }) => exchange);
  }

  start(): void {
    for (const exchange of TRADING_EXCHANGES) {
      this.#stream.follow({ topic: 'order', exchange }, (frame) => {
        this.board.takeFrame(frame);
        if (String(this.order?.orderId) === frame.order.order_id) void this.order?.read();
        this.#changed();
      });
    }
    this.#stream.start();
  }

  /** Forgets everything and ends the connection. */
  close(): void {
    this.#isClosed = true;
    this.#stream.close();
    this.board.clear();
    this.exchanges = [];
    this.order = null;
    this.liveness = { state: 'OFF' };
  }

  /** Reads data that no stream carries: state of the exchanges, kill switch, cost report. Rejects without an answer. */
  async refresh(): Promise<void> {
    const { api } = this.#parts;
    [this.exchanges, this.killSwitch] = await Promise.all([api.exchanges(), api.killSwitch()]);
    this.mayTrade ??= await api.mayTrade();
    void this.order?.readCost();
    this.#changed();
  }

  /** The instruments of an exchange, read once. */
  instruments(exchange: string): Promise<readonly Instrument[]> {
    const known = this.#instruments.get(exchange);
    if (known !== undefined) return known;
    const listed = this.#parts.api.instruments({ exchange });
    this.#instruments.set(exchange, listed);
    listed.catch(() => this.#instruments.delete(exchange));
    return listed;
  }

  /** Opens one order; null closes it. */
  select(orderId: number | null): void {
    if (this.order?.orderId === orderId) return;
    this.#closeOrder();
    if (orderId === null) return this.#changed();
    const { api } = this.#parts;
    this.order = new OrderHistory(orderId, {
      timeline: (id, after) => api.timeline({ orderId: id, after, limit: TIMELINE_PAGE_ENTRIES }),
      details: async (id) => (await api.byId({ orderIds: [id], includeFees: true, includeParams: true }))[0] ?? null,
      cost: (id) => api.orderCost({ orderId: id }),
      onChange: () => this.#changed(),
    });
    this.#orderVenues = this.board.find(orderId)?.row.venues ?? [];
    for (const exchange of this.#orderVenues) {
      for (const topic of DETAIL_TOPICS) this.#stream.follow({ topic, exchange }, (frame) => this.#readAgain(frame));
    }
    void this.order.read();
    this.#changed();
  }

  /** Frames carry changes only: the page is live once the orders are read too. */
  async #catchUp(): Promise<void> {
    await this.#readOpen();
    if (!this.#hasRecent) this.#takeRecent(await this.#parts.api.find({ limit: RECENT_ORDERS }));
    this.#hasRecent = true;
    if (this.#isClosed) return;
    this.liveness = { state: 'LIVE' };
    // Orders may have begun and ended meanwhile.
    this.search.reset();
    void this.order?.read();
    this.#changed();
  }

  /** Reads the open orders, and the orders that ended meanwhile. */
  async #readOpen(): Promise<void> {
    const { api } = this.#parts;
    const framesSince = this.board.beginRequest();
    try {
      const endedIds = this.board.takeOpen(await api.open(), framesSince);
      for (let index = 0; index < endedIds.length; index += IDS_MAX) {
        const orderIds = endedIds.slice(index, index + IDS_MAX);
        for (const details of await api.byId({ orderIds })) this.board.take(details);
      }
    } finally {
      this.board.endRequest(framesSince);
    }
  }

  #goStale(cause: unknown): void {
    if (this.#isClosed) return;
    const { heardAtMs } = this.#stream;
    const sinceMs = this.liveness.state === 'STALE' ? this.liveness.sinceMs : heardAtMs || this.#parts.nowMs();
    this.liveness = { state: 'STALE', sinceMs, why: reasonOf(cause) };
    this.#changed();
  }

  /** The answer is newest first; the board drops the oldest first. */
  #takeRecent(recent: readonly OrderDetails[]): void {
    for (const details of recent.toReversed()) {
      if (details.order_id !== undefined && this.board.find(details.order_id) === null) this.board.take(details);
    }
  }

  #readAgain(frame: ChildOrderFrame | TradeFrame): void {
    const parentId = frame.topic === 'trade' ? frame.parent_order_id : frame.order.parent_order_id;
    if (String(this.order?.orderId) === parentId) void this.order?.read();
  }

  #closeOrder(): void {
    for (const exchange of this.#orderVenues) {
      for (const topic of DETAIL_TOPICS) {
        this.#stream.unfollow({ topic, exchange });
        this.#refusals.delete(`${topic} ${exchange}`);
      }
    }
    this.#orderVenues = [];
    this.order = null;
  }

  #changed(): void {
    if (!this.#isClosed) this.#parts.onChange();
  }
}
