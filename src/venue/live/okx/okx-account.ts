import { OKX_PING_MS, SUBSCRIBE_WAIT_MS_MAX } from '../../../domain/limits/live.js';
import { isRejected, type OrRejection, reject } from '../../../domain/rejection.js';
import type { DurationMs } from '../../../domain/time.js';
import { refusalOfError } from '../dialect/okx-errors.js';
import { reportingTime } from '../exchange-requests.js';
import { asObject, memberOf, shown } from '../json/json-fields.js';
import type { AccountCheck, AccountEvents, LiveAccount, LiveInstruments, QueuedRequest } from '../live-exchange.js';
import { type ReportFinding, unknown, unreadable } from '../normal/message.js';
import { readOkxBalances, readOkxFrame, readOkxPositions } from '../normal/okx.js';
import type { Balances, Positions } from '../normal/records.js';
import { ApiSocket } from '../transport/api-socket.js';
import type { SocketDial } from '../transport/socket-dial.js';
import { loginMessage, type OkxKey } from '../transport/okx-signature.js';
import { OkxClient, orderCallOf } from './okx-client.js';
import type { OkxBudget, OkxRequests } from './okx-requests.js';
import type { OkxCall } from './okx-rest.js';
import { type OkxInstrumentCodes, OkxSocketRequests } from './okx-socket-requests.js';

export interface OkxAccountParts {
  readonly key: OkxKey;
  /** `wss://` and a host. */
  readonly sockets: string;
  readonly requests: OkxRequests;
  readonly budget: OkxBudget;
  readonly codes: OkxInstrumentCodes;
  readonly instruments: LiveInstruments;
  readonly events: AccountEvents;
  readonly dial: SocketDial;
  /** Exchange's clock minus ours. */
  readonly clockOffsetMs: () => number;
  readonly onFinding: ReportFinding;
  readonly close: () => Promise<void>;
}

const CALLS = {
  balances: { rest: 'GET /api/v5/account/balance', max: 10 },
  positions: { rest: 'GET /api/v5/account/positions', max: 10 },
  config: { rest: 'GET /api/v5/account/config', max: 5 },
} as const satisfies Readonly<Record<string, OkxCall>>;

/** Perpetuals. */
const POSITION_TYPE = 'SWAP';
const CHANNELS = [
  { channel: 'orders', instType: 'ANY' },
  { channel: 'account' },
  // A margin position is held in a spot pair: it would count as one in the spot instrument.
  { channel: 'positions', instType: POSITION_TYPE },
];
/**
 * Codes of a login that say that the key, its signature or its passphrase is wrong. Others say nothing about the key.
 */
const KEY_REFUSALS: ReadonlySet<unknown> = new Set(['60005', '60007', '60024', '60032']);
/** Codes of a login with a time that is unreadable or too far from that of the exchange. */
const TIME_REFUSALS: ReadonlySet<unknown> = new Set(['60004', '60006']);
/** An account of this level trades spot alone. */
const SPOT_LEVEL = '1';
/** The level for which orders are written. */
const FUTURES_LEVEL = '2';
const FUTURES_MODE = 'futures mode';
/** Levels at which spot orders need cross margin. For the second one OKX documents no reduce-only orders. */
const WRONG_MODES: ReadonlyMap<string, string> = new Map([
  ['3', 'multi-currency margin'],
  ['4', 'portfolio margin'],
]);

/**
 * One account at OKX: a socket with its orders and private channels, and REST for all that the socket does not have.
 */
export class OkxAccount implements LiveAccount {
  readonly client: OkxClient;
  readonly #parts: OkxAccountParts;
  #socket: ApiSocket | null = null;
  #wait: NodeJS.Timeout | undefined;
  /** Channels without a confirmation on this connection. */
  #missing = CHANNELS.length;
  /** True from the login on this connection. */
  #isLoggedOn = false;
  /** True while the private channels deliver. */
  #isSubscribed = false;

  constructor(parts: OkxAccountParts) {
    this.#parts = parts;
    const { requests, budget, codes, instruments, events, dial, clockOffsetMs, onFinding } = parts;
    const socketRequests = new OkxSocketRequests({
      socket: () => (this.#isLoggedOn ? this.#socket : null),
      requests,
      budget,
      codes,
    });
    this.client = new OkxClient({
      requests: reportingTime(socketRequests, refusalOfError, () => events.onRefusedTime(dial.nowMs())),
      instruments,
      instrumentOf: (child, symbol) => events.instrumentOf(child, symbol),
      nowMs: dial.nowMs,
      clockOffsetMs,
      onFinding,
    });
  }

  start(): void {
    const { sockets, dial, onFinding } = this.#parts;
    this.#socket = new ApiSocket({
      ...dial,
      idMember: 'id',
      url: () => `${sockets}/ws/v5/private`,
      ping: { text: 'ping', pong: 'pong', everyMs: OKX_PING_MS },
      onOpen: () => this.#logOn(),
      onFrame: (frame) => this.#take(frame),
      onUnreadable: () => unreadable({ venue: 'OKX', type: 'frame', report: onFinding }, 'the frame is no JSON'),
      onCut: () => this.#cut(),
    });
  }

  turnMs({ kind, requestClass, instrument }: QueuedRequest): number {
    const { budget, instruments } = this.#parts;
    return budget.turnMs(orderCallOf(kind), { instId: instruments.at(instrument).exchangeSymbol }, requestClass);
  }

  async balances(): Promise<OrRejection<Balances>> {
    const answer = await this.#parts.requests.read(CALLS.balances, {}, 'STATUS');
    if (isRejected(answer)) return answer;
    const { records, isComplete } = readOkxBalances(answer, this.#parts.onFinding);
    return isComplete && records[0] !== undefined ? records[0] : notReadable('balances');
  }

  async positions(): Promise<OrRejection<Positions>> {
    const answer = await this.#parts.requests.read(CALLS.positions, { instType: POSITION_TYPE }, 'STATUS');
    if (isRejected(answer)) return answer;
    const { records, isComplete } = readOkxPositions(answer, this.#parts.onFinding);
    if (!isComplete) return notReadable('positions');
    const positions = records.filter(({ quantity }) => quantity !== '0');
    return { kind: 'Positions', isSnapshot: true, positions, atMs: null };
  }

  async check(): Promise<OrRejection<AccountCheck>> {
    const { requests, budget, dial, clockOffsetMs } = this.#parts;
    const sentAtMs = dial.nowMs();
    const reading = requests.read(CALLS.config, {}, 'STATUS');
    // Counted as it is sent: the window of a limit may be over when the answer comes.
    const limits = budget.usedLimits();
    const answer = await reading;
    if (isRejected(answer)) return answer;
    const data = memberOf(asObject(answer), 'data');
    const config = asObject(Array.isArray(data) ? (data as readonly unknown[])[0] : undefined);
    const text = (name: string): string | null => {
      const value = memberOf(config, name);
      return typeof value === 'string' && value !== '' ? value : null;
    };
    const mode = text('posMode');
    if (mode !== 'net_mode' && mode !== 'long_short_mode') return notReadable('position mode');
    const level = text('acctLv');
    if (level === null) return notReadable('account mode');
    const isWrong = level !== SPOT_LEVEL && level !== FUTURES_LEVEL;
    const rights = text('perm')?.split(',') ?? null;
    return {
      latencyMs: (dial.nowMs() - sentAtMs) as DurationMs,
      clockOffsetMs: clockOffsetMs(),
      mayTrade: rights?.includes('trade') === true && level === FUTURES_LEVEL,
      mayWithdraw: rights === null ? null : rights.includes('withdraw'),
      // An empty text: the key has no list of addresses.
      isAddressBound: typeof memberOf(config, 'ip') === 'string' ? text('ip') !== null : null,
      positionMode: mode === 'net_mode' ? 'ONE_WAY' : 'HEDGE',
      ...(isWrong && { wrongMode: { is: WRONG_MODES.get(level) ?? shown(level), setTo: FUTURES_MODE } }),
      limits,
    };
  }

  async close(): Promise<void> {
    clearTimeout(this.#wait);
    this.#isSubscribed = false;
    this.#socket?.close();
    await this.#parts.close();
  }

  #logOn(): void {
    const { key, dial, clockOffsetMs } = this.#parts;
    this.#missing = CHANNELS.length;
    this.#isLoggedOn = false;
    this.#socket?.send(loginMessage(key, dial.nowMs() + clockOffsetMs()));
    this.#wait = setTimeout(() => this.#refused('the private channels were not confirmed'), SUBSCRIBE_WAIT_MS_MAX);
  }

  #take(frame: unknown): void {
    const { onFinding, events, dial } = this.#parts;
    const event = memberOf(asObject(frame), 'event');
    if (event !== undefined) return this.#answered(event, asObject(frame)!);
    const nowMs = dial.nowMs();
    const records = readOkxFrame(frame, onFinding);
    for (const update of this.client.updatesIn(records)) events.onOrder(update, nowMs);
    for (const record of records) {
      if (record.kind === 'Balances') events.onBalances(record, nowMs);
      else if (record.kind === 'Positions') events.onPositions(record, nowMs);
    }
  }

  #answered(event: unknown, frame: Readonly<Record<string, unknown>>): void {
    const code = memberOf(frame, 'code');
    switch (event) {
      case 'login':
        if (code !== '0') return this.#loginRefused(code);
        this.#isLoggedOn = true;
        return this.#socket?.send(JSON.stringify({ op: 'subscribe', args: CHANNELS }));
      case 'subscribe':
        this.#missing -= 1;
        return this.#missing === 0 ? this.#subscribed() : undefined;
      case 'channel-conn-count':
        return;
      // The exchange ends connections before it upgrades.
      case 'notice':
        return this.#refused(`the exchange ends the connection with ${shown(code)}`);
      case 'error':
        if (!this.#isLoggedOn) return this.#loginRefused(code);
        return this.#refused(`the private channels were refused with ${shown(code)}`);
      case 'channel-conn-count-error':
        return this.#refused(`the private channels were refused with ${shown(code)}`);
      default:
        return unknown({ venue: 'OKX', type: 'event', report: this.#parts.onFinding }, `unknown event ${shown(event)}`);
    }
  }

  #subscribed(): void {
    clearTimeout(this.#wait);
    this.#isSubscribed = true;
    this.#parts.events.onSubscribed(this.#parts.dial.nowMs());
  }

  #loginRefused(code: unknown): void {
    const message = `the login was refused with ${shown(code)}`;
    if (TIME_REFUSALS.has(code)) this.#parts.events.onRefusedTime(this.#parts.dial.nowMs());
    if (KEY_REFUSALS.has(code)) {
      this.#parts.events.onRefused(
        { code: 'AUTHENTICATION_ERROR', message: `OKX: ${message}` },
        this.#parts.dial.nowMs(),
      );
    }
    this.#refused(message);
  }

  #refused(message: string): void {
    unknown({ venue: 'OKX', type: 'private', report: this.#parts.onFinding }, message);
    this.#socket?.reopen();
  }

  #cut(): void {
    clearTimeout(this.#wait);
    this.#isLoggedOn = false;
    if (!this.#isSubscribed) return;
    this.#isSubscribed = false;
    this.#parts.events.onCut(this.#parts.dial.nowMs());
  }
}

function notReadable(what: string): OrRejection<never> {
  return reject('EXCHANGE_ERROR', `OKX has sent ${what} that are not readable`);
}
