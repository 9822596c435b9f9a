import { formatAmount, type Amount } from '../../model/amount.js';
import type { Venue } from '../../model/exchange.js';
import type { AccountId } from '../../model/ids.js';
import type { InstrumentIndex } from '../../model/instrument.js';
import { TRANSFER_ID_CHARACTERS_MAX } from '../../model/limits.js';
import { reject, type Rejection } from '../../model/rejection.js';
import { masterOf } from '../../model/trading-account.js';
import type { EpochMs } from '../../model/time.js';
import type { AccountRequest } from '../../model/venue-message.js';
import type { Outbox } from '../outbox.js';
import { allFunds, allPositions, changedFunds, changedPositions } from './account-news.js';
import type { AccountRegistry } from './account-registry.js';
import type { Closings } from './closings.js';
import { setLeverage, setMarginMode, setPositionMode } from './account-settings.js';
import type { Contract } from './contract.js';
import type { TradingTerms } from './trading-terms.js';
import type { TransferBook } from './transfer-book.js';
import { available, type MarkOf } from './valuation.js';
import type { VenueAccount } from './venue-account.js';

export interface AccountDeskParts {
  readonly accounts: AccountRegistry;
  readonly transfers: TransferBook;
  readonly closings: Closings;
  readonly outbox: Outbox;
  readonly termsAt: (instrument: InstrumentIndex) => TradingTerms;
  /** Mark prices at an instant. */
  readonly markAt: (atMs: EpochMs) => MarkOf;
  /** The shard that hears of every change of an account, whoever caused it. */
  readonly home: (account: AccountId, venue: Venue) => number;
}

type Transfer = Extract<AccountRequest, { kind: 'Transfer' }>;

/** Answers for accounts, changes what is set for them, and tells what has changed. */
export class AccountDesk {
  readonly #parts: AccountDeskParts;

  constructor(parts: AccountDeskParts) {
    this.#parts = parts;
  }

  handle(request: AccountRequest, origin: number, nowMs: EpochMs): void {
    const { accounts, outbox, markAt } = this.#parts;
    const { account, venue, correlationId } = request;
    const found = accounts.account(account, venue);
    if (request.kind === 'QueryFunds') {
      if (origin >= 0) found.askers.add(origin);
      return outbox.report(allFunds(found, correlationId, nowMs), origin);
    }
    if (request.kind === 'QueryPositions') {
      return outbox.report(allPositions(found, correlationId, { atMs: nowMs, markOf: markAt(nowMs) }), origin);
    }
    const rejection = this.#set(request, found, markAt(nowMs));
    outbox.report({ kind: 'AccountAnswered', correlationId, account, venue, atMs: nowMs, rejection }, origin);
  }

  /** One report an account for all that changed since the last turn, behind the reports that say why. */
  tellChanges(nowMs: EpochMs): void {
    const { accounts, closings, outbox, markAt, home } = this.#parts;
    for (const { account, change } of accounts.takeChanges()) {
      const homeShard = home(account.account, account.venue);
      if (change.balances.length > 0) {
        const report = changedFunds(account, change, nowMs);
        for (const destination of new Set([...change.audience, homeShard])) outbox.report(report, destination);
      }
      if (change.positions.length > 0) {
        closings.note(account, change, nowMs);
        outbox.report(changedPositions(account, change, { atMs: nowMs, markOf: markAt(nowMs) }), homeShard);
      }
    }
  }

  /** Why the account stays as it is; null when it is as wanted. */
  #set(
    request: Exclude<AccountRequest, { kind: 'QueryFunds' | 'QueryPositions' }>,
    account: VenueAccount,
    markOf: MarkOf,
  ): Rejection | null {
    switch (request.kind) {
      case 'SetLeverage':
        return this.#setContract(account, request.instrument, (contract) =>
          setLeverage(account, contract, request.leverage, markOf),
        );
      case 'SetMarginMode':
        return this.#setContract(account, request.instrument, (contract) =>
          setMarginMode(contract, request.marginMode),
        );
      case 'SetPositionMode': {
        const rejection = setPositionMode(account, request.positionMode);
        if (rejection === null) this.#parts.accounts.touch(account);
        return rejection;
      }
      case 'Transfer':
        return this.#transfer(request, account, markOf);
    }
  }

  #setContract(
    account: VenueAccount,
    instrument: InstrumentIndex,
    set: (contract: Contract) => Rejection | null,
  ): Rejection | null {
    const terms = this.#parts.termsAt(instrument);
    const { symbol, venue } = terms.instrument;
    if (!terms.isFuture || venue !== account.venue) {
      return reject('INVALID_SYMBOL', `symbol: ${symbol} of ${venue} is no future of ${account.venue}`).rejection;
    }
    const rejection = set(account.contract(terms));
    if (rejection === null) this.#parts.accounts.touchFutures(account);
    return rejection;
  }

  /** Carried out once: the same transfer again is answered as the first time. */
  #transfer(request: Transfer, from: VenueAccount, markOf: MarkOf): Rejection | null {
    const { accounts, transfers } = this.#parts;
    const { to, asset, amount, transferId } = request;
    const known = transfers.find(from, transferId);
    if (known !== null) {
      const isSame = known.to === to && known.asset === asset && known.amount === amount;
      return isSame ? null : reject('INVALID_REQUEST', `transfer_id ${transferId} names another transfer`).rejection;
    }
    const refused = checkTransfer(request, available(from, asset, markOf));
    if (refused !== null) return refused;
    const receiver = accounts.account(to, from.venue);
    from.credit(asset, 0n - amount);
    receiver.credit(asset, amount);
    transfers.note(from, transferId, { to, asset, amount });
    accounts.touch(from);
    accounts.touch(receiver);
    return null;
  }
}

function checkTransfer({ account, to, asset, amount, transferId }: Transfer, free: bigint): Rejection | null {
  if (transferId === '' || transferId.length > TRANSFER_ID_CHARACTERS_MAX) {
    return reject('INVALID_PARAM', `transfer_id: 1 to ${TRANSFER_ID_CHARACTERS_MAX} characters`).rejection;
  }
  if (masterOf(to) !== masterOf(account) || to === account) {
    return reject('INVALID_PARAM', `to ${to}: not another account of ${masterOf(account)}`).rejection;
  }
  if (amount <= 0n) return reject('INVALID_PARAM', `amount ${formatAmount(amount)}: above 0`).rejection;
  if (amount <= free) return null;
  const message = `amount ${formatAmount(amount)} ${asset}: free are ${formatAmount(free as Amount)}`;
  return reject('INSUFFICIENT_FUNDS', message).rejection;
}
