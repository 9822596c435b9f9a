import { formatAmount, parseAmount, type Amount } from '../../model/amount.js';
import {
  NO_GUARDRAILS,
  type GuardrailHolder,
  type Guardrails,
  type Halt,
  type KillScope,
} from '../../model/guardrail.js';
import type { AccountId } from '../../model/ids.js';

/*
 * Rows of the table, all JSON but the first:
 *
 *   generation         → how often the table has been changed
 *   account/<account>  → guardrails of an account
 *   key/<api key>      → guardrails of a key, with the account it belongs to
 *   halt/<account>     → its kill switch is engaged
 *   halts              → the one of the whole service is
 */
export const GENERATION = 'generation';
export const SERVICE_HALT = 'halts';
const ACCOUNT = 'account/';
const KEY = 'key/';
const HALT = 'halt/';

export function holderKey(holder: GuardrailHolder): string {
  return holder.kind === 'account' ? ACCOUNT + holder.account : KEY + holder.apiKey;
}

export function haltKey(scope: KillScope): string {
  return scope.kind === 'account' ? HALT + scope.account : SERVICE_HALT;
}

/** Any row but that of the generation. */
export type GuardrailRow =
  | { readonly kind: 'guardrails'; readonly holder: GuardrailHolder; readonly rules: Guardrails }
  | { readonly kind: 'halt'; readonly scope: KillScope; readonly halt: Halt };

type Stored = Partial<
  Omit<Guardrails, 'maxOrderNotional' | 'maxGrossExposure'> & {
    readonly account: AccountId;
    readonly maxOrderNotional: string | null;
    readonly maxGrossExposure: string | null;
  }
>;

export function encodeGuardrails({ account }: GuardrailHolder, rules: Guardrails): Buffer {
  const [maxOrderNotional, maxGrossExposure] = [rules.maxOrderNotional, rules.maxGrossExposure].map(textOf);
  return Buffer.from(JSON.stringify({ ...rules, account, maxOrderNotional, maxGrossExposure }));
}

/** A row of an earlier version lacks what it did not know. */
export function decodeGuardrails(bytes: Buffer): { readonly account: AccountId; readonly rules: Guardrails } {
  const { account, maxOrderNotional, maxGrossExposure, ...others } = JSON.parse(bytes.toString()) as Stored;
  const amounts = { maxOrderNotional: amountOf(maxOrderNotional), maxGrossExposure: amountOf(maxGrossExposure) };
  return { account: account as AccountId, rules: { ...NO_GUARDRAILS, ...others, ...amounts } };
}

export function encodeHalt(halt: Omit<Halt, 'scope'>): Buffer {
  const { engagedAtMs, by } = halt;
  return Buffer.from(JSON.stringify({ engagedAtMs, by }));
}

/** Reads one row; null of the generation's. */
export function decodeRow(key: string, bytes: Buffer): GuardrailRow | null {
  if (key === SERVICE_HALT) return haltRow({ kind: 'service' }, bytes);
  if (key.startsWith(HALT)) return haltRow({ kind: 'account', account: key.slice(HALT.length) as AccountId }, bytes);
  if (key === GENERATION) return null;
  const { account, rules } = decodeGuardrails(bytes);
  if (key.startsWith(ACCOUNT)) return { kind: 'guardrails', holder: { kind: 'account', account }, rules };
  const apiKey = key.slice(KEY.length) as Extract<GuardrailHolder, { kind: 'key' }>['apiKey'];
  return { kind: 'guardrails', holder: { kind: 'key', account, apiKey }, rules };
}

function haltRow(scope: KillScope, bytes: Buffer): GuardrailRow {
  const { engagedAtMs, by } = JSON.parse(bytes.toString()) as Omit<Halt, 'scope'>;
  return { kind: 'halt', scope, halt: { scope: scope.kind, engagedAtMs, by } };
}

function textOf(amount: Amount | null): string | null {
  return amount === null ? null : formatAmount(amount);
}

function amountOf(text: string | null | undefined): Amount | null {
  return text === null || text === undefined ? null : parseAmount(text);
}
