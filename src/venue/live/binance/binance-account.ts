import { REPLACED_BALANCES_MS, STREAM_KEY_RENEW_MS } from '../../../domain/limits/live.js';
import { isRejected, type OrRejection, reject, type Rejection } from '../../../domain/rejection.js';
import type { DurationMs, EpochMs } from '../../../domain/time.js';
import { refusalOfError } from '../dialect/binance-errors.js';
import { reportingTime } from '../exchange-requests.js';
import { parseExactJson } from '../json/exact-json.js';
import { asObject, memberOf } from '../json/json-fields.js';
import type { AccountCheck, AccountEvents, LiveAccount, LiveInstruments, QueuedRequest } from '../live-exchange.js';
import {
  readBinanceFuturesBalances,
  readBinancePositions,
  readBinanceSpotAccount,
  withSymbolSettings,
} from '../normal/binance-account.js';
import { readBinanceFrame } from '../normal/binance-frame.js';
import { type ReportFinding, unknown, unreadable } from '../normal/message.js';
import type { AccountRecord, Balances, Positions } from '../normal/records.js';
import type { BinanceKey } from '../transport/binance-signature.js';
import { type ConnectionEvents, RenewedConnection } from '../transport/renewed-connection.js';
import type { SocketDial } from '../transport/socket-dial.js';
import { LiveSocket } from '../transport/live-socket.js';
import { pause } from '../waits.js';
import { BinanceConnection } from './binance-connection.js';
import { BinanceClient } from './binance-client.js';
import type { BinanceBudget, BinanceLimits, BinanceRequests } from './binance-requests.js';
import type { BinanceCall, BinanceAddresses } from './binance-rest.js';
import type { BinanceWallet } from './binance-wallet.js';

export interface BinanceAccountParts {
  readonly wallet: BinanceWallet;
  readonly addresses: BinanceAddresses;
  readonly key: BinanceKey;
  readonly requests: BinanceRequests;
  readonly budget: BinanceBudget;
  readonly limits: BinanceLimits;
  readonly instruments: LiveInstruments;
  readonly events: AccountEvents;
  readonly dial: SocketDial;
  /** Exchange's clock minus ours. */
  readonly clockOffsetMs: () => number;
  /** False in an environment without the call for the rights of a key. */
  readonly hasKeyRights: boolean;
  readonly onFinding: ReportFinding;
  readonly close: () => Promise<void>;
}

const CALLS = {
  spotAccount: { rest: 'GET /api/v3/account', socket: null, weight: 20, security: 'SIGNED' },
  keyRights: { rest: 'GET /sapi/v1/account/apiRestrictions', socket: null, weight: 1, security: 'SIGNED' },
  balances: { rest: 'GET /fapi/v3/balance', socket: null, weight: 5, security: 'SIGNED' },
  positions: { rest: 'GET /fapi/v3/positionRisk', socket: null, weight: 5, security: 'SIGNED' },
  symbolSettings: { rest: 'GET /fapi/v1/symbolConfig', socket: null, weight: 5, security: 'SIGNED' },
  accountSettings: { rest: 'GET /fapi/v1/accountConfig', socket: null, weight: 5, security: 'SIGNED' },
  openKey: { rest: 'POST /fapi/v1/listenKey', socket: null, weight: 1, security: 'KEY' },
  /** No request: a socket that opens, logs on and subscribes weighs as much. */
  dial: { rest: 'GET /ws-api/v3', socket: null, weight: 6, security: 'NONE' },
  renewKey: { rest: 'PUT /fapi/v1/listenKey', socket: null, weight: 1, security: 'KEY' },
} as const satisfies Readonly<Record<string, BinanceCall>>;

/** A socket that waits for the limits looks at them again after this time, because they may have been raised. */
const DIAL_LOOK_MS_MAX = 1_000;

/**
 * One account in one section of Binance. Spot: one socket has the orders and the private stream. USD-M: the private
 * stream has a socket of its own, which a listen key opens.
 */
export class BinanceAccount implements LiveAccount {
  readonly client: BinanceClient;
  readonly #parts: BinanceAccountParts;
  #connections: RenewedConnection<BinanceConnection> | null = null;
  #stream: LiveSocket | null = null;
  #renewal: NodeJS.Timeout | undefined;
  /** True while the private stream delivers. */
  #isSubscribed = false;
  #isClosed = false;

  constructor(parts: BinanceAccountParts) {
    this.#parts = parts;
    const { requests, wallet, instruments, events, dial, onFinding } = parts;
    const sending: Pick<BinanceRequests, 'send'> = {
      send: (...request) => (this.#connections?.current.requests ?? requests).send(...request),
    };
    this.client = new BinanceClient({
      category: wallet.category,
      calls: wallet.orders,
      requests: reportingTime(sending, refusalOfError, () => events.onRefusedTime(dial.nowMs())),
      instruments,
      instrumentOf: (child, symbol) => events.instrumentOf(child, symbol),
      nowMs: dial.nowMs,
      onFinding,
    });
  }

  get #isFuture(): boolean {
    return this.#parts.wallet.category === 'FUTURE';
  }

  start(): void {
    this.#connections = new RenewedConnection({
      open: (events) => this.#openConnection(events),
      onReady: () => {
        if (!this.#isFuture) this.#subscribed();
      },
      onCut: () => {
        if (!this.#isFuture) this.#cut();
      },
    });
    if (this.#isFuture) this.#startStream();
  }

  turnMs({ kind, requestClass }: QueuedRequest): number {
    const { budget, wallet } = this.#parts;
    const { place, cancel, order } = wallet.orders;
    return budget.turnMs(kind === 'Submit' ? place : kind === 'Cancel' ? cancel : order, requestClass);
  }

  async balances(): Promise<OrRejection<Balances>> {
    const { requests, onFinding } = this.#parts;
    const answer = await requests.read(this.#isFuture ? CALLS.balances : CALLS.spotAccount, {}, 'STATUS');
    if (isRejected(answer)) return answer;
    if (!this.#isFuture) return readBinanceSpotAccount(answer, onFinding) ?? notReadable('balances');
    const { records, isComplete } = readBinanceFuturesBalances(answer, onFinding);
    if (!isComplete) return notReadable('balances');
    return { kind: 'Balances', isSnapshot: true, balances: records, atMs: null };
  }

  async positions(): Promise<OrRejection<Positions>> {
    const { requests, onFinding } = this.#parts;
    if (!this.#isFuture) return { kind: 'Positions', isSnapshot: true, positions: [], atMs: null };
    const answer = await requests.read(CALLS.positions, {}, 'STATUS');
    if (isRejected(answer)) return answer;
    const { records, isComplete } = readBinancePositions(answer, onFinding);
    if (!isComplete) return notReadable('positions');
    const open = records.filter(({ quantity }) => quantity !== '0');
    if (open.length === 0) return { kind: 'Positions', isSnapshot: true, positions: [], atMs: null };
    const settings = await requests.read(CALLS.symbolSettings, {}, 'STATUS');
    if (isRejected(settings)) return settings;
    return {
      kind: 'Positions',
      isSnapshot: true,
      positions: withSymbolSettings(open, settings, onFinding),
      atMs: null,
    };
  }

  async check(): Promise<OrRejection<AccountCheck>> {
    const { requests, dial, limits, budget, hasKeyRights } = this.#parts;
    const sentAtMs = dial.nowMs();
    const settings = await requests.read(this.#isFuture ? CALLS.accountSettings : CALLS.spotAccount, {}, 'STATUS');
    if (isRejected(settings)) return settings;
    const latencyMs = (dial.nowMs() - sentAtMs) as DurationMs;
    const rights = hasKeyRights ? await requests.read(CALLS.keyRights, {}, 'STATUS') : null;
    if (isRejected(rights)) return rights;
    const right = (name: string): unknown => memberOf(asObject(rights), name);
    const withdrawal = right('enableWithdrawals');
    const addressBound = right('ipRestrict');
    const trading = right(this.#isFuture ? 'enableFutures' : 'enableSpotAndMarginTrading');
    const isDualSide = memberOf(asObject(settings), 'dualSidePosition');
    if (this.#isFuture && typeof isDualSide !== 'boolean') return notReadable('position mode');
    const nowMs = limits.exchangeMs();
    return {
      latencyMs,
      clockOffsetMs: this.#parts.clockOffsetMs(),
      mayTrade: memberOf(asObject(settings), 'canTrade') === true && trading !== false,
      mayWithdraw: typeof withdrawal === 'boolean' ? withdrawal : null,
      isAddressBound: typeof addressBound === 'boolean' ? addressBound : null,
      positionMode: this.#isFuture ? (isDualSide === true ? 'HEDGE' : 'ONE_WAY') : null,
      limits: [...limits.weights.usedLimits(nowMs), ...budget.orders.usedLimits(nowMs)],
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#renewal);
    this.#isSubscribed = false;
    this.#connections?.close();
    this.#stream?.close();
    await this.#parts.close();
  }

  /** Waits for the limits of the exchange: dials count, and those of a banned address too. */
  async #roomToDial(): Promise<void> {
    const { budget } = this.#parts;
    for (;;) {
      const rejection = budget.take(CALLS.dial, 'STATUS');
      if (rejection === null) return budget.answered(CALLS.dial);
      if (this.#isClosed) throw new Error('the account is closed');
      // oxlint-disable-next-line no-await-in-loop
      await pause(Math.min(rejection.retryAfterMs ?? 0, DIAL_LOOK_MS_MAX));
    }
  }

  #openConnection(events: ConnectionEvents): BinanceConnection {
    const { addresses, wallet, dial, key, budget, requests, limits } = this.#parts;
    return new BinanceConnection({
      dial,
      key,
      budget,
      requests,
      url: async () => {
        await this.#roomToDial();
        return `${addresses.socketApi}${wallet.socketPath}`;
      },
      timestampMs: () => Math.round(limits.exchangeMs()),
      hasStream: !this.#isFuture,
      events,
      onFrame: (frame, connection) => this.#takeFrom(connection, frame),
      onUnreadable: () => this.#unreadable('the frame is no JSON'),
      onRefused: (message, rejection) => {
        this.#refused(message);
        this.#reportRefusal(rejection);
      },
    });
  }

  #startStream(): void {
    const { addresses, dial } = this.#parts;
    this.#stream = new LiveSocket({
      ...dial,
      url: async () => `${addresses.streams}/private/ws?listenKey=${await this.#listenKey()}`,
      onOpen: () => this.#subscribed(),
      onText: (text) => this.#takeText(text),
      onCut: () => this.#cut(),
    });
    this.#renewal = setInterval(() => void this.#renew(), STREAM_KEY_RENEW_MS);
  }

  async #listenKey(): Promise<string> {
    const answer = await this.#parts.requests.read(CALLS.openKey, {}, 'STATUS');
    const key = isRejected(answer) ? undefined : memberOf(asObject(answer), 'listenKey');
    if (typeof key === 'string' && key !== '') return encodeURIComponent(key);
    this.#refused(isRejected(answer) ? answer.rejection.message : 'the answer has no listen key');
    if (isRejected(answer)) this.#reportRefusal(answer.rejection);
    throw new Error('the exchange has given no listen key');
  }

  /** A key that cannot be renewed may have ended: a new connection gets a new one. */
  async #renew(): Promise<void> {
    const answer = await this.#parts.requests.read(CALLS.renewKey, {}, 'STATUS');
    if (isRejected(answer)) this.#stream?.reopen();
  }

  #subscribed(): void {
    this.#isSubscribed = true;
    this.#parts.events.onSubscribed(this.#parts.dial.nowMs());
  }

  #cut(): void {
    if (!this.#isSubscribed) return;
    this.#isSubscribed = false;
    this.#parts.events.onCut(this.#parts.dial.nowMs());
  }

  #takeText(text: string): void {
    let frame: unknown;
    try {
      frame = parseExactJson(text);
    } catch {
      this.#unreadable('the frame is no JSON');
      // It may have been an update of an order. Only a new connection asks for what it has missed.
      return this.#stream?.reopen();
    }
    this.#take(frame, null);
  }

  /** The server of a connection says that it will end: another connection replaces it before. */
  #takeFrom(connection: BinanceConnection, frame: unknown): void {
    const isCurrent = connection === this.#connections?.current;
    if (isShutdown(frame)) {
      if (isCurrent) this.#connections?.renew();
      return;
    }
    this.#take(frame, connection);
  }

  #take(frame: unknown, connection: BinanceConnection | null): void {
    const { events, dial, onFinding } = this.#parts;
    const records = readBinanceFrame(frame, onFinding) as readonly AccountRecord[];
    const nowMs: EpochMs = dial.nowMs();
    const replacedMs = connection === null ? 0 : (this.#connections?.replacedMs(connection) ?? 0);
    for (const update of this.client.updatesIn(records)) events.onOrder(update, nowMs);
    for (const record of records) {
      if (record.kind === 'Balances' && replacedMs < REPLACED_BALANCES_MS) events.onBalances(record, nowMs);
      else if (record.kind === 'Positions') events.onPositions(record, nowMs);
      // The end of the stream comes before the end of its socket, or without one.
      else if (record.kind === 'StreamEnded' && replacedMs === 0) (connection ?? this.#stream)?.reopen();
    }
  }

  #unreadable(message: string): void {
    unreadable({ venue: 'BINANCE', type: 'frame', report: this.#parts.onFinding }, message);
  }

  #reportRefusal(rejection: Rejection | null): void {
    if (rejection !== null) this.#parts.events.onRefused(rejection, this.#parts.dial.nowMs());
  }

  #refused(message: string): void {
    unknown({ venue: 'BINANCE', type: 'private stream', report: this.#parts.onFinding }, message);
  }
}

/** True for the word that the server of a socket is about to shut down. */
function isShutdown(frame: unknown): boolean {
  return memberOf(asObject(memberOf(asObject(frame), 'event')), 'e') === 'serverShutdown';
}

function notReadable(what: string): OrRejection<never> {
  return reject('EXCHANGE_ERROR', `BINANCE has sent ${what} that are not readable`);
}
