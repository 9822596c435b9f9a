import type { RetryPolicy } from '../client/retry.js';
import { type PlainRequest, SignedRequests } from '../client/signed-requests.js';
import { SluiceError } from '../client/sluice-error.js';
import type { OpenSocket } from '../client/stream-socket.js';
import type { Transport } from '../client/transport.js';
import { webRequestHeaders, type WebSigner } from '../client/web-signature.js';
import type { OrderRequest } from '../client/wire.js';
import { AccountHoldings } from './account-holdings.js';
import { reasonOf, refusalText } from './view/figures.js';
import {
  actionsIn,
  confirmationOf,
  confirmationOfAll,
  confirmationOfMore,
  KILL_SWITCH_CONFIRMATION,
} from './order/order-facts.js';
import type { Confirmation, OrderAction } from './order/order-facts.js';
import { canAmend, OrderAmendment } from './order/order-amendment.js';
import { exportName, exportOrders } from './order/order-csv.js';
import type { BoardView, OrderFilter } from './order/order-filter.js';
import { SEARCH_ORDERS_MAX } from './order/order-search.js';
import { ServiceApi } from './network/service-api.js';
import { HealthProbe, ServerClock } from './network/service-health.js';
import { Session } from './session.js';
import { MarketWatch } from './ticket/market-watch.js';
import { OrderTicket } from './ticket/ticket.js';

/** The result of an action. */
export interface Message {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

/** A dialog that asks before an action. */
export interface Proposal {
  readonly confirmation: Confirmation;
  readonly act: () => Promise<void>;
}

export interface ConsoleParts {
  readonly transport: Transport;
  readonly openSocket: OpenSocket;
  /** Clock of this machine, epoch milliseconds. */
  readonly nowMs: () => number;
  /** Unique text of letters and digits. */
  readonly uniqueId: () => string;
  readonly onChange: () => void;
}

/** A file that the browser stores. */
interface Download {
  readonly name: string;
  readonly text: string;
}

/** Statuses of an answer to a key that is unknown, expired, suspended or not valid here. */
const REFUSED_KEY = new Set([401, 403]);
/** The operator waits for an answer: only a short refusal or a lost connection is bridged. */
const RETRY: RetryPolicy = { triesMax: 3, patienceMs: 2_000 };
const RECV_WINDOW_MS = 5_000;
const MESSAGES_MAX = 5;
/** Good news disappears after this time; bad news stays until the operator dismisses it. */
const GOOD_NEWS_MS = 8_000;

/** The state of the page and the actions of the operator. */
export class ConsoleState {
  readonly clock = new ServerClock();
  readonly health: HealthProbe;
  session: Session | null = null;
  /** Positions and balances; null without a key. */
  account: AccountHoldings | null = null;
  /** Keeps its values while another panel is open. */
  ticket: OrderTicket | null = null;
  isTicketOpen = false;
  /** The markets of the open ticket; null without one. */
  market: MarketWatch | null = null;
  /** New terms of the open order; null while its form is closed. */
  amendment: OrderAmendment | null = null;
  proposal: Proposal | null = null;
  /** Newest first. */
  messages: readonly Message[] = [];
  readonly #parts: ConsoleParts;
  #api: ServiceApi | null = null;
  #messageCount = 0;

  constructor(parts: ConsoleParts) {
    this.#parts = parts;
    this.health = new HealthProbe(parts.transport, this.clock, parts.nowMs);
  }

  get serviceMs(): number {
    return this.clock.serviceMs(this.#parts.nowMs());
  }

  /** Begins a session. Resolves with the refusal of the key, in the words of the service; null when it is accepted. */
  async connect(apiKey: string, sign: WebSigner): Promise<string | null> {
    this.forget();
    await this.health.probe();
    const { transport, openSocket, nowMs, onChange } = this.#parts;
    // By the time of the server, so that a wrong clock on this machine does not matter.
    const key = () => ({ timestampMs: this.clock.realMs(nowMs()), apiKey, recvWindowMs: RECV_WINDOW_MS, sign });
    const signed = (request: PlainRequest) => webRequestHeaders({ ...request, ...key() });
    const api = new ServiceApi(new SignedRequests({ transport, sign: signed, retry: RETRY }));
    const refusal = await refusalOf(api);
    if (refusal !== null) return refusal;
    this.#api = api;
    this.session = new Session({ api, openSocket, nowMs, onChange });
    this.session.start();
    this.account = new AccountHoldings({
      positions: (exchange) => api.positions(exchange),
      balances: (exchange) => api.balances(exchange),
      nowMs,
      onChange,
    });
    await this.refresh();
    return null;
  }

  /** Forgets the key and everything that was read with it. */
  forget(): void {
    this.session?.close();
    this.session = null;
    this.account?.close();
    this.account = null;
    this.#api?.close();
    this.#api = null;
    this.#closeTicket();
    this.amendment = null;
    this.ticket = null;
    this.proposal = null;
    this.#parts.onChange();
  }

  /** Reads health and the state of the exchanges. */
  async refresh(): Promise<void> {
    await this.health.probe();
    // The stream reports a service that does not answer.
    await this.session?.refresh().catch(() => undefined);
    const { exchanges = [] } = this.session ?? {};
    if (exchanges.length > 0) void this.account?.read(exchanges);
    this.#parts.onChange();
  }

  /** Opens an order in place of the ticket; null closes it. */
  openOrder(orderId: number | null): void {
    this.#closeTicket();
    this.amendment = null;
    this.session?.select(orderId);
  }

  /** Opens the form of an amendment of the open order. Ignored while its terms are not read, or cannot change. */
  openAmendment(): void {
    const { session } = this;
    const { orderId = 0, details = null } = session?.order ?? {};
    const { row } = session?.board.find(orderId) ?? {};
    if (row === undefined || details === null || session?.mayTrade === false || !canAmend(row)) return;
    const { onChange } = this.#parts;
    this.amendment ??= new OrderAmendment(row, details, {
      amend: async (id, terms) => {
        if (this.#api === null) throw new Error('the key was forgotten');
        return this.#api.amend({ order_id: id, ...terms });
      },
      onChange,
    });
    onChange();
  }

  closeAmendment(): void {
    this.amendment = null;
    this.#parts.onChange();
  }

  /** Sends the changed terms; asks first when the quantity rises. */
  proposeAmendment(): void {
    const { amendment } = this;
    const plan = amendment?.plan() ?? null;
    if (amendment === null || plan === null) return;
    const act = async (): Promise<void> => {
      const summary = await amendment.send(plan);
      if (summary === null) return;
      this.#say(`Order ${amendment.row.orderId}: amendment accepted, ${summary.status}.`, 'good');
      if (this.amendment === amendment) this.closeAmendment();
      void this.session?.order?.read();
    };
    if (amendment.isMore) this.#propose(confirmationOfMore(amendment.row, plan.changes), act);
    else void act();
  }

  openTicket(): void {
    const api = this.#api;
    if (api === null) return;
    this.amendment = null;
    this.session?.select(null);
    const { uniqueId, onChange } = this.#parts;
    this.ticket ??= new OrderTicket({
      preview: (order) => api.preview(order as OrderRequest),
      create: (order) => api.place(order),
      modeOf: (exchange) => this.session?.modeOf(exchange),
      newClientOrderId: () => `console-${uniqueId()}`,
      onChange,
    });
    this.isTicketOpen = true;
    const { openSocket } = this.#parts;
    this.market ??= new MarketWatch({
      openSocket,
      listenKey: () => api.listenKey(),
      serviceMs: () => this.serviceMs,
      onChange,
    });
    onChange();
  }

  closeTicket(): void {
    this.#closeTicket();
    this.#parts.onChange();
  }

  /** Asks before an action on the open order. An action that its status does not allow is ignored. */
  propose(action: OrderAction): void {
    const order = this.session?.board.find(this.session.order?.orderId ?? 0) ?? null;
    if (order === null || this.session?.mayTrade === false || !actionsIn(order.row.status).includes(action)) return;
    const { orderId } = order.row;
    this.#propose(confirmationOf(action, order.row), () => this.#act(action, orderId));
  }

  proposeCancelAll(openCount: number): void {
    this.#propose(confirmationOfAll(openCount), async () => {
      try {
        const orders = await this.#api?.cancelAll();
        if (orders !== undefined) this.#say(`${orders.length} orders are being cancelled.`, 'good');
      } catch (error) {
        this.#say(`Cancel all failed; some orders may be cancelled. ${reasonOf(error)}`, 'bad');
      }
    });
  }

  proposeHalt(): void {
    this.#propose(KILL_SWITCH_CONFIRMATION, async () => {
      try {
        await this.#api?.engageKillSwitch();
        this.#say('Trading of this account is halted.', 'bad');
      } catch (error) {
        this.#say(`The kill switch failed; it may be engaged. ${reasonOf(error)}`, 'bad');
      }
      await this.refresh();
    });
  }

  /** The list as CSV, read from the service; null when that fails. */
  async exportList(view: BoardView, filter: OrderFilter): Promise<Download | null> {
    const api = this.#api;
    if (api === null) return null;
    const parts = { open: () => api.openPage(), find: api.findPage.bind(api) };
    try {
      const { csv, count, isComplete } = await exportOrders(parts, view, filter);
      const name = exportName(view, this.serviceMs);
      const limit = `It has only the newest ${SEARCH_ORDERS_MAX} orders of the interval: set an earlier end for the others.`;
      this.#say(`${count} orders are in ${name}. ${isComplete ? '' : limit}`, isComplete ? 'good' : 'bad');
      return { name, text: csv };
    } catch (error) {
      this.#say(`The export failed. ${reasonOf(error)}`, 'bad');
      return null;
    }
  }

  /** Closes the dialog; acts when the operator confirmed. */
  decide(isConfirmed: boolean): void {
    const { proposal } = this;
    this.proposal = null;
    this.#parts.onChange();
    if (isConfirmed) void proposal?.act();
  }

  dismiss(id: number): void {
    this.messages = this.messages.filter((message) => message.id !== id);
    this.#parts.onChange();
  }

  async #act(action: OrderAction, orderId: number): Promise<void> {
    try {
      const summary = await this.#api?.[action]({ order_id: orderId });
      if (summary === undefined) return;
      const { status, error_code: code, reason, message } = summary;
      const why = refusalText(code, reason, message);
      if (code === undefined) this.#say(`Order ${orderId}: ${action} accepted, ${status}. ${why}`, 'good');
      else this.#say(`Order ${orderId}: ${action} refused, ${status}. ${why}`, 'bad');
    } catch (error) {
      this.#say(`Order ${orderId}: ${action} failed. ${reasonOf(error)}`, 'bad');
    }
  }

  #propose(confirmation: Confirmation, act: () => Promise<void>): void {
    this.proposal = { confirmation, act };
    this.#parts.onChange();
  }

  #closeTicket(): void {
    this.market?.close();
    this.market = null;
    if (this.ticket !== null && this.ticket.stage === 'PLACED') this.ticket.renew();
    this.isTicketOpen = false;
  }

  #say(text: string, tone: Message['tone']): void {
    const id = (this.#messageCount += 1);
    this.messages = [{ id, text, tone }, ...this.messages].slice(0, MESSAGES_MAX);
    if (tone === 'good') setTimeout(() => this.dismiss(id), GOOD_NEWS_MS);
    this.#parts.onChange();
  }
}

/** Why the service refuses the key; null when it does not, or does not answer: the session asks again then. */
async function refusalOf(api: ServiceApi): Promise<string | null> {
  try {
    await api.killSwitch();
  } catch (error) {
    if (error instanceof SluiceError && REFUSED_KEY.has(error.status)) return reasonOf(error);
  }
  return null;
}
