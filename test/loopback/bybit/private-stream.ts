import { randomUUID } from 'node:crypto';
import type { Accounts } from '../accounts.js';
import type { ExchangeClock } from '../clock.js';
import type { ExchangeEvent, OrderEvent } from '../exchange-events.js';
import type { FaultScript } from '../faults.js';
import type { FuturesClearing } from '../futures-clearing.js';
import { serveRequest } from '../request-service.js';
import type { SocketSession } from '../socket-server.js';
import { positionRow, positionsIn, walletRow } from './account.js';
import { ApiError, faultError } from './api-error.js';
import { authenticate, connectionId, type Operation, parseOperation } from './operations.js';
import { executionRow, orderRow } from './order-answers.js';
import type { Section, Sections } from './section.js';

interface PrivateSession {
  readonly socket: SocketSession;
  readonly id: string;
  account: number | null;
  readonly topics: Set<string>;
}

interface StreamParts {
  readonly accounts: Accounts;
  readonly clock: ExchangeClock;
  readonly sections: Sections;
  readonly clearing: FuturesClearing;
  readonly faults: FaultScript;
}

const KINDS = ['order', 'execution', 'wallet', 'position'] as const;
type Kind = (typeof KINDS)[number];
const TOPICS = new Set<string>(KINDS.flatMap((kind) => [kind, `${kind}.spot`, `${kind}.linear`]));

/** The private stream of all accounts: `/v5/private`. Fills leave before the order that they change. */
export class PrivateStream {
  readonly #parts: StreamParts;
  readonly #sessions = new Set<PrivateSession>();

  constructor(parts: StreamParts) {
    this.#parts = parts;
    for (const section of Object.values(parts.sections)) {
      section.exchange.listen((events) => this.#publish(section, events));
    }
  }

  open(socket: SocketSession): void {
    const session: PrivateSession = { socket, id: connectionId(), account: null, topics: new Set() };
    this.#sessions.add(session);
    socket.onMessage((text) => void this.#receive(session, parseOperation(text)));
    socket.onClose(() => this.#sessions.delete(session));
  }

  async #receive(session: PrivateSession, operation: Operation | null): Promise<void> {
    const { socket, id } = session;
    await serveRequest<object>(this.#parts.faults, {
      name: `private ${operation?.op ?? ''}`,
      execute: () => this.#answer(session, operation),
      failure: (fault) => {
        return {
          success: false,
          ret_msg: faultError(fault)?.message ?? 'Server error.',
          conn_id: id,
          op: operation?.op,
        };
      },
      send: (answer) => socket.write(JSON.stringify(answer)),
      cut: () => socket.cut(),
    });
  }

  #answer(session: PrivateSession, operation: Operation | null): object {
    if (operation === null) return { success: false, ret_msg: 'Params Error', conn_id: session.id };
    const { op, args, requestId } = operation;
    const nowMs = this.#parts.clock.nowMs();
    const head = { conn_id: session.id, ...(requestId !== null && { req_id: requestId }), op };
    if (op === 'ping') return { ...head, op: 'pong', args: [String(nowMs)] };
    try {
      if (op === 'auth') {
        session.account = authenticate(this.#parts.accounts, operation, { socket: session.socket, nowMs }).account.id;
        return { success: true, ret_msg: '', ...head };
      }
      if (session.account === null) return { success: false, ret_msg: 'Request not authorized', ...head };
      const topics = args.map(String);
      const unknown = topics.find((topic) => !TOPICS.has(topic));
      if (unknown !== undefined)
        return { success: false, ret_msg: `error:handler not found,topic:${unknown}`, ...head };
      for (const topic of topics) {
        if (op === 'subscribe') session.topics.add(topic);
        else session.topics.delete(topic);
      }
      const isKnown = op === 'subscribe' || op === 'unsubscribe';
      return { success: isKnown, ret_msg: isKnown ? '' : 'Params Error', ...head };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { success: false, ret_msg: error.message, retCode: error.code, ...head };
    }
  }

  #publish(section: Section, events: readonly ExchangeEvent[]): void {
    const orders = events.filter((event) => event.kind === 'order');
    for (const event of orders) {
      // One message for each fill, then one for the order.
      if (event.fill !== null)
        this.#send(section, event.order.terms.account, 'execution', [this.#execution(section, event)]);
      this.#send(section, event.order.terms.account, 'order', [orderMessage(section, event)]);
    }
    for (const event of events) {
      if (event.kind === 'account') {
        if (section.category === 'linear')
          this.#sendPositions(
            section,
            event.account,
            event.instruments.map(({ symbol }) => symbol),
          );
        this.#sendWallet(section, event.account);
      } else if (event.kind === 'transfer') this.#sendWallet(section, event.account);
    }
  }

  #execution({ category, exchange }: Section, { order, state, fill }: OrderEvent): object {
    const leaves = order.terms.quantity - state.filled;
    const market = exchange.market(order.terms.instrument.symbol)!;
    return { category, ...executionRow(category, fill!, { order, leaves, market }), isLeverage: '0' };
  }

  #sendPositions(section: Section, account: number, symbols: readonly string[]): void {
    const { clearing } = this.#parts;
    const rows = symbols
      .flatMap((symbol) => positionsIn(clearing, account, symbol))
      .map((position) => {
        const { avgPrice, ...row } = positionRow(this.#parts, account, position);
        return { ...row, category: 'linear', entryPrice: avgPrice };
      });
    this.#send(section, account, 'position', rows);
  }

  #sendWallet(section: Section, account: number): void {
    const row = walletRow(this.#parts, { account: this.#parts.accounts.at(account) }, null);
    this.#send(section, account, 'wallet', [row]);
  }

  #send({ category }: Section, account: number, kind: Kind, data: readonly object[]): void {
    const creationTime = this.#parts.clock.nowMs();
    for (const { socket, topics, ...session } of this.#sessions) {
      const topic = [kind, `${kind}.${category}`].find((name) => topics.has(name));
      if (session.account !== account || topic === undefined) continue;
      socket.send(`private ${kind}`, { id: `${account}_${randomUUID()}`, topic, creationTime, data });
    }
  }
}

function orderMessage({ category, exchange }: Section, { order, state }: OrderEvent): object {
  const fills = exchange.ledger.fills.filter(({ orderId }) => orderId === order.id);
  const fee = fills.reduce((sum, fill) => sum + fill.fee, 0n);
  const row = orderRow(category, { order, state }, fee);
  return { category, ...row, feeCurrency: category === 'spot' ? (fills[0]?.feeAsset ?? '') : '' };
}
