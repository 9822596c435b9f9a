import { createSecretKey } from 'node:crypto';
import type { VenueEnvironment } from '../../../../src/domain/exchange.js';
import type { AccountId, ChildNumber, OrderId } from '../../../../src/domain/ids.js';
import type { InstrumentIndex } from '../../../../src/domain/instrument.js';
import type { Lots, Ticks } from '../../../../src/domain/quantity.js';
import type { ChildSubmission } from '../../../../src/domain/venue-message.js';
import type { VenueCredentials } from '../../../../src/keys/port.js';
import type { LiveAccount, LiveInstrument, LiveInstruments } from '../../../../src/venue/live/live-exchange.js';
import type { Balances, Positions } from '../../../../src/venue/live/normal/records.js';
import { openOkxAt } from '../../../../src/venue/live/okx/okx-exchange.js';
import { OrderSession } from '../../../../src/venue/live/order-session.js';
import type { ApiKey, LoopbackAccount } from '../../../loopback/accounts.js';
import { newOkxKey, OkxLoopback } from '../../../loopback/okx/okx-loopback.js';
import { accepted, MarketLog, now, type OpenedExchange } from '../binance/loopback-exchange.js';
import { ShardModel } from '../shard-model.js';

const TICK_MS = 10;

export type Section = 'spot' | 'swap';

const GRID = { pricePrecision: 1, quantityStep: 1, priceStep: 1 } as const;
/** Contracts have 0.01 BTC and trade in hundredths: one lot is 0.0001 BTC. */
export const INSTRUMENTS: Readonly<Record<Section, LiveInstrument>> = {
  spot: {
    ...GRID,
    index: 4_096 as InstrumentIndex,
    exchangeSymbol: 'BTC-USDT',
    isFuture: false,
    contractSize: '1',
    quantityPrecision: 8,
  },
  swap: {
    ...GRID,
    index: 4_097 as InstrumentIndex,
    exchangeSymbol: 'BTC-USDT-SWAP',
    isFuture: true,
    contractSize: '0.01',
    quantityPrecision: 4,
  },
};

const LISTED: LiveInstruments = {
  at: (index) => (index === INSTRUMENTS.spot.index ? INSTRUMENTS.spot : INSTRUMENTS.swap),
  bySymbol: (symbol) => Object.values(INSTRUMENTS).find((one) => one.exchangeSymbol === symbol)?.index ?? null,
};

export async function openExchange(
  loopback: OkxLoopback,
  environment: VenueEnvironment = 'live',
): Promise<OpenedExchange> {
  const market = new MarketLog();
  const findings: string[] = [];
  const open = openOkxAt({
    rest: loopback.address('www.okx.com'),
    sockets: loopback.address('ws.okx.com', 'ws'),
  });
  const opened = await open({
    environment,
    proxy: null,
    instruments: LISTED,
    nowMs: now,
    market,
    onFinding: ({ message }) => findings.push(message),
  });
  return { exchange: accepted(opened), market, findings };
}

export function credentials({ key, secret, passphrase }: ApiKey): VenueCredentials {
  return {
    place: { account: 'alice' as AccountId, subaccount: null, venue: 'OKX', environment: 'live' },
    kind: 'HMAC',
    apiKey: key,
    secret: createSecretKey(Buffer.from(secret ?? '')),
    passphrase: passphrase === null ? null : createSecretKey(Buffer.from(passphrase)),
    expiresAtMs: null,
  };
}

/** A shard, a session and an account at an OKX on loopback. */
export class AccountDesk {
  readonly shard: ShardModel;
  readonly loopback: OkxLoopback;
  readonly owner: LoopbackAccount;
  readonly opened: OpenedExchange;
  readonly account: LiveAccount;
  readonly session: OrderSession;
  readonly contradictions: string[] = [];
  readonly balances: Balances[] = [];
  readonly positions: Positions[] = [];
  readonly #timer: NodeJS.Timeout;

  private constructor(parts: Pick<AccountDesk, 'loopback' | 'owner' | 'opened' | 'account'>) {
    this.loopback = parts.loopback;
    this.owner = parts.owner;
    this.opened = parts.opened;
    this.account = parts.account;
    this.shard = new ShardModel((request) => this.session.handle(request, now()));
    this.session = new OrderSession({
      account: 'alice' as AccountId,
      venue: 'OKX',
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

  static async open(key: ApiKey = newOkxKey()): Promise<AccountDesk> {
    const loopback = await OkxLoopback.start({ seed: 'desk' });
    const owner = loopback.openAccount([key]);
    const opened = await openExchange(loopback);
    accepted(await opened.exchange.measureClock());
    // As the gateway does before the first account.
    accepted(await opened.exchange.listMarkets());
    const holder: { rig: AccountDesk | null } = { rig: null };
    const account = accepted(
      await opened.exchange.openAccount(credentials(key), {
        onSubscribed: () => holder.rig!.session.onSubscribed(),
        onCut: (nowMs) => holder.rig!.session.onCut(nowMs),
        onOrder: (update, nowMs) => holder.rig!.session.onUpdate(update, nowMs),
        onBalances: (balances) => holder.rig!.balances.push(balances),
        onPositions: (positions) => holder.rig!.positions.push(positions),
        onRefused: () => undefined,
        onRefusedTime: () => undefined,
        instrumentOf: (_child, symbol) => LISTED.bySymbol(symbol),
      }),
    );
    const rig = new AccountDesk({ loopback, owner, opened, account });
    holder.rig = rig;
    account.start();
    return rig;
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

/** A child of 0.01 BTC far below the market. */
export function child(section: Section, orderId: number, change: Partial<ChildSubmission> = {}): ChildSubmission {
  return {
    account: 'alice' as AccountId,
    venue: 'OKX',
    orderId: orderId as OrderId,
    child: 1 as ChildNumber,
    instrument: INSTRUMENTS[section].index,
    side: 'BUY',
    quantity: (section === 'spot' ? 1_000_000 : 100) as Lots,
    type: 'LIMIT',
    timeInForce: 'GTC',
    limitPrice: price(49_000),
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'EXPIRE_TAKER',
    ...change,
  };
}

/** Ticks of a price in quote units. */
export function price(quote: number): Ticks {
  return Math.round(quote * 10) as Ticks;
}
