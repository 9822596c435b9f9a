import { accountSlot } from '../model/account-slot.js';
import type { InstrumentCatalogue } from '../model/instrument.js';
import { ownerOf } from '../model/ids.js';
import type { FundsReport, PositionsReport } from '../model/venue-message.js';
import type { TurnBatch } from './turn-batch.js';

export interface AccountRecordParts {
  readonly batch: TurnBatch;
  readonly catalogue: InstrumentCatalogue;
  readonly shard: number;
  readonly shardCount: number;
}

/**
 * Journals what changed in accounts. One shard records an account at a venue, so that the order of the changes is the
 * venue's; to the others they are news that is not to be kept. An answer to a question changes nothing.
 */
export class AccountRecord {
  readonly #parts: AccountRecordParts;

  constructor(parts: AccountRecordParts) {
    this.#parts = parts;
  }

  onFunds(report: FundsReport): void {
    const slot = this.#slotOf(report);
    if (slot === null) return;
    const { account, venue, version, causedBy: orderId, atMs } = report;
    for (const { asset, total, free } of report.balances) {
      const event = { kind: 'BalanceChanged', venue, asset, total, free, version } as const;
      this.#parts.batch.addAccountEvent(event, { slot, account, orderId, atMs });
    }
  }

  onPositions(report: PositionsReport): void {
    const slot = this.#slotOf(report);
    if (slot === null) return;
    const { batch, catalogue } = this.#parts;
    const { account, venue, version, atMs } = report;
    for (const position of report.positions) {
      const { symbol, quantityPrecision, pricePrecision } = catalogue.at(position.instrument);
      const head = { kind: 'PositionChanged', venue, symbol, quantityPrecision, pricePrecision } as const;
      batch.addAccountEvent({ ...head, position, version }, { slot, account, orderId: null, atMs });
    }
  }

  /** null: this report is not to be recorded here. */
  #slotOf({ isSnapshot, account, venue }: FundsReport | PositionsReport): number | null {
    if (isSnapshot) return null;
    const slot = accountSlot(account, venue);
    return ownerOf(slot, this.#parts.shardCount) === this.#parts.shard ? slot : null;
  }
}
