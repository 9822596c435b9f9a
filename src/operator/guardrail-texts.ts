import { formatAmount, type Amount } from '../model/amount.js';
import type { Guardrails } from '../model/guardrail.js';

/** Guardrails by the names that the public interface has for them. */
export interface GuardrailTexts {
  readonly max_order_notional: string;
  readonly max_open_orders: string;
  readonly max_gross_exposure: string;
  readonly allowed_exchanges: string;
  readonly allowed_symbols: string;
  readonly price_collar_bps: string;
  readonly self_cross: string;
}

/** Only those that hold. */
export function describeGuardrails(rules: Guardrails): Partial<GuardrailTexts> {
  const texts: { readonly [Name in keyof GuardrailTexts]: string | null } = {
    max_order_notional: amountText(rules.maxOrderNotional),
    max_open_orders: rules.maxOpenOrders === null ? null : String(rules.maxOpenOrders),
    max_gross_exposure: amountText(rules.maxGrossExposure),
    allowed_exchanges: rules.allowedExchanges?.join(',') ?? null,
    allowed_symbols: rules.allowedSymbols?.join(',') ?? null,
    price_collar_bps: rules.priceCollarBps === null ? null : String(rules.priceCollarBps),
    self_cross: rules.selfCross,
  };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null));
}

function amountText(amount: Amount | null): string | null {
  return amount === null ? null : formatAmount(amount);
}
