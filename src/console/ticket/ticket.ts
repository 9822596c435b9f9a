import { SluiceError } from '../../client/sluice-error.js';
import type { OrderPreview, OrderSummary } from '../../client/wire.js';
import { isConfirmedBy, type LiveMode } from '../live-mode.js';
import { reasonOf } from '../view/figures.js';
import { LEGS, legPath, legValues, PAIR } from './pair-fields.js';
import { pairPlanOf } from './pair-request.js';
import type { TicketValues } from './ticket-fields.js';
import { type CreateRequest, type Finding, findingOf, planOf, type TicketMarket } from './ticket-request.js';

/**
 *     EDITING ─▶ PREVIEWING ─▶ PREVIEWED ─▶ SENDING ─▶ PLACED
 *        ▲            │            │           ├─▶ UNKNOWN ─▶ SENDING (the same request again)
 *        └────────────┴── edit ────┘◀──────────┘ refused
 */
export type TicketStage = 'EDITING' | 'PREVIEWING' | 'PREVIEWED' | 'SENDING' | 'PLACED' | 'UNKNOWN';

export interface TicketParts {
  /** Of an order with one leg. */
  readonly preview: (order: object) => Promise<OrderPreview>;
  readonly create: (order: CreateRequest) => Promise<OrderSummary>;
  /** undefined: the mode of the exchange is not known yet. */
  readonly modeOf: (exchange: string) => LiveMode | undefined;
  /** A client_order_id that was not used before. */
  readonly newClientOrderId: () => string;
  readonly onChange: () => void;
}

const DEFAULTS: TicketValues = {
  exchange: 'BINANCE',
  asset_category: 'SPOT',
  symbol: 'BTC/USDT',
  side: 'BUY',
  strategy: 'TWAP',
  sizing: 'BASE',
  'legs[0].exchange': 'BINANCE',
  'legs[0].asset_category': 'SPOT',
  'legs[0].symbol': 'BTC/USDT',
  'legs[0].side': 'BUY',
  'legs[0].ccy': 'USDT',
  'legs[0].strategy': 'TWAP',
  'legs[0].params.is_leading': 'true',
  'legs[1].exchange': 'OKX',
  'legs[1].asset_category': 'FUTURE',
  'legs[1].symbol': 'BTC/USDT',
  'legs[1].side': 'SELL',
  'legs[1].ccy': 'USDT',
  'legs[1].strategy': 'MARKET',
};
const LEADERS = LEGS.map((leg) => legPath(leg, 'params.is_leading'));
const NO_MARKET: TicketMarket = { instrument: null, bid: null, ask: null };

/** The preview of an order, or of one leg of a PAIR. */
export interface ShownPreview {
  /** The leg; '' for an order of one leg. */
  readonly title: string;
  readonly preview: OrderPreview;
}

/**
 * An order while the operator enters it. It can be sent only after a preview without findings, and exactly as
 * previewed. A client_order_id makes a repeated send harmless: the service answers it with the first order. An order
 * with real money also needs a typed confirmation, which a change of the order discards.
 */
export class OrderTicket {
  values: TicketValues;
  stage: TicketStage = 'EDITING';
  findings: readonly Finding[] = [];
  /** One for each leg; empty before the answer. */
  previews: readonly ShownPreview[] = [];
  /** The summary of the placed order. */
  placed: OrderSummary | null = null;
  /** Why a request failed; null when it was answered. */
  failure: string | null = null;
  /** The previewed request; it is sent unchanged. */
  request: CreateRequest | null = null;
  /** What the operator typed to confirm. */
  confirmation = '';
  readonly #parts: TicketParts;

  constructor(parts: TicketParts) {
    this.#parts = parts;
    this.values = { ...DEFAULTS, client_order_id: parts.newClientOrderId() };
  }

  get isLocked(): boolean {
    return this.stage === 'SENDING' || this.stage === 'PLACED' || this.stage === 'UNKNOWN';
  }

  get isPair(): boolean {
    return this.values['strategy'] === PAIR;
  }

  /** The exchanges of its legs, each once. */
  get exchanges(): readonly string[] {
    const named = this.isPair ? LEGS.map((leg) => legValues(this.values, leg)) : [this.values];
    return [...new Set(named.map(({ exchange = '' }) => exchange))];
  }

  /** The text that confirms an order with real money: the names of its exchanges. null: none is needed. */
  get neededConfirmation(): string | null {
    const real = this.exchanges.filter((exchange) => {
      const mode = this.#parts.modeOf(exchange);
      // An unknown mode may be real money.
      return mode === 'live' || mode === undefined;
    });
    return real.length === 0 ? null : real.join(' ');
  }

  get isConfirmed(): boolean {
    return isConfirmedBy(this.confirmation, this.neededConfirmation);
  }

  confirm(text: string): void {
    this.confirmation = text;
    this.#parts.onChange();
  }

  set(name: string, value: string): void {
    if (this.isLocked || this.values[name] === value) return;
    this.values = { ...this.values, [name]: value };
    // At most one leg leads.
    if (value === 'true' && LEADERS.includes(name)) {
      for (const other of LEADERS) if (other !== name) this.values = { ...this.values, [other]: '' };
    }
    this.findings = this.findings.filter(({ field }) => field !== null && field !== name);
    this.#discardPreview();
  }

  /** Begins another order for the same market, with a new client_order_id. */
  renew(): void {
    this.values = { ...this.values, client_order_id: this.#parts.newClientOrderId() };
    this.findings = [];
    this.placed = null;
    this.#discardPreview();
  }

  /** Requests the preview of the order, or of each leg. Ignores the answers when the ticket changed meanwhile. */
  async requestPreview(...[market = NO_MARKET, other = NO_MARKET]: readonly TicketMarket[]): Promise<void> {
    if (this.isLocked) return;
    if ((this.values['client_order_id'] ?? '').trim() === '') this.renew();
    const plan = this.isPair ? pairPlanOf(this.values, [market, other]) : planOf(this.values, market);
    this.#discardPreview();
    if (!('order' in plan)) {
      this.findings = [plan];
      return this.#parts.onChange();
    }
    const { order, previews } = plan;
    this.request = order;
    this.stage = 'PREVIEWING';
    this.#parts.onChange();
    try {
      const answers = await Promise.all(previews.map((planned) => this.#parts.preview(planned.order)));
      if (this.request !== order) return;
      const shown = previews.map(({ title, findingOf: place }, index) => ({ title, place, preview: answers[index]! }));
      this.previews = shown;
      this.findings = shown.flatMap(({ place, preview }) =>
        preview.rejections.map(({ error_code, message }) => place(error_code, message)),
      );
      this.stage = answers.every(({ accepted }) => accepted) ? 'PREVIEWED' : 'EDITING';
    } catch (error) {
      if (this.request !== order) return;
      this.failure = `The preview failed: ${reasonOf(error)}`;
      this.stage = 'EDITING';
    }
    this.#parts.onChange();
  }

  /** Places the previewed and confirmed order. Further calls during the request do nothing. */
  async send(): Promise<void> {
    const order = this.request;
    if (order === null || !this.isConfirmed || (this.stage !== 'PREVIEWED' && this.stage !== 'UNKNOWN')) return;
    this.stage = 'SENDING';
    this.failure = null;
    this.#parts.onChange();
    try {
      this.#conclude(await this.#parts.create(order));
    } catch (error) {
      this.#fail(error);
    }
    this.#parts.onChange();
  }

  #conclude(summary: OrderSummary): void {
    if (summary.order_id !== undefined) {
      this.placed = summary;
      this.stage = 'PLACED';
      return;
    }
    this.#discardPreview();
    this.findings = [findingOf(summary.error_code ?? summary.status, summary.message ?? 'the order was refused')];
  }

  /** Only a refusal proves that nothing was placed: a client error, or a service that is busy. */
  #fail(error: unknown): void {
    const { status = 0, code = '' } = error instanceof SluiceError ? error : {};
    const isRefused = (status >= 400 && status < 500) || (status === 503 && code === 'SYSTEM_BUSY');
    this.stage = isRefused ? 'PREVIEWED' : 'UNKNOWN';
    this.failure = isRefused
      ? `Nothing was placed: ${reasonOf(error)}`
      : `It is unknown whether the order was placed: ${reasonOf(error)}. Sending it again is harmless.`;
  }

  #discardPreview(): void {
    this.stage = 'EDITING';
    this.request = null;
    this.confirmation = '';
    this.previews = [];
    this.failure = null;
    this.#parts.onChange();
  }
}
