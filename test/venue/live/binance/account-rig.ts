import type { AccountId, ChildNumber, OrderId } from '../../../../src/domain/ids.js';
import type { Lots, Ticks } from '../../../../src/domain/quantity.js';
import type { ChildSubmission } from '../../../../src/domain/venue-message.js';
import type { LiveAccount } from '../../../../src/venue/live/live-exchange.js';
import type { Balances, Positions } from '../../../../src/venue/live/normal/records.js';
import { OrderSession } from '../../../../src/venue/live/order-session.js';
import { type LoopbackAccount, newEd25519Key, newKey } from '../../../loopback/accounts.js';
import { BinanceLoopback } from '../../../loopback/binance/binance-loopback.js';
import { ShardModel } from '../shard-model.js';
import {
  accepted,
  BTC,
  credentials,
  now,
  openExchange,
  type OpenedExchange,
  type Section,
} from './loopback-exchange.js';

const TICK_MS = 10;

export interface DeskOptions {
  readonly section: Section;
  readonly key: 'HMAC' | 'ED25519';
}

/** A shard, a session and an account at one section of an exchange on loopback. */
export class AccountDesk {
  readonly section: Section;
  readonly shard: ShardModel;
  readonly loopback: BinanceLoopback;
  readonly owner: LoopbackAccount;
  readonly opened: OpenedExchange;
  readonly account: LiveAccount;
  readonly session: OrderSession;
  readonly contradictions: string[] = [];
  readonly balances: Balances[] = [];
  readonly positions: Positions[] = [];
  readonly #timer: NodeJS.Timeout;

  private constructor(parts: {
    readonly section: Section;
    readonly loopback: BinanceLoopback;
    readonly owner: LoopbackAccount;
    readonly opened: OpenedExchange;
    readonly account: (rig: AccountDesk) => LiveAccount;
  }) {
    this.section = parts.section;
    this.loopback = parts.loopback;
    this.owner = parts.owner;
    this.opened = parts.opened;
    this.shard = new ShardModel((request) => this.session.handle(request, now()));
    this.account = parts.account(this);
    this.session = new OrderSession({
      account: 'alice' as AccountId,
      venue: 'BINANCE',
      client: this.account.client,
      rules: parts.opened.exchange.rules,
      startedAtMs: now(),
      report: (report) => this.shard.take(report, now()),
      onLink: (isUp) => this.shard.setLink(isUp, now()),
      onContradiction: (what) => this.contradictions.push(what),
    });
    this.#timer = setInterval(() => {
      this.session.advance(now());
      this.shard.advance(now());
    }, TICK_MS);
  }

  static async open({ section, key }: DeskOptions): Promise<AccountDesk> {
    const loopback = await BinanceLoopback.start({ seed: 'desk' });
    const ed25519 = newEd25519Key();
    const owner = loopback.openAccount([key === 'HMAC' ? newKey() : ed25519.key]);
    const opened = await openExchange(loopback, section);
    accepted(await opened.exchange.measureClock());
    const [apiKey] = owner.keys;
    const secret = key === 'HMAC' ? { text: apiKey!.secret! } : { pem: ed25519.privateKey };
    const holder: { rig: AccountDesk | null } = { rig: null };
    const account = accepted(
      await opened.exchange.openAccount(credentials(apiKey!.key, secret), {
        onSubscribed: () => holder.rig!.session.onSubscribed(),
        onCut: (nowMs) => holder.rig!.session.onCut(nowMs),
        onOrder: (update, nowMs) => holder.rig!.session.onUpdate(update, nowMs),
        onBalances: (balances) => holder.rig!.balances.push(balances),
        onPositions: (positions) => holder.rig!.positions.push(positions),
        onRefused: () => undefined,
        onRefusedTime: () => undefined,
        instrumentOf: (_child, symbol) => (symbol === 'BTCUSDT' ? BTC : null),
      }),
    );
    const rig = new AccountDesk({ section, loopback, owner, opened, account: () => account });
    holder.rig = rig;
    account.start();
    return rig;
  }

  get isLinked(): boolean {
    return this.session.isLinked;
  }

  /** Host of the private stream, and of the orders on a socket. */
  get hosts(): { readonly stream: string; readonly orders: string } {
    return this.section === 'spot'
      ? { stream: 'ws-api.binance.com', orders: 'ws-api.binance.com' }
      : { stream: 'fstream.binance.com', orders: 'ws-fapi.binance.com' };
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.opened.exchange.close();
    await this.loopback.close();
  }

  child(orderId: number, change: Partial<ChildSubmission> = {}): ChildSubmission {
    return { ...childOf(this.section, orderId), ...change };
  }

  /** Ticks of a price in quote units. */
  price(quote: number): Ticks {
    return ticksOf(this.section, quote);
  }

  /** Base units of a quantity of lots, as the ledger counts them. */
  get lot(): string {
    return this.section === 'spot' ? '0.00001' : '0.001';
  }
}

/** A child of 0.01 BTC far below the market. */
function childOf(section: Section, orderId: number): ChildSubmission {
  return {
    account: 'alice' as AccountId,
    venue: 'BINANCE',
    orderId: orderId as OrderId,
    child: 1 as ChildNumber,
    instrument: BTC,
    side: 'BUY',
    quantity: (section === 'spot' ? 1_000 : 10) as Lots,
    type: 'LIMIT',
    timeInForce: 'GTC',
    limitPrice: ticksOf(section, 49_000),
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'EXPIRE_TAKER',
  };
}

function ticksOf(section: Section, quote: number): Ticks {
  return Math.round(quote * (section === 'spot' ? 100 : 10)) as Ticks;
}
