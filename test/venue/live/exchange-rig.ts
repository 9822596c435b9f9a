import type { Venue } from '../../../src/domain/exchange.js';
import type { AccountId, ChildNumber, OrderId } from '../../../src/domain/ids.js';
import type { ChildSubmission } from '../../../src/domain/venue-message.js';
import type { VenueCredentials } from '../../../src/keys/port.js';
import type { AccountEvents, LiveAccount } from '../../../src/venue/live/live-exchange.js';
import type { Balances, Positions } from '../../../src/venue/live/normal/records.js';
import { OrderSession } from '../../../src/venue/live/order-session.js';
import type { LoopbackAccount } from '../../loopback/accounts.js';
import { accepted, now, type OpenedExchange } from './binance/loopback-exchange.js';
import { ShardModel } from './shard-model.js';

const TICK_MS = 10;
const ALICE = 'alice' as AccountId;

interface Connection {
  readonly credentials: VenueCredentials;
  readonly instrumentOf: AccountEvents['instrumentOf'];
}

/** A shard, a session and an account at an exchange on loopback. */
export class ExchangeRig<Loopback extends { close(): Promise<void> }> {
  readonly loopback: Loopback;
  readonly owner: LoopbackAccount;
  readonly opened: OpenedExchange;
  readonly contradictions: string[] = [];
  readonly balances: Balances[] = [];
  readonly positions: Positions[] = [];
  readonly shard = new ShardModel((request) => this.session.handle(request, now()));
  account!: LiveAccount;
  session!: OrderSession;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: Pick<ExchangeRig<Loopback>, 'loopback' | 'owner' | 'opened'>) {
    this.loopback = parts.loopback;
    this.owner = parts.owner;
    this.opened = parts.opened;
  }

  async connect({ credentials, instrumentOf }: Connection): Promise<this> {
    const { exchange } = this.opened;
    this.account = accepted(
      await exchange.openAccount(credentials, {
        onSubscribed: () => this.session.onSubscribed(),
        onCut: (nowMs) => this.session.onCut(nowMs),
        onOrder: (update, nowMs) => this.session.onUpdate(update, nowMs),
        onBalances: (balances) => this.balances.push(balances),
        onPositions: (positions) => this.positions.push(positions),
        onRefused: () => undefined,
        onRefusedTime: () => undefined,
        instrumentOf,
      }),
    );
    this.session = new OrderSession({
      account: ALICE,
      venue: credentials.place.venue,
      client: this.account.client,
      rules: exchange.rules,
      startedAtMs: now(),
      report: (report) => this.shard.take(report, now()),
      onLink: (isUp) => this.shard.setLink(isUp, now()),
      onContradiction: (what) => this.contradictions.push(what),
    });
    this.#timer = setInterval(() => {
      this.session.advance(now());
      this.shard.advance(now());
    }, TICK_MS);
    this.account.start();
    return this;
  }

  get isLinked(): boolean {
    return this.session.isLinked;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.opened.exchange.close();
    await this.loopback.close();
  }
}

type Placed = Pick<ChildSubmission, 'instrument' | 'quantity' | 'limitPrice'>;

/** A resting child that buys. */
export function buyingChild(venue: Venue, orderId: number, placed: Placed): ChildSubmission {
  return {
    account: ALICE,
    venue,
    orderId: orderId as OrderId,
    child: 1 as ChildNumber,
    side: 'BUY',
    type: 'LIMIT',
    timeInForce: 'GTC',
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'EXPIRE_TAKER',
    ...placed,
  };
}
