import type { Lots, Ticks } from '../../../../src/domain/quantity.js';
import type { ChildSubmission } from '../../../../src/domain/venue-message.js';
import { newEd25519Key, newKey } from '../../../loopback/accounts.js';
import { BinanceLoopback } from '../../../loopback/binance/binance-loopback.js';
import { buyingChild, ExchangeRig } from '../exchange-rig.js';
import { accepted, BTC, credentials, openExchange, type Section } from './loopback-exchange.js';

export interface RigOptions {
  readonly section: Section;
  readonly key: 'HMAC' | 'ED25519';
}

/** A shard, a session and an account at one section of an exchange on loopback. */
export class AccountRig extends ExchangeRig<BinanceLoopback> {
  readonly section: Section;

  private constructor(parts: Pick<AccountRig, 'section' | 'loopback' | 'owner' | 'opened'>) {
    super(parts);
    this.section = parts.section;
  }

  static async open({ section, key }: RigOptions): Promise<AccountRig> {
    const loopback = await BinanceLoopback.start({ seed: 'desk' });
    const ed25519 = newEd25519Key();
    const owner = loopback.openAccount([key === 'HMAC' ? newKey() : ed25519.key]);
    const opened = await openExchange(loopback, section);
    accepted(await opened.exchange.measureClock());
    const [apiKey] = owner.keys;
    const secret = key === 'HMAC' ? { text: apiKey!.secret! } : { pem: ed25519.privateKey };
    return new AccountRig({ section, loopback, owner, opened }).connect({
      credentials: credentials(apiKey!.key, secret),
      instrumentOf: (_child, symbol) => (symbol === 'BTCUSDT' ? BTC : null),
    });
  }

  /** Host of the private stream, and of the orders on a socket. */
  get hosts(): { readonly stream: string; readonly orders: string } {
    return this.section === 'spot'
      ? { stream: 'ws-api.binance.com', orders: 'ws-api.binance.com' }
      : { stream: 'fstream.binance.com', orders: 'ws-fapi.binance.com' };
  }

  /** A child of 0.01 BTC far below the market. */
  child(orderId: number, change: Partial<ChildSubmission> = {}): ChildSubmission {
    const quantity = (this.section === 'spot' ? 1_000 : 10) as Lots;
    const limitPrice = this.price(49_000);
    return { ...buyingChild('BINANCE', orderId, { instrument: BTC, quantity, limitPrice }), ...change };
  }

  /** Ticks of a price in quote units. */
  price(quote: number): Ticks {
    return Math.round(quote * (this.section === 'spot' ? 100 : 10)) as Ticks;
  }

  /** Base units of a quantity of lots, as the ledger counts them. */
  get lot(): string {
    return this.section === 'spot' ? '0.00001' : '0.001';
  }
}
