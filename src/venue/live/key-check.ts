import type { RealMode } from '../../domain/exchange.js';
import type { Rejection } from '../../domain/rejection.js';
import type { AccountCheck } from './live-exchange.js';

/**
 * Why an account cannot trade at a real exchange:
 *
 *   KEY_REFUSED             the exchange does not accept the key, its signature or the address of this machine
 *   KEY_DOES_NOT_OPEN       the stored key cannot be opened
 *   KEY_NOT_SUPPORTED       the gateway cannot sign with this kind of key
 *   KEY_MAY_WITHDRAW        the key could take money out
 *   KEY_MAY_NOT_TRADE       the key lacks the permission to trade
 *   WRONG_ACCOUNT_MODE      the exchange would carry out orders in another way than they mean, or refuse them
 *   WITHDRAWAL_UNKNOWN      the exchange does not say whether the key may withdraw, and the mode is live
 *   NO_ADDRESS_LIST         the key works from any address, and the mode is live
 *   STREAM_REFUSED          the key passes its check, but the exchange refuses its private stream
 *   NOT_ONE_WAY             the account has two positions in a future, or its mode is not known
 *   NO_RISK_LIMITS          the account has no risk limit, and the mode is live
 *   NOT_REACHED             the exchange has not answered, or with an error that says nothing about the key
 */
export type KeyState =
  | 'KEY_REFUSED'
  | 'KEY_DOES_NOT_OPEN'
  | 'KEY_NOT_SUPPORTED'
  | 'KEY_MAY_WITHDRAW'
  | 'KEY_MAY_NOT_TRADE'
  | 'WRONG_ACCOUNT_MODE'
  | 'WITHDRAWAL_UNKNOWN'
  | 'NO_ADDRESS_LIST'
  | 'STREAM_REFUSED'
  | 'NOT_ONE_WAY'
  | 'NO_RISK_LIMITS'
  | 'NOT_REACHED';

export interface KeyRefusal {
  readonly state: KeyState;
  /** Names the rule. Contains no part of a key. */
  readonly message: string;
}

interface CheckedKey {
  readonly mode: RealMode;
  readonly hasFutures: boolean;
  readonly hasRiskLimits: boolean;
}

/** The first reason for which an account must not trade with this key; null: it may. */
export function refusalOfCheck(check: AccountCheck, checked: CheckedKey): KeyRefusal | null {
  return refusalsOfCheck(check, checked)[0] ?? null;
}

/** All reasons for which an account must not trade with this key, the most dangerous first. */
export function refusalsOfCheck(
  check: AccountCheck,
  { mode, hasFutures, hasRiskLimits }: CheckedKey,
): readonly KeyRefusal[] {
  const refusals: KeyRefusal[] = [];
  if (check.mayWithdraw === true) {
    refusals.push({
      state: 'KEY_MAY_WITHDRAW',
      message: 'the key may withdraw: make a key without that permission',
    });
  }
  if (check.mayWithdraw === null && mode === 'live') {
    refusals.push({
      state: 'WITHDRAWAL_UNKNOWN',
      message: 'the exchange does not say whether the key may withdraw',
    });
  }
  if (check.isAddressBound === false && mode === 'live') {
    refusals.push({
      state: 'NO_ADDRESS_LIST',
      message: 'the key works from any address: restrict it to the address of this machine',
    });
  }
  if (check.wrongMode !== undefined) {
    const { is, setTo } = check.wrongMode;
    refusals.push({
      state: 'WRONG_ACCOUNT_MODE',
      message: `the account mode is ${is}: set it to ${setTo} at the exchange`,
    });
  } else if (!check.mayTrade) {
    refusals.push({ state: 'KEY_MAY_NOT_TRADE', message: 'the key has no permission to trade' });
  }
  if (hasFutures && check.positionMode !== 'ONE_WAY') {
    const found = check.positionMode === null ? 'is not known' : 'is HEDGE';
    refusals.push({
      state: 'NOT_ONE_WAY',
      message: `the position mode ${found}: set it to one-way at the exchange`,
    });
  }
  if (mode === 'live' && !hasRiskLimits) {
    refusals.push({
      state: 'NO_RISK_LIMITS',
      message: 'the account has no risk limits: set them with sluice risk-limits set',
    });
  }
  return refusals;
}

const KEY_CODES: ReadonlySet<string> = new Set(['AUTHENTICATION_ERROR', 'INVALID_API_KEY', 'INVALID_SIGNATURE']);

/** True for an answer that refuses the key itself, not the request. */
export function isKeyRefusal({ code }: Rejection): boolean {
  return KEY_CODES.has(code);
}

/** The state of an account whose check was not answered. */
export function refusalOfFailure(rejection: Rejection): KeyRefusal {
  const { code, message } = rejection;
  return { state: isKeyRefusal(rejection) ? 'KEY_REFUSED' : 'NOT_REACHED', message: `${code}: ${message}` };
}
