import type { LiveAccount } from './live-exchange.js';

/** The open accounts of one wallet. */
export class OpenAccounts {
  readonly #accounts = new Set<LiveAccount>();

  /** `make` gets the function that the account calls when it closes. */
  open(make: (close: () => Promise<void>) => LiveAccount): LiveAccount {
    const account = make(() => {
      this.#accounts.delete(account);
      return Promise.resolve();
    });
    this.#accounts.add(account);
    return account;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#accounts].map((account) => account.close()));
  }
}
