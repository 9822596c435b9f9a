import { formatAmount } from '../../model/amount.js';
import type { Bounds, Guardrails, Halt } from '../../model/guardrail.js';
import type { AccountUsage } from '../port.js';
import { arrayText, instantText, quote } from './json-text.js';

/** GuardrailsAnswer. */
export function guardrailsText(bounds: Bounds | null, usage: AccountUsage | null): string {
  const rulesOf = (holder: 'account' | 'key'): string => {
    const binding = bounds?.bindings.find((one) => one.holder === holder);
    return binding === undefined ? '{}' : rulesText(binding.rules);
  };
  const used = usage === null ? '' : `,"usage":${usageText(usage)}`;
  return `{"account":${rulesOf('account')},"key":${rulesOf('key')},"kill_switch":${haltText(bounds?.halt ?? null)}${used}}`;
}

/** KillSwitch. */
export function haltText(halt: Halt | null): string {
  if (halt === null) return '{"engaged":false}';
  const { scope, engagedAtMs, by } = halt;
  return `{"engaged":true,"scope":"${scope.toUpperCase()}","engaged_at":${instantText(engagedAtMs)},"engaged_by":"${by}"}`;
}

function rulesText(rules: Guardrails): string {
  const { maxOrderNotional, maxOpenOrders, maxGrossExposure, allowedExchanges, allowedSymbols } = rules;
  const { priceCollarBps, selfCross } = rules;
  const members = [
    maxOrderNotional === null ? null : `"max_order_notional":${formatAmount(maxOrderNotional)}`,
    maxOpenOrders === null ? null : `"max_open_orders":${maxOpenOrders}`,
    maxGrossExposure === null ? null : `"max_gross_exposure":${formatAmount(maxGrossExposure)}`,
    allowedExchanges === null ? null : `"allowed_exchanges":${arrayText(allowedExchanges.map(quote))}`,
    allowedSymbols === null ? null : `"allowed_symbols":${arrayText(allowedSymbols.map(quote))}`,
    priceCollarBps === null ? null : `"price_collar_bps":${priceCollarBps}`,
    selfCross === null ? null : `"self_cross":"${selfCross}"`,
  ];
  return `{${members.filter((member) => member !== null).join(',')}}`;
}

function usageText({ openOrderCount, grossExposure }: AccountUsage): string {
  const exposure = grossExposure === null ? '' : `,"gross_exposure":${formatAmount(grossExposure)}`;
  return `{"open_orders":${openOrderCount}${exposure}}`;
}
