import { isRejected, type OrRejection, reject, type Rejection } from '../../../domain/rejection.js';
import type { DurationMs } from '../../../domain/time.js';
import { LIST_PAGES_MAX } from '../../../domain/limits/live.js';
import { refusalOfError } from '../dialect/bybit-errors.js';
import { bybitCategory } from '../dialect/bybit-orders.js';
import { categoryOfAssets, marketName, marketOfName } from '../dialect/bybit-streams.js';
import { reportingTime } from '../exchange-requests.js';
import { asObject, memberOf } from '../json/json-fields.js';
import type { AccountCheck, AccountEvents, LiveAccount, LiveInstruments, QueuedRequest } from '../live-exchange.js';
import { type BybitRecord, readBybitBalances, readBybitNextPage, readBybitPositions } from '../normal/bybit-account.js';
import { type ReportFinding, unknown, unreadable } from '../normal/message.js';
import type { Balances, PositionRecord, Positions } from '../normal/records.js';
import { ApiSocket } from '../transport/api-socket.js';
import { type BybitKey, bybitLogin } from '../transport/bybit-signature.js';
import type { SocketDial } from '../transport/socket-dial.js';
import { type BybitInstruments, BybitClient, orderCallOf } from './bybit-client.js';
import { BybitPrivateStream, LOGIN_MS, OPERATION_PING_MS } from './bybit-private-stream.js';
import type { BybitBudget, BybitRequests } from './bybit-requests.js';
import type { BybitCall } from './bybit-rest.js';
import { BybitSocketRequests } from './bybit-socket-requests.js';

export interface BybitAccountParts {
  readonly key: BybitKey;
  readonly requests: BybitRequests;
  readonly budget: BybitBudget;
  readonly instruments: LiveInstruments;
  readonly events: AccountEvents;
  /** Address of the sockets: a scheme and a host. */
  readonly streams: string;
  readonly dial: SocketDial;
  readonly clockOffsetMs: () => number;
  readonly onFinding: ReportFinding;
  readonly close: () => Promise<void>;
}

const CALLS = {
  wallet: { rest: 'GET /v5/account/wallet-balance', group: 'read' },
  positions: { rest: 'GET /v5/position/list', group: 'read' },
  keyRights: { rest: 'GET /v5/user/query-api', group: 'read' },
} as const satisfies Readonly<Record<string, BybitCall>>;

const LOGIN_REFUSED: Rejection = {
  code: 'AUTHENTICATION_ERROR',
  message: 'BYBIT refuses the login of the private stream',
};
/** Coins in which perpetuals are settled. */
const SETTLE_COINS = ['USDT', 'USDC'];
const POSITIONS_PER_PAGE = '200';
/** A perpetual that is always listed: its position shows the mode of the account. */
const REFERENCE_SYMBOL = 'BTCUSDT';

/** One unified account at Bybit: one wallet for spot and perpetuals, one private stream and one socket for orders. */
export class BybitAccount implements LiveAccount {
  readonly client: BybitClient;
  readonly #parts: BybitAccountParts;
  readonly #socketRequests: BybitSocketRequests;
  #stream: BybitPrivateStream | null = null;
  #socket: ApiSocket | null = null;

  constructor(parts: BybitAccountParts) {
    this.#parts = parts;
    const { key, requests, budget, instruments, events, dial, onFinding } = parts;
    this.#socketRequests = new BybitSocketRequests({
      socket: () => this.#socket,
      requests,
      budget,
      login: () => bybitLogin(key, this.#exchangeMs() + LOGIN_MS),
      timestampMs: () => this.#exchangeMs(),
      onRefused: (message) => unknown({ venue: 'BYBIT', type: 'trade', report: onFinding }, message),
    });
    this.client = new BybitClient({
      requests: reportingTime(this.#socketRequests, refusalOfError, () => events.onRefusedTime(dial.nowMs())),
      instruments: withExchangeSymbols(instruments, events),
      nowMs: dial.nowMs,
      onFinding,
    });
  }

  start(): void {
    const { key, streams, dial, events, onFinding } = this.#parts;
    this.#socket = new ApiSocket({
      ...dial,
      idMember: 'reqId',
      url: () => `${streams}/v5/trade`,
      ping: { text: JSON.stringify({ op: 'ping' }), pong: null, everyMs: OPERATION_PING_MS },
      onOpen: () => void this.#socketRequests.opened(),
      // An answer to a ping.
      onFrame: () => undefined,
      onUnreadable: () => unreadable({ venue: 'BYBIT', type: 'trade', report: onFinding }, 'the frame is no JSON'),
      onCut: () => this.#socketRequests.closed(),
    });
    this.#stream = new BybitPrivateStream({
      key,
      address: streams,
      dial,
      exchangeMs: () => this.#exchangeMs(),
      onRecords: (records) => this.#take(records),
      onSubscribed: () => events.onSubscribed(dial.nowMs()),
      onCut: () => events.onCut(dial.nowMs()),
      onRefused: () => events.onRefused(LOGIN_REFUSED, dial.nowMs()),
      onFinding,
    });
  }

  turnMs(request: QueuedRequest): number {
    const { budget, instruments } = this.#parts;
    const category = bybitCategory(instruments.at(request.instrument));
    return budget.turnMs(orderCallOf(request.kind), category, request.requestClass);
  }

  async balances(): Promise<OrRejection<Balances>> {
    const { requests, onFinding } = this.#parts;
    const answer = await requests.read(CALLS.wallet, { accountType: 'UNIFIED' }, 'STATUS');
    if (isRejected(answer)) return answer;
    const { records, isComplete } = readBybitBalances(answer, onFinding);
    if (!isComplete) return notReadable('balances');
    return { kind: 'Balances', isSnapshot: true, balances: records, atMs: null };
  }

  async positions(): Promise<OrRejection<Positions>> {
    const positions: PositionRecord[] = [];
    for (const settleCoin of SETTLE_COINS) {
      const found = await this.#positionsIn(settleCoin);
      if (isRejected(found)) return found;
      positions.push(...found);
    }
    const open = positions.filter(({ quantity }) => quantity !== '0').map(named);
    return { kind: 'Positions', isSnapshot: true, positions: open, atMs: null };
  }

  async check(): Promise<OrRejection<AccountCheck>> {
    const { requests, dial, budget, clockOffsetMs, onFinding } = this.#parts;
    const sentAtMs = dial.nowMs();
    const answer = await requests.read(CALLS.keyRights, {}, 'STATUS');
    if (isRejected(answer)) return answer;
    const latencyMs = (dial.nowMs() - sentAtMs) as DurationMs;
    const key = asObject(memberOf(asObject(answer), 'result'));
    const permissions = asObject(memberOf(key, 'permissions'));
    if (permissions === null) return notReadable('rights of the key');
    if (memberOf(key, 'uta') !== 1) {
      return reject('INVALID_REQUEST', 'the account at BYBIT is no unified trading account');
    }
    const reference = { category: 'linear', symbol: REFERENCE_SYMBOL };
    const modes = await requests.read(CALLS.positions, reference, 'STATUS');
    if (isRejected(modes)) return modes;
    const { records, isComplete } = readBybitPositions(modes, onFinding);
    if (!isComplete || records.length === 0) return notReadable('position mode');
    const reading = this.positions();
    // Counted as it is sent: the window of a limit may be over when the answer comes.
    const limits = budget.usedLimits();
    const open = await reading;
    if (isRejected(open)) return open;
    const isNet = [...records, ...open.positions].every(({ mode }) => mode === 'NET');
    const may = (name: string, right: string): boolean => rightsIn(permissions, name)?.includes(right) === true;
    const wallet = rightsIn(permissions, 'Wallet');
    const addresses = memberOf(key, 'ips');
    return {
      latencyMs,
      clockOffsetMs: clockOffsetMs(),
      mayTrade: memberOf(key, 'readOnly') === 0 && may('Spot', 'SpotTrade') && may('ContractTrade', 'Order'),
      mayWithdraw: wallet === null ? null : wallet.includes('Withdraw'),
      isAddressBound: Array.isArray(addresses) ? !addresses.includes('*') : null,
      positionMode: isNet ? 'ONE_WAY' : 'HEDGE',
      limits,
    };
  }

  async close(): Promise<void> {
    this.#stream?.close();
    this.#socket?.close();
    this.#socketRequests.closed();
    await this.#parts.close();
  }

  #exchangeMs(): number {
    const { dial, clockOffsetMs } = this.#parts;
    return Math.round(dial.nowMs() + clockOffsetMs());
  }

  async #positionsIn(settleCoin: string): Promise<OrRejection<readonly PositionRecord[]>> {
    const { requests, onFinding } = this.#parts;
    const positions: PositionRecord[] = [];
    const fields = { category: 'linear', settleCoin, limit: POSITIONS_PER_PAGE };
    let cursor: string | null = null;
    for (let page = 0; page < LIST_PAGES_MAX; page += 1) {
      const pageFields = cursor === null ? fields : { ...fields, cursor };
      const answer: OrRejection<unknown> = await requests.read(CALLS.positions, pageFields, 'STATUS');
      if (isRejected(answer)) return answer;
      const { records, isComplete } = readBybitPositions(answer, onFinding);
      if (!isComplete) return notReadable('positions');
      positions.push(...records);
      const next = readBybitNextPage(answer);
      if (next === null || next === cursor) return positions;
      cursor = next;
    }
    return notReadable('positions');
  }

  #take(records: readonly BybitRecord[]): void {
    const { events, dial } = this.#parts;
    const nowMs = dial.nowMs();
    for (const update of this.client.updatesIn(records)) events.onOrder(update, nowMs);
    for (const { record } of records) {
      if (record.kind === 'Balances') events.onBalances(record, nowMs);
      else if (record.kind === 'Positions') {
        events.onPositions({ ...record, positions: record.positions.map(named) }, nowMs);
      }
    }
  }
}

/** The rights of one kind; null: the answer does not state them. */
function rightsIn(permissions: Readonly<Record<string, unknown>>, name: string): readonly unknown[] | null {
  const rights = memberOf(permissions, name);
  return Array.isArray(rights) ? rights : null;
}

/** A position under the name of its market. */
function named(position: PositionRecord): PositionRecord {
  return { ...position, symbol: marketName({ category: 'linear', symbol: position.symbol }) };
}

/** The instruments under the exchange's own symbols, which spot and perpetuals share. */
function withExchangeSymbols(
  instruments: Pick<LiveInstruments, 'at'>,
  events: Pick<AccountEvents, 'instrumentOf'>,
): BybitInstruments {
  return {
    at: (index) => {
      const instrument = instruments.at(index);
      return { ...instrument, exchangeSymbol: marketOfName(instrument.exchangeSymbol).symbol };
    },
    of: (child, symbol, assetCategory) =>
      events.instrumentOf(child, marketName({ category: categoryOfAssets(assetCategory), symbol })),
  };
}

function notReadable(what: string): OrRejection<never> {
  return reject('EXCHANGE_ERROR', `BYBIT has sent ${what} that are not readable`);
}
