import { onTestFinished, type TestContext } from 'vitest';
import type { LoopbackAccount } from '../loopback/accounts.js';
import type { Background } from '../loopback/background.js';
import { BinanceLoopback } from '../loopback/binance/binance-loopback.js';
import { BybitLoopback } from '../loopback/bybit/bybit-loopback.js';
import type { Exchange } from '../loopback/exchange.js';
import { OkxLoopback } from '../loopback/okx/okx-loopback.js';
import { openSite } from '../loopback/proxied-site.js';
import { requestsAndSockets, SharedHost } from '../loopback/shared-host.js';

/* The test environments of Binance, Bybit and OKX on loopback, for one service that trades at all of them. */

const MOVE_EVERY_MS = 500;

/** One exchange with its spot pairs and its perpetuals. */
export interface RealExchange {
  readonly venue: 'BINANCE' | 'BYBIT' | 'OKX';
  readonly account: LoopbackAccount;
  readonly spot: Exchange;
  readonly perpetuals: Exchange;
  /** The market of the spot pairs without accounts. */
  readonly background: Background;
  /** Between the numbers of an order and its child in a client id. */
  readonly separator: '-' | 'x';
}

export interface RealExchanges {
  readonly exchanges: readonly RealExchange[];
  readonly environment: Readonly<Record<string, string>>;
  /** Hosts that a client dialled and that are not served here. */
  readonly refused: () => readonly unknown[];
}

/**
 * Starts the three exchanges with moving markets and an account at each. They end with the test. One that runs beside
 * others passes its own context.
 */
export async function openRealExchanges(
  seed: string,
  test: Pick<TestContext, 'onTestFinished'> = { onTestFinished },
): Promise<RealExchanges> {
  const binance = await BinanceLoopback.start({ seed });
  const bybit = await BybitLoopback.start({ seed });
  const okx = await OkxLoopback.start({ seed, isDemo: true });
  const binancePort = (host: string): number => binance.ports.get(host)!;
  const futures = await SharedHost.start(
    requestsAndSockets(binancePort('fapi.binance.com'), binancePort('ws-fapi.binance.com')),
  );
  const site = await openSite(
    new Map([
      ['testnet.binance.vision', binancePort('api.binance.com')],
      ['stream.testnet.binance.vision', binancePort('stream.binance.com')],
      ['ws-api.testnet.binance.vision', binancePort('ws-api.binance.com')],
      ['testnet.binancefuture.com', futures.port],
      ['fstream.binancefuture.com', binancePort('fstream.binance.com')],
      ['api-testnet.bybit.com', bybit.ports.get('api.bybit.com')!],
      ['stream-testnet.bybit.com', bybit.ports.get('stream.bybit.com')!],
      ['www.okx.com', okx.ports.get('www.okx.com')!],
      ['wspap.okx.com', okx.ports.get('ws.okx.com')!],
    ]),
  );
  const backgrounds: readonly Background[] = [
    binance.spot.background,
    binance.futures.background,
    bybit.spot.background,
    bybit.linear.background,
    okx.background.spot,
    okx.background.swap,
  ];
  const mover = setInterval(() => {
    for (const background of backgrounds) background.wander();
  }, MOVE_EVERY_MS);
  test.onTestFinished(async () => {
    clearInterval(mover);
    await site.close();
    await futures.close();
    await Promise.all([binance.close(), bybit.close(), okx.close()]);
  });
  return {
    exchanges: [
      {
        venue: 'BINANCE',
        account: binance.openAccount(),
        spot: binance.spot.exchange,
        background: binance.spot.background,
        perpetuals: binance.futures.exchange,
        separator: '-',
      },
      {
        venue: 'BYBIT',
        account: bybit.openAccount(),
        spot: bybit.spot.exchange,
        background: bybit.spot.background,
        perpetuals: bybit.linear.exchange,
        separator: '-',
      },
      {
        venue: 'OKX',
        account: okx.openAccount(),
        spot: okx.trading.spot,
        background: okx.background.spot,
        perpetuals: okx.trading.swap,
        separator: 'x',
      },
    ],
    environment: {
      SLUICE_LIVE: 'BINANCE:testnet,BYBIT:testnet,OKX:testnet',
      SLUICE_LIVE_PROXY: site.proxy.url,
      NODE_EXTRA_CA_CERTS: site.certificateFile,
    },
    refused: () => site.proxy.refused,
  };
}
