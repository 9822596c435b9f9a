import type { LiveAccount } from './live-exchange.js';
import type { CcxtTransport } from './transport/ccxt-transport.js';

/** The open accounts of one wallet, each with a transport of its own. */
export class OpenAccounts {
  readonly #accounts = new Set<LiveAccount>();

  /** `make` gets the function that the account calls when it closes. */
  open(transport: Pick<CcxtTransport, 'close'>, make: (close: () => Promise<void>) => LiveAccount): LiveAccount {
    const account = make(async () => {
      this.#accounts.delete(account);
      await transport.close();
    });
    this.#accounts.add(account);
    return account;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#accounts].map((account) => account.close()));
  }
}
