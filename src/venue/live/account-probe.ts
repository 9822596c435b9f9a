import type { AssetCategory, VenueEnvironment } from '../../domain/exchange.js';
import {
  LIVE_CLOCK_OFFSET_MS_WARNING,
  PROBE_LATENCY_MS_WARNING,
  PROBE_LIMIT_PERCENT_WARNING,
  PROBE_REQUESTS,
  PROBE_STREAM_MS_MAX,
} from '../../domain/limits/live.js';
import { isRejected, type OrRejection, type Rejection } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { VenueCredentials } from '../../keys/port.js';
import { type KeyRefusal, type KeyState, refusalOfFailure, refusalsOfCheck } from './key-check.js';
import type { AccountCheck, AccountEvents, LiveAccount, LiveExchange, OpenLiveExchange } from './live-exchange.js';

/** OK: as needed. WARN: orders can be placed. REFUSED: no order can be placed in this wallet. */
export type ProbeState = 'OK' | 'WARN' | 'REFUSED';

/** One line of the report. Contains no part of a key. */
export interface ProbeLine {
  /** Categories of the wallet; empty: the line is about the whole account. */
  readonly wallet: readonly AssetCategory[];
  readonly check: string;
  readonly state: ProbeState;
  readonly message: string;
  /** The next step; null: none is needed. */
  readonly advice: string | null;
  /** The figures of the message, for programs. */
  readonly figures: Readonly<Record<string, number | boolean | string | null>>;
}

/** The account, and the way to its exchange. */
export interface ProbedAccount {
  readonly credentials: VenueCredentials;
  readonly environment: VenueEnvironment;
  /** A CONNECT proxy for all connections, as a URL; null: none. */
  readonly proxy: string | null;
  /** The address that replaces the hosts of the exchange. It is dialled without the proxy. null: none. */
  readonly origin: string | null;
}

export interface ProbeParts extends ProbedAccount {
  /** One for each wallet of the exchange. */
  readonly openers: readonly OpenLiveExchange[];
  readonly nowMs: () => EpochMs;
}

const ADVICE: Readonly<Record<KeyState, string>> = {
  KEY_REFUSED:
    'check key, secret and environment, and that the address list of the key contains this machine; then sluice venue-keys add --replace',
  STREAM_REFUSED: 'allow reading of orders and balances for the key, then run the check again',
  KEY_DOES_NOT_OPEN: 'store the key again with sluice venue-keys add --replace',
  KEY_NOT_SUPPORTED: 'make a key of another kind at the exchange',
  KEY_MAY_WITHDRAW: 'make a key without the right to withdraw and store it with --replace',
  KEY_MAY_NOT_TRADE: 'allow trading in this wallet for the key, or trade in the other wallet only',
  WRONG_ACCOUNT_MODE: 'set the account mode at the exchange, without open positions and orders',
  WITHDRAWAL_UNKNOWN: 'use a key whose rights the exchange states',
  NO_ADDRESS_LIST: 'restrict the key to the address of this machine at the exchange',
  NOT_ONE_WAY: 'set the position mode to one-way at the exchange, without open positions and orders',
  NO_RISK_LIMITS: 'set them with sluice risk-limits set',
  NOT_REACHED:
    'check network, SLUICE_LIVE_PROXY or HTTPS_PROXY, NODE_EXTRA_CA_CERTS and the status page of the exchange',
};

/**
 * Asks an exchange with read-only requests whether an account could trade: clock, answer times, market list, rights of
 * the key, position mode, limits, balances and the private stream. Sends no order and changes nothing.
 */
export async function probeAccount(parts: ProbeParts): Promise<readonly ProbeLine[]> {
  const lines: ProbeLine[] = [];
  for (const open of parts.openers) lines.push(...(await probeWallet(open, parts)));
  return lines;
}

/** True when an order could be placed: at least one wallet has no refusal, and neither has the account itself. */
export function mayPlace(lines: readonly ProbeLine[]): boolean {
  const walletOf = ({ wallet }: ProbeLine): string => wallet.join('+');
  const refused = new Set(lines.filter(({ state }) => state === 'REFUSED').map(walletOf));
  return !refused.has('') && lines.some((line) => line.wallet.length > 0 && !refused.has(walletOf(line)));
}

async function probeWallet(open: OpenLiveExchange, parts: ProbeParts): Promise<readonly ProbeLine[]> {
  const { environment, proxy, origin, nowMs } = parts;
  const findings = new Set<string>();
  const exchange = await open({
    environment,
    proxy: origin === null ? proxy : null,
    origin,
    nowMs,
    // An account that only looks has no instrument. Updates of its open orders are left out.
    instruments: {
      at: (index) => {
        throw new RangeError(`no instrument ${index}`);
      },
      bySymbol: () => null,
    },
    market: { onRecord: () => undefined, onStale: () => undefined },
    onFinding: (finding) => findings.add('entry' in finding ? finding.entry || finding.message : finding.message),
  });
  if (isRejected(exchange)) return [refused([], 'connection', refusalOfFailure(exchange.rejection))];
  try {
    return await new WalletProbe(exchange, findings, parts).run();
  } finally {
    await exchange.close();
  }
}

/** The checks of one wallet. A check that needs a failed one is left out. */
class WalletProbe {
  readonly #exchange: LiveExchange;
  readonly #findings: Set<string>;
  readonly #parts: ProbeParts;
  readonly #lines: ProbeLine[] = [];

  constructor(exchange: LiveExchange, findings: Set<string>, parts: ProbeParts) {
    this.#exchange = exchange;
    this.#findings = findings;
    this.#parts = parts;
  }

  async run(): Promise<readonly ProbeLine[]> {
    if (await this.#checkClock()) {
      await this.#checkMarkets();
      await this.#checkAccount();
    }
    return this.#lines;
  }

  /** Measures the clock several times, because the requests of the account are corrected by the last reading. */
  async #checkClock(): Promise<boolean> {
    const times: number[] = [];
    let offsetMs = 0;
    for (let count = 0; count < PROBE_REQUESTS; count += 1) {
      const reading = await this.#exchange.measureClock();
      if (isRejected(reading)) {
        this.#refuse('clock', refusalOfFailure(reading.rejection));
        return false;
      }
      times.push(Math.round(10 * reading.roundTripMs) / 10);
      offsetMs = Math.round(reading.offsetMs);
    }
    const isFar = Math.abs(offsetMs) >= LIVE_CLOCK_OFFSET_MS_WARNING;
    const advice = isFar ? 'synchronize the clock of this machine; Sluice corrects its requests meanwhile' : null;
    this.#note('clock', `the clock of the exchange differs by ${offsetMs} ms`, advice, { offset_ms: offsetMs });
    times.sort((one, other) => one - other);
    const [p50, max] = [times[Math.floor(times.length / 2)] ?? 0, times.at(-1) ?? 0];
    this.#note(
      'latency',
      `an answer takes ${p50} ms (p50), at most ${max} ms, of ${times.length} requests`,
      p50 > PROBE_LATENCY_MS_WARNING ? 'run Sluice nearer to the exchange, or with a faster proxy' : null,
      { p50_ms: p50, max_ms: max, requests: times.length },
    );
    return true;
  }

  async #checkMarkets(): Promise<void> {
    this.#findings.clear();
    const markets = await this.#exchange.listMarkets();
    if (isRejected(markets)) return this.#refuse('instruments', refusalOfFailure(markets.rejection));
    const count = markets.filter(({ isTrading }) => isTrading).length;
    const named = [...this.#findings].slice(0, 3).join(', ');
    const { size } = this.#findings;
    const found = size === 0 ? 'none with findings' : `${size} with findings: ${named}${size > 3 ? ', …' : ''}`;
    this.#note(
      'instruments',
      `${count} trade, ${found}`,
      size === 0 ? null : 'do not trade these before the log of the service explains them',
      { trading: count, findings: size },
    );
    this.#findings.clear();
  }

  async #checkAccount(): Promise<void> {
    const stream = new StreamWatch();
    const account = await this.#exchange.openAccount(this.#parts.credentials, stream);
    if (isRejected(account)) {
      return this.#refuse('key', { state: 'KEY_NOT_SUPPORTED', message: account.rejection.message });
    }
    const check = await account.check();
    if (isRejected(check)) return this.#refuse('key', refusalOfFailure(check.rejection));
    this.#note('key', `the exchange accepts the key, after ${check.latencyMs} ms`, null, {
      latency_ms: check.latencyMs,
    });
    this.#checkRights(check);
    this.#checkLimits(check);
    await this.#checkFunds(account);
    await this.#checkStream(account, stream);
  }

  #checkRights(check: AccountCheck): void {
    const { environment } = this.#parts;
    const hasFutures = this.#exchange.categories.includes('FUTURE');
    // The risk limits are no matter of one wallet: the caller checks them.
    const refusals = refusalsOfCheck(check, { mode: environment, hasFutures, hasRiskLimits: true });
    const judge = (name: string, states: readonly KeyState[], message: string, figures: ProbeLine['figures']): void => {
      const refusal = refusals.find(({ state }) => states.includes(state));
      if (refusal === undefined) this.#note(name, message, null, figures);
      else this.#refuse(name, refusal, figures);
    };
    const trading = { may_trade: check.mayTrade };
    judge('may trade', ['WRONG_ACCOUNT_MODE', 'KEY_MAY_NOT_TRADE'], 'the key may trade', trading);
    const withdrawal = { may_withdraw: check.mayWithdraw };
    if (check.mayWithdraw === null && environment === 'testnet') {
      const message = 'the test environment does not say whether the key may withdraw';
      this.#note('may withdraw', message, 'check the rights on the page of the exchange', withdrawal);
    } else {
      judge('may withdraw', ['KEY_MAY_WITHDRAW', 'WITHDRAWAL_UNKNOWN'], 'the key may not withdraw', withdrawal);
    }
    const bound = { is_address_bound: check.isAddressBound };
    if (check.isAddressBound === null || (!check.isAddressBound && environment === 'testnet')) {
      const message = check.isAddressBound === null ? 'not stated by the exchange' : 'the key works from any address';
      this.#note('address list', message, ADVICE.NO_ADDRESS_LIST, bound);
    } else {
      judge('address list', ['NO_ADDRESS_LIST'], 'the key works from listed addresses only', bound);
    }
    if (!hasFutures) return;
    judge('position mode', ['NOT_ONE_WAY'], 'one net position for a future', { position_mode: check.positionMode });
  }

  #checkLimits({ limits }: AccountCheck): void {
    const shares = limits.map(({ used, max }) => (max === null || max === 0 ? 0 : (100 * used) / max));
    const texts = limits.map(({ name, used, max }) => (max === null ? `${name} ${used}` : `${name} ${used} of ${max}`));
    const isHigh = shares.some((share) => share > PROBE_LIMIT_PERCENT_WARNING);
    this.#note(
      'limits',
      texts.length === 0 ? 'not stated by the exchange' : `used: ${texts.join(', ')}`,
      isHigh ? 'another program uses the same address or account: find it' : null,
      Object.fromEntries(limits.map(({ name, used, max }) => [name, max === null ? used : `${used}/${max}`])),
    );
  }

  async #checkFunds(account: LiveAccount): Promise<void> {
    const [balances, positions] = await Promise.all([account.balances(), account.positions()]);
    const failed = firstRejection(balances, positions);
    if (failed !== null) return this.#refuse('funds', refusalOfFailure(failed));
    if (isRejected(balances) || isRejected(positions)) return;
    const held = balances.balances.filter(({ total }) => total !== '0').length;
    const open = positions.positions.length;
    this.#note(
      'funds',
      `assets: ${held}, open positions: ${open}`,
      held === 0 ? 'deposit or transfer assets to this wallet before an order' : null,
      { assets: held, positions: open },
    );
  }

  async #checkStream(account: LiveAccount, stream: StreamWatch): Promise<void> {
    const startedAtMs = this.#parts.nowMs();
    account.start();
    const isOpen = await stream.isOpen(PROBE_STREAM_MS_MAX);
    const tookMs = this.#parts.nowMs() - startedAtMs;
    if (isOpen) return this.#note('private stream', `opens after ${tookMs} ms`, null, { opened_after_ms: tookMs });
    const reasons = [...this.#findings].map((text) => `: ${text}`).join('');
    this.#refuse('private stream', {
      state: 'NOT_REACHED',
      message: `did not open within ${PROBE_STREAM_MS_MAX} ms${reasons}`,
    });
  }

  /** OK without advice, WARN with one. */
  #note(check: string, message: string, advice: string | null, figures: ProbeLine['figures']): void {
    const state = advice === null ? 'OK' : 'WARN';
    this.#lines.push({ wallet: this.#exchange.categories, check, state, message, advice, figures });
  }

  #refuse(check: string, refusal: KeyRefusal, figures: ProbeLine['figures'] = {}): void {
    this.#lines.push({ ...refused(this.#exchange.categories, check, refusal), figures });
  }
}

function refused(wallet: readonly AssetCategory[], check: string, { state, message }: KeyRefusal): ProbeLine {
  return { wallet, check, state: 'REFUSED', message, advice: ADVICE[state], figures: {} };
}

function firstRejection(...results: readonly OrRejection<object>[]): Rejection | null {
  return results.find((result) => isRejected(result))?.rejection ?? null;
}

/** Waits for the private stream. Its records are not used. */
class StreamWatch implements AccountEvents {
  #isOpen = false;
  #onOpen: (() => void) | null = null;

  onSubscribed(): void {
    this.#isOpen = true;
    this.#onOpen?.();
  }

  onCut(): void {
    this.#isOpen = false;
  }

  onOrder(): void {}

  onRefused(): void {}
  onRefusedTime(): void {}

  instrumentOf(): null {
    return null;
  }

  onBalances(): void {}

  onPositions(): void {}

  isOpen(withinMs: number): Promise<boolean> {
    if (this.#isOpen) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), withinMs);
      this.#onOpen = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}
