import type { OrderRequest } from '../../src/client/index.js';
import { SESSION_RESUME_MS } from '../../src/domain/limits/clients.js';
import { eventually } from '../system/eventually.js';
import type { AccountSession } from './account-session.js';
import { pause, untilServiceEnds, type Actor, type ServiceRun } from './actor.js';
import { settleAll } from './checks.js';
import { RawSession } from './raw-session.js';

const REST_MS = 15;
const SESSIONS_MAX = 4;
const PIPELINED_COUNT = 5;
const WAITS_DAYS = 20;
const DAY_MS = 86_400_000;
/** A resume that took less than this, as the client measured it, was in time. */
const SURELY_IN_TIME_MS = SESSION_RESUME_MS / 2;
const WISH = { cancel_on_disconnect: true } as const;

/** A session with cancel_on_disconnect, over all its connections. */
interface Member {
  /** Begins the client order ids of its orders. */
  readonly tag: string;
  readonly id: string;
  /** Acknowledged orders. */
  readonly orders: Set<number>;
  /** null: its connection has ended. */
  connection: RawSession | null;
}

/**
 * Places orders in sessions with cancel_on_disconnect and outside of them. It drops and resumes sessions, also over the
 * ends of the service. The orders of a session that is not resumed must be cancelled, all others must stay open.
 */
export class DisconnectTrader implements Actor {
  readonly #session: AccountSession;
  /** Connected sessions, and those that the end of the service has disconnected. */
  #members: Member[] = [];
  /** Tags of sessions that were dropped and not resumed. */
  #gone = new Set<string>();
  /** Acknowledged orders outside of such sessions. */
  #kept = new Set<number>();
  #tagCount = 0;
  resumedCount = 0;
  goneCount = 0;

  constructor(session: AccountSession) {
    this.#session = session;
  }

  /** The operator drops the sessions of a backup. Its orders stay open until the next settlement. */
  restored(): void {
    for (const { connection } of this.#members) connection?.drop();
    this.#members = [];
    this.#gone = new Set();
    this.#kept = new Set();
  }

  /** Resumes some of the sessions that the service's end has disconnected. A late resume is refused. */
  async check(run: ServiceRun): Promise<void> {
    for (const member of this.#members.splice(0)) {
      member.connection?.drop();
      if (run.random.next() < 0.4) this.#leave(member);
      else await this.#resume(member, run);
    }
    await this.#checkOpen(run);
  }

  async work(run: ServiceRun): Promise<void> {
    await untilServiceEnds(run, async () => {
      await pause(REST_MS);
      // Rejects when the service has ended.
      await this.#session.client.ping();
      const connected = this.#members.filter(({ connection }) => connection?.isOpen === true);
      const dice = run.random.next();
      if (connected.length === 0 || (dice < 0.05 && connected.length < SESSIONS_MAX)) return this.#open(run);
      const member = run.random.pick(connected);
      if (dice < 0.7) return this.#place(member, run);
      if (dice < 0.85) return this.#placeOutside(run);
      this.#members = this.#members.filter((one) => one !== member);
      member.connection?.drop();
      if (dice < 0.93) await this.#resumeInTime(member, run);
      else this.#leave(member);
    });
  }

  /** Expects the cancels of all sessions that are gone, and that all other orders stay open. */
  async settle(run: ServiceRun): Promise<void> {
    const { client } = this.#session;
    const left = async (): Promise<string[]> =>
      (await client.open()).map(({ client_order_id: name = '' }) => name).filter((name) => this.#gone.has(tagOf(name)));
    try {
      await eventually(left, (names) => names.length === 0);
    } catch (error) {
      run.report(`orders of sessions that have ended stay open: ${String(error)}`);
    }
    await this.#checkOpen(run);
    this.goneCount += this.#gone.size;
    this.#gone = new Set();
    this.#kept = new Set();
    for (const { orders } of this.#members) orders.clear();
    await settleAll(client);
  }

  async #checkOpen({ report }: ServiceRun): Promise<void> {
    const found = await this.#session.client.open();
    const open = new Set(
      found.filter(({ status }) => status !== 'PENDING_CANCEL').map(({ order_id: orderId }) => orderId),
    );
    for (const orderId of this.#kept) if (!open.has(orderId)) report(`order ${orderId} of no session is not open`);
    for (const { tag, orders } of this.#members) {
      const lost = [...orders].filter((orderId) => !open.has(orderId));
      if (lost.length > 0) report(`orders ${lost.join()} of the resumed session ${tag} are not open`);
    }
  }

  #leave({ tag }: Member): void {
    this.#gone.add(tag);
  }

  async #open(run: ServiceRun): Promise<void> {
    const opened = await RawSession.start({ ...run, key: this.#session.key }, WISH);
    if (opened === null) return;
    this.#tagCount += 1;
    const { session, started } = opened;
    const member = { tag: `s${this.#tagCount}`, id: started.session, orders: new Set<number>(), connection: session };
    this.#members.push(member);
    await Promise.all([this.#place(member, run), this.#placeOutside(run)]);
  }

  /** Returns true when the session continues. */
  async #resume(member: Member, run: ServiceRun): Promise<boolean> {
    const opened = await RawSession.start({ ...run, key: this.#session.key }, { resume: member.id });
    if (opened === null) {
      // The service has ended, or its clock was stepped: the session may be resumed after the next start.
      this.#members.push({ ...member, connection: null });
      return true;
    }
    const { session, started } = opened;
    if (started.resumed) {
      this.resumedCount += 1;
      this.#members.push({ ...member, connection: session });
      return true;
    }
    this.#leave(member);
    // The new session has no orders, so nothing is cancelled when it ends.
    session.drop();
    return false;
  }

  async #resumeInTime(member: Member, run: ServiceRun): Promise<void> {
    const beganMs = performance.now();
    const isResumed = await this.#resume(member, run);
    const tookMs = performance.now() - beganMs;
    if (!isResumed && tookMs < SURELY_IN_TIME_MS) {
      run.report(`session ${member.tag} was not resumed although its resume took ${Math.round(tookMs)} ms`);
    }
  }

  /** Sends several creates without waiting for their answers. */
  async #place(member: Member, run: ServiceRun): Promise<void> {
    await Promise.all(Array.from({ length: PIPELINED_COUNT }, () => this.#placeOne(member, run)));
  }

  async #placeOne({ tag, orders, connection }: Member, { report }: ServiceRun): Promise<void> {
    const answer = await connection?.ask('order.create', this.#request(tag));
    if (answer === null || answer === undefined || answer.status === 503) return;
    const { order_id: orderId } = (answer.data ?? {}) as { readonly order_id?: number };
    if (orderId === undefined) report(`an order of a session was refused: ${JSON.stringify(answer)}`);
    else orders.add(orderId);
  }

  async #placeOutside(run: ServiceRun): Promise<void> {
    const { client } = this.#session;
    const { order_id: orderId } = await client.create(this.#request('outside'));
    if (orderId !== undefined) this.#kept.add(orderId);
    if (run.random.next() < 0.3) await this.#placeWithoutWish(run);
  }

  /** A session without the wish: its orders stay. */
  async #placeWithoutWish(run: ServiceRun): Promise<void> {
    const opened = await RawSession.start({ ...run, key: this.#session.key }, {});
    const answer = await opened?.session.ask('order.create', this.#request('plain'));
    const { order_id: orderId } = (answer?.data ?? {}) as { readonly order_id?: number };
    if (orderId !== undefined) this.#kept.add(orderId);
    opened?.session.drop();
  }

  /** An order that starts in days: it stays open and needs no room at the exchange. */
  #request(tag: string): OrderRequest {
    const number = this.#session.ledger.nextClientId++;
    return {
      client_order_id: `${tag}-${number}`,
      exchange: 'BINANCE',
      symbol: 'BTC/USDT',
      asset_category: 'SPOT',
      side: 'BUY',
      quantity: '0.001',
      strategy: 'LIMIT',
      limit_price: '30000',
      start_time: new Date(Date.now() + WAITS_DAYS * DAY_MS).toISOString(),
    };
  }
}

function tagOf(name: string): string {
  return name.slice(0, name.indexOf('-'));
}
