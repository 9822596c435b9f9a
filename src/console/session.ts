import { TRADING_EXCHANGES } from '../client/frames.js';
import type { ChildOrderFrame, TradeFrame } from '../client/frames.js';
import type { OrderDetails } from '../client/wire.js';
import { AccountView } from './account-view.js';
import type { Liveness } from './liveness.js';
import { LiveStream, type Socket } from './live-stream.js';
import { OrderBoard } from './order-board.js';
import { OrderStudy } from './order-study.js';
import { OriginLookup } from './origin-lookup.js';
import type { ServiceApi } from './service-api.js';

export interface SessionParts {
  readonly api: ServiceApi;
  readonly openSocket: (listenKey: string) => Socket;
  /** This machine's clock, epoch milliseconds. */
  readonly nowMs: () => number;
  /** In [0, 1). */
  readonly chance: () => number;
  /** Something that is shown may have changed. */
  readonly onChange: () => void;
}

/** Orders that are over, asked for at the beginning. */
const RECENT_ORDERS = 200;
/** Ids in one question. */
const IDS_MAX = 100;
const DETAIL_TOPICS = ['child_order', 'trade'] as const;
const ACCOUNT_TOPICS = ['balance', 'position', 'position_risk'] as const;

/** What one key sees: the orders of its account, live, and one of them and one venue more closely. */
export class Session {
  readonly board = new OrderBoard();
  readonly origins: OriginLookup;
  liveness: Liveness = { state: 'CONNECTING' };
  /** What cannot be shown, and why; null: everything can. */
  failure: string | null = null;
  /** Venues that take no orders at the moment, as last asked. */
  venuesDown: readonly string[] = [];
  study: OrderStudy | null = null;
  account: AccountView | null = null;
  readonly #parts: SessionParts;
  readonly #stream: LiveStream;
  #studyVenues: readonly string[] = [];
  #hasRecent = false;
  #isClosed = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    const { api, openSocket, nowMs, chance } = parts;
    this.#stream = new LiveStream({
      openSocket,
      nowMs,
      chance,
      listenKey: () => api.listenKey(),
      onUp: () => this.#catchUp(),
      onDown: (why) => this.#goStale(why),
      onRefused: ({ topic, exchange }, why) => {
        this.failure = `${topic} of ${exchange} cannot be followed: ${why}`;
        this.#changed();
      },
    });
    this.origins = new OriginLookup({
      timeline: (orderId, after, limit) => api.timeline(orderId, after, limit),
      learned: (orderId, entries) => {
        this.board.learn(orderId, entries);
        this.#changed();
      },
    });
  }

  start(): void {
    for (const exchange of TRADING_EXCHANGES) {
      this.#stream.follow({ topic: 'order', exchange }, (frame) => {
        this.board.tell(frame);
        if (String(this.study?.orderId) === frame.order.order_id) void this.study?.look();
        this.#changed();
      });
    }
    this.#stream.start();
  }

  /** Forgets all it knows and ends its connection. */
  close(): void {
    this.#isClosed = true;
    this.#stream.close();
    this.board.clear();
    this.venuesDown = [];
    this.study = null;
    this.account = null;
    this.liveness = { state: 'OFF' };
  }

  /** Asks which venues are down. Rejects when no answer comes. */
  async askVenues(): Promise<void> {
    const venues = await this.#parts.api.exchanges();
    this.venuesDown = venues.filter(({ status }) => status === 'DOWN').map(({ exchange }) => exchange);
    this.#changed();
  }

  /** Studies one order more closely; null: none. */
  select(orderId: number | null): void {
    if (this.study?.orderId === orderId) return;
    this.#leaveStudy();
    if (orderId === null) return this.#changed();
    const { api } = this.#parts;
    this.study = new OrderStudy(orderId, {
      timeline: (id, after) => api.timeline(id, after),
      details: async (id) => (await api.byIds([id], true))[0] ?? null,
      lotOf: (details) => this.#lotOf(details),
      onChange: () => this.#changed(),
    });
    this.#studyVenues = this.board.find(orderId)?.row.venues ?? [];
    for (const exchange of this.#studyVenues) {
      for (const topic of DETAIL_TOPICS) this.#stream.follow({ topic, exchange }, (frame) => this.#lookAgain(frame));
    }
    void this.study.look();
    this.#changed();
  }

  /** Follows balances and positions at a venue: a subscription begins with all of them. */
  watchAccount(venue: string): void {
    const former = this.account?.venue;
    if (former === venue) return;
    if (former !== undefined) for (const topic of ACCOUNT_TOPICS) this.#stream.unfollow({ topic, exchange: former });
    const account = new AccountView(venue);
    this.account = account;
    this.#stream.follow({ topic: 'balance', exchange: venue }, (frame) => {
      account.tellBalance(frame);
      this.#changed();
    });
    this.#stream.follow({ topic: 'position', exchange: venue }, (frame) => {
      account.tellPosition(frame);
      this.#changed();
    });
    this.#stream.follow({ topic: 'position_risk', exchange: venue }, (frame) => {
      account.tellRisk(frame);
      this.#changed();
    });
    this.#changed();
  }

  /** Live only when the orders are known as well: frames tell what changes, not what is. */
  async #catchUp(): Promise<void> {
    await this.#askOpen();
    if (!this.#hasRecent) this.#takeRecent(await this.#parts.api.recent(RECENT_ORDERS));
    this.#hasRecent = true;
    if (this.#isClosed) return;
    this.failure = null;
    this.liveness = { state: 'LIVE' };
    void this.study?.look();
    this.#changed();
  }

  /** Asks for the open orders, and for those that have ended meanwhile. */
  async #askOpen(): Promise<void> {
    const { api } = this.#parts;
    const toldSince = this.board.beginAsking();
    try {
      const endedIds = this.board.takeOpen(await api.open(), toldSince);
      for (let index = 0; index < endedIds.length; index += IDS_MAX) {
        for (const details of await api.byIds(endedIds.slice(index, index + IDS_MAX))) this.board.take(details);
      }
    } finally {
      this.board.endAsking(toldSince);
    }
  }

  #goStale(why: string): void {
    const heardAtMs = this.#stream.heardAtMs;
    const sinceMs = this.liveness.state === 'STALE' ? this.liveness.sinceMs : heardAtMs || this.#parts.nowMs();
    this.liveness = { state: 'STALE', sinceMs, why };
    this.#changed();
  }

  /** Newest first as they come; the board forgets the oldest first. */
  #takeRecent(recent: readonly OrderDetails[]): void {
    for (const details of recent.toReversed()) {
      if (details.order_id !== undefined && this.board.find(details.order_id) === null) this.board.take(details);
    }
  }

  #lookAgain(frame: ChildOrderFrame | TradeFrame): void {
    const parentId = frame.topic === 'trade' ? frame.parent_order_id : frame.order.parent_order_id;
    if (String(this.study?.orderId) === parentId) void this.study?.look();
  }

  #leaveStudy(): void {
    for (const exchange of this.#studyVenues) {
      for (const topic of DETAIL_TOPICS) this.#stream.unfollow({ topic, exchange });
    }
    this.#studyVenues = [];
    this.study = null;
  }

  async #lotOf(details: OrderDetails): Promise<number | null> {
    const { exchange, symbol, asset_class: assetClass } = details.legs?.[0] ?? details;
    if (exchange === undefined || symbol === undefined) return null;
    const listed = await this.#parts.api.instruments(exchange, symbol);
    const instrument = listed.find((candidate) => candidate.assetClass === assetClass) ?? listed[0];
    return instrument === undefined ? null : 10 ** -instrument.quantityPrecision;
  }

  #changed(): void {
    if (!this.#isClosed) this.#parts.onChange();
  }
}
