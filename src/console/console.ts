import { webSigner } from '../client/web-signature.js';
import { AccountPanel } from './account-panel.js';
import { ConfirmDialog } from './confirm-dialog.js';
import { element, elementById } from './element.js';
import { HeaderBar } from './header-bar.js';
import { HealthProbe } from './health-probe.js';
import { NoticeList } from './notice-list.js';
import { actionsIn, confirmationOf, confirmationOfAll, type OrderAction } from './order-action.js';
import { OrderPanel } from './order-panel.js';
import { ask, openSocket, probe } from './page-network.js';
import { ServiceApi } from './service-api.js';
import { ServiceClock } from './service-clock.js';
import { Session } from './session.js';
import { StudyPanel } from './study-panel.js';

/** Frames may come by the thousand: the page is drawn at most so often. */
const DRAW_MS_MIN = 200;
const CLOCK_MS = 1_000;
const PROBE_MS = 5_000;

/** The page: a session, its panels, and what the operator does with them. */
export class Console {
  readonly #clock = new ServiceClock();
  readonly #health = new HealthProbe(probe, this.#clock, Date.now);
  readonly #header = new HeaderBar();
  readonly #notices = new NoticeList();
  readonly #dialog = new ConfirmDialog();
  readonly #orders: OrderPanel;
  readonly #study: StudyPanel;
  readonly #account: AccountPanel;
  readonly #side = element('div', { className: 'side' });
  #session: Session | null = null;
  #api: ServiceApi | null = null;
  #draw: ReturnType<typeof setTimeout> | null = null;

  constructor() {
    const onChange = (): void => this.#drawSoon();
    this.#orders = new OrderPanel({
      nowMs: () => this.#serviceMs(),
      onOpen: (orderId) => this.#session?.select(orderId),
      onCancelAll: (openCount) => this.#dialog.ask(confirmationOfAll(openCount), () => void this.#cancelAll()),
      onChange,
    });
    this.#study = new StudyPanel({
      onAct: (action) => this.#propose(action),
      onClose: () => this.#session?.select(null),
      onChange,
    });
    this.#account = new AccountPanel((venue) => this.#session?.watchAccount(venue));
    this.#side.append(this.#study.element, this.#account.element);
    elementById('content').append(this.#orders.element, this.#side);
    elementById('notices').append(this.#notices.element);
    document.body.append(this.#dialog.element);
  }

  start(): void {
    document.addEventListener('keydown', (event) => this.#onKey(event));
    setInterval(() => this.#drawNow(), CLOCK_MS);
    setInterval(() => void this.#look(), PROBE_MS);
    void this.#look();
    this.#drawNow();
  }

  /** Rejects when nothing can be signed with the secret. */
  async connect(apiKey: string, secret: string): Promise<void> {
    const sign = await webSigner(secret);
    this.forget();
    const realNowMs = (): number => this.#clock.realMs(Date.now());
    await this.#health.look();
    this.#api = new ServiceApi({ apiKey, sign, realNowMs, ask });
    this.#session = new Session({
      api: this.#api,
      openSocket,
      nowMs: Date.now,
      chance: Math.random,
      onChange: () => this.#drawSoon(),
    });
    this.#session.start();
    this.#session.watchAccount(this.#account.venue);
    void this.#look();
    this.#drawNow();
  }

  /** The key, and all that was seen with it. */
  forget(): void {
    this.#session?.close();
    this.#session = null;
    this.#api = null;
    this.#drawNow();
  }

  async #look(): Promise<void> {
    await this.#health.look();
    // That the service does not answer is told by the stream already.
    await this.#session?.askVenues().catch(() => undefined);
    this.#drawSoon();
  }

  #propose(action: OrderAction): void {
    const orderId = this.#session?.study?.orderId;
    const order = orderId === undefined ? null : this.#session?.board.find(orderId);
    if (!order || !actionsIn(order.row.status).includes(action)) return;
    this.#dialog.ask(confirmationOf(action, order.row), () => void this.#act(action, order.row.orderId));
  }

  async #act(action: OrderAction, orderId: number): Promise<void> {
    try {
      const summary = await this.#api?.act(action, orderId);
      if (summary === undefined) return;
      const { status, error_code: code, message } = summary;
      const words = [code, message].filter((part) => part !== undefined).join(': ');
      if (code === undefined) this.#notices.say(`Order ${orderId}: ${action} accepted, ${status}. ${words}`, 'good');
      else this.#notices.say(`Order ${orderId}: ${action} not done, ${status}. ${words}`, 'bad');
    } catch (error) {
      this.#notices.say(`Order ${orderId}: ${action} failed. ${reasonOf(error)}`, 'bad');
    }
  }

  async #cancelAll(): Promise<void> {
    try {
      const orders = await this.#api?.cancelAll();
      if (orders !== undefined) this.#notices.say(`${orders.length} orders are being cancelled.`, 'good');
    } catch (error) {
      this.#notices.say(`Cancel all failed: it is unknown what was cancelled. ${reasonOf(error)}`, 'bad');
    }
  }

  #drawSoon(): void {
    this.#draw ??= setTimeout(() => this.#drawNow(), DRAW_MS_MIN);
  }

  #drawNow(): void {
    if (this.#draw !== null) clearTimeout(this.#draw);
    this.#draw = null;
    this.#drawHeader();
    const session = this.#session;
    elementById('content').hidden = session === null;
    if (session === null) return;
    const { study, board, origins, account } = session;
    origins.want(this.#orders.show(board, study?.orderId ?? null));
    const order = study === null ? null : board.find(study.orderId);
    this.#study.element.hidden = order === null;
    if (study !== null && order !== null) this.#study.show(study, order, this.#serviceMs());
    this.#account.show(account);
  }

  #drawHeader(): void {
    const { liveness, failure, venuesDown } = this.#session ?? NO_SESSION;
    const nowMs = Date.now();
    const serviceMs = this.#clock.serviceMs(nowMs);
    const { notice: health, halt } = this.#health;
    this.#header.show({ liveness, failure, health, halt, venuesDown, skewMs: this.#clock.skewMs, serviceMs, nowMs });
    document.title = `${liveness.state === 'STALE' ? 'STALE · ' : ''}Sluice console`;
  }

  #serviceMs(): number {
    return this.#clock.serviceMs(Date.now());
  }

  #onKey(event: KeyboardEvent): void {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (this.#dialog.isOpen || event.ctrlKey || event.metaKey || event.altKey || this.#session === null) return;
    if (event.key === 'Escape') return this.#session.select(null);
    if (isTyping) return;
    const action = ACTION_KEYS[event.key];
    if (event.key === '/') this.#orders.focusFilter();
    else if (action !== undefined) this.#propose(action);
    else return;
    event.preventDefault();
  }
}

const NO_SESSION = { liveness: { state: 'OFF' }, failure: null, venuesDown: [] } as const;
const ACTION_KEYS: Readonly<Record<string, OrderAction>> = { p: 'pause', r: 'resume', x: 'cancel' };

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
