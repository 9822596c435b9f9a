import { SluiceError } from '../../client/sluice-error.js';
import type { OrderDetails, OrderSummary } from '../../client/wire.js';
import { applies, type TicketField, type TicketValues } from '../ticket/ticket-fields.js';
import { type FieldForm, type Finding, findingOf } from '../ticket/ticket-request.js';
import { reasonOf } from '../view/figures.js';
import { type AmendPlan, amendPlanOf, isMore, type PresentTerms, presentTerms } from './amendment.js';
import type { OrderRow } from './order-row.js';
import { isConfirmedBy } from '../live-mode.js';

export interface OrderAmendmentParts {
  readonly amend: (orderId: number, terms: object) => Promise<OrderSummary>;
  readonly onChange: () => void;
}

const AMENDABLE = new Set(['ACCEPTED', 'PARTIALLY_FILLED', 'PAUSED']);

/** True when the status allows an amendment; the service decides in the end. */
export function canAmend({ status, quarantine }: OrderRow): boolean {
  return AMENDABLE.has(status) && quarantine === null;
}

/**
 * New terms of an open order while the operator enters them. They begin with the present ones, and only the differences
 * are sent. More quantity of an order with real money needs a typed confirmation.
 */
export class OrderAmendment implements FieldForm {
  readonly row: OrderRow;
  values: TicketValues;
  findings: readonly Finding[] = [];
  /** Why a request failed; null when it was answered. */
  failure: string | null = null;
  isSending = false;
  /** What the operator typed to confirm. */
  confirmation = '';
  readonly #parts: OrderAmendmentParts;
  readonly #present: PresentTerms;

  /** `details` have the params of the order. */
  constructor(row: OrderRow, details: OrderDetails, parts: OrderAmendmentParts) {
    this.row = row;
    this.#parts = parts;
    this.#present = presentTerms(details);
    this.values = this.#present.values;
  }

  get fields(): readonly TicketField[] {
    return this.#present.fields.filter((field) => applies(field, this.values));
  }

  get isMore(): boolean {
    return isMore(this.#present, this.values);
  }

  /** The text that confirms more quantity with real money: the names of the exchanges. null: none is needed. */
  get neededConfirmation(): string | null {
    return this.isMore && this.row.liveMode === 'live' ? this.row.venues.join(' ') : null;
  }

  get isConfirmed(): boolean {
    return isConfirmedBy(this.confirmation, this.neededConfirmation);
  }

  confirm(text: string): void {
    this.confirmation = text;
    this.#parts.onChange();
  }

  set(name: string, value: string): void {
    if (this.isSending || this.values[name] === value) return;
    this.values = { ...this.values, [name]: value };
    this.findings = this.findings.filter(({ field }) => field !== null && field !== name);
    this.confirmation = '';
    this.failure = null;
    this.#parts.onChange();
  }

  /** The request for the differences; null with findings when there is none to send. */
  plan(): AmendPlan | null {
    const plan = amendPlanOf(this.#present, this.values);
    const isPlan = 'terms' in plan;
    this.findings = isPlan ? [] : plan;
    this.failure = null;
    this.#parts.onChange();
    return isPlan && this.isConfirmed && !this.isSending ? plan : null;
  }

  /** Resolves with the summary of an accepted amendment; null when it was refused, or when no answer came. */
  async send({ terms }: AmendPlan): Promise<OrderSummary | null> {
    this.isSending = true;
    this.#parts.onChange();
    try {
      const summary = await this.#parts.amend(this.row.orderId, terms);
      if (summary.error_code === undefined) return summary;
      this.findings = [findingOf(summary.error_code, summary.message ?? 'the amendment was refused')];
    } catch (error) {
      const isAnswered = error instanceof SluiceError && error.status >= 400 && error.status < 500;
      if (isAnswered) this.findings = [findingOf(error.code, error.message)];
      else this.failure = `It is unknown whether the order was amended: ${reasonOf(error)}. Look at its terms.`;
    } finally {
      this.isSending = false;
      this.#parts.onChange();
    }
    return null;
  }
}
