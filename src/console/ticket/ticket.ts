import { Big } from 'big.js';
import { SluiceError } from '../../client/sluice-error.js';
import type { Instrument, OrderPreview, OrderSummary } from '../../client/wire.js';
import type { LiveMode } from '../live-mode.js';
import { reasonOf } from '../view/figures.js';
import { applies, FIELDS, type TicketField, type TicketValues } from './ticket-fields.js';

/** Something wrong with the order, at its field. */
export interface Finding {
  /** null: it is about the whole order. */
  readonly field: string | null;
  readonly text: string;
}

/** A create request with its JSON names. */
export type CreateRequest = Readonly<Record<string, unknown>> & {
  readonly client_order_id: string;
  readonly quantity?: string;
};

/**
 *     EDITING ─▶ PREVIEWING ─▶ PREVIEWED ─▶ SENDING ─▶ PLACED
 *        ▲            │            │           ├─▶ UNKNOWN ─▶ SENDING (the same request again)
 *        └────────────┴── edit ────┘◀──────────┘ refused
 */
export type TicketStage = 'EDITING' | 'PREVIEWING' | 'PREVIEWED' | 'SENDING' | 'PLACED' | 'UNKNOWN';

export interface TicketParts {
  readonly preview: (order: CreateRequest) => Promise<OrderPreview>;
  readonly create: (order: CreateRequest) => Promise<OrderSummary>;
  /** undefined: the mode of the exchange is not known yet. */
  readonly modeOf: (exchange: string) => LiveMode | undefined;
  /** A client_order_id that was not used before. */
  readonly newClientOrderId: () => string;
  readonly onChange: () => void;
}

/** The market of the ticket, as far as it is known. Prices of the ticker are JSON numbers. */
export interface TicketMarket {
  readonly instrument: Instrument | null;
  readonly bid: number | null;
  readonly ask: number | null;
}

const DEFAULTS: TicketValues = {
  exchange: 'BINANCE',
  asset_category: 'SPOT',
  symbol: 'BTC/USDT',
  side: 'BUY',
  strategy: 'TWAP',
  sizing: 'BASE',
};
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const SPAN = /^(\d{1,9})\s*([smhd])$/i;
/** Day and time of day in UTC, with or without seconds. */
const INSTANT = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d)?Z?$/;
const DECIMAL = /^\d+(\.\d+)?$/;

/**
 * An order while the operator enters it. It can be sent only after a preview without findings, and exactly as previewed.
 * A client_order_id makes a repeated send harmless: the service answers it with the first order. An order with real money
 * also needs a typed confirmation, which a change of the order discards.
 */
export class OrderTicket {
  values: TicketValues;
  stage: TicketStage = 'EDITING';
  findings: readonly Finding[] = [];
  preview: OrderPreview | null = null;
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

  /** The text that confirms an order with real money: the name of the exchange. null: none is needed. */
  get neededConfirmation(): string | null {
    const exchange = this.values['exchange'] ?? '';
    const mode = this.#parts.modeOf(exchange);
    // An unknown mode may be real money.
    return mode === 'live' || mode === undefined ? exchange : null;
  }

  get isConfirmed(): boolean {
    const needed = this.neededConfirmation;
    return needed === null || this.confirmation.trim().toUpperCase() === needed;
  }

  confirm(text: string): void {
    this.confirmation = text;
    this.#parts.onChange();
  }

  set(name: string, value: string): void {
    if (this.isLocked || this.values[name] === value) return;
    this.values = { ...this.values, [name]: value };
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

  /** Requests the preview of the order. Ignores the answer when the ticket changed meanwhile. */
  async requestPreview(market: TicketMarket): Promise<void> {
    if (this.isLocked) return;
    if ((this.values['client_order_id'] ?? '').trim() === '') this.renew();
    const order = requestOf(this.values, market);
    this.#discardPreview();
    if (order === null) {
      this.findings = [
        { field: 'quantity', text: 'no price of this market is known yet: enter a limit price or a base quantity' },
      ];
      return this.#parts.onChange();
    }
    this.request = order;
    this.stage = 'PREVIEWING';
    this.#parts.onChange();
    try {
      const preview = await this.#parts.preview(order);
      if (this.request !== order) return;
      this.preview = preview;
      this.findings = preview.rejections.map(({ error_code, message }) => findingOf(error_code, message));
      this.stage = preview.accepted ? 'PREVIEWED' : 'EDITING';
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
    this.preview = null;
    this.failure = null;
    this.#parts.onChange();
  }
}

/** The create request of these values; null when an amount of quote currency has no price to divide it by. */
export function requestOf(values: TicketValues, market: TicketMarket): CreateRequest | null {
  const quantity = quantityOf(values, market);
  if (quantity === null) return null;
  const order: Record<string, unknown> = {};
  for (const field of FIELDS) {
    const text = field.kind === 'size' ? quantity : (values[field.name] ?? '').trim();
    if (text !== '' && applies(field, values)) put(order, field.name.split('.'), sentValue(field.kind, text));
  }
  return order as CreateRequest;
}

/**
 * The quantity in base units: as entered, or an amount of quote currency ÷ price, rounded down to the lot. The price is
 * the limit price, else the best price of the other side. null without a price.
 */
export function quantityOf(values: TicketValues, { instrument, bid, ask }: TicketMarket): string | null {
  const entered = (values['quantity'] ?? '').trim();
  if (values['sizing'] !== 'QUOTE' || !DECIMAL.test(entered)) return entered;
  const limit = (values['limit_price'] ?? '').trim();
  const price = DECIMAL.test(limit) ? limit : values['side'] === 'SELL' ? bid : ask;
  if (instrument === null || price === null || new Big(price).lte(0)) return null;
  const lot = new Big(instrument.quantityStep ?? 1).times(`1e-${instrument.quantityPrecision}`);
  return roundedDown(new Big(entered), new Big(price), lot);
}

/** A quotient cut off at a multiple of the lot, exactly. */
function roundedDown(amount: Big, price: Big, lot: Big): string {
  const lotPrice = price.times(lot);
  const lots = amount.div(lotPrice).round(0, 0);
  const isAbove = lots.times(lotPrice).gt(amount);
  return (isAbove ? lots.minus(1) : lots).times(lot).toFixed();
}

/** A finding at the field that its message names first, as all messages of the service do. */
export function findingOf(code: string, message: string): Finding {
  const [name = ''] = message.split(' ', 1);
  const isField = FIELDS.some((field) => field.name === name);
  return { field: isField ? name : null, text: `${message} (${code})` };
}

/** A text that is no duration or instant is sent unchanged: the service reports the error. */
function sentValue(kind: TicketField['kind'], text: string): string | boolean {
  if (kind === 'flag') return true;
  if (kind === 'instant')
    return text.replace(INSTANT, (_all, day, time, seconds = ':00') => `${day}T${time}${seconds}Z`);
  const [, count, unit = ''] = (kind === 'duration' ? SPAN.exec(text) : null) ?? [];
  return count === undefined ? text : String(Number(count) * (SECONDS[unit.toLowerCase()] ?? 1));
}

function put(order: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) order[name] = value;
  else put((order[name] ??= {}) as Record<string, unknown>, rest, value);
}
