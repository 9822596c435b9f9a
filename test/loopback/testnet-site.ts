import { BinanceLoopback } from './binance/binance-loopback.js';
import { openSite, type ProxiedSite } from './proxied-site.js';
import { requestsAndSockets, SharedHost } from './shared-host.js';

const MOVE_EVERY_MS = 250;

/** A loopback Binance under the host names of Binance's test environment, for a service in another process. */
export class TestnetSite {
  readonly loopback: BinanceLoopback;
  readonly #futuresHost: SharedHost;
  readonly #site: ProxiedSite;
  readonly #mover: NodeJS.Timeout;

  private constructor(loopback: BinanceLoopback, futuresHost: SharedHost, site: ProxiedSite, isMoving: boolean) {
    this.loopback = loopback;
    this.#futuresHost = futuresHost;
    this.#site = site;
    this.#mover = setInterval(() => {
      if (!isMoving) return;
      loopback.spot.background.wander();
      loopback.futures.background.wander();
    }, MOVE_EVERY_MS);
  }

  /** Without `isMoving` the books change by the orders of accounts only. */
  static async open(seed: string, { isMoving = true } = {}): Promise<TestnetSite> {
    const loopback = await BinanceLoopback.start({ seed });
    const port = (host: string): number => loopback.ports.get(host) ?? 0;
    const futures = await SharedHost.start(requestsAndSockets(port('fapi.binance.com'), port('ws-fapi.binance.com')));
    const hosts = new Map([
      ['testnet.binance.vision', port('api.binance.com')],
      ['stream.testnet.binance.vision', port('stream.binance.com')],
      ['ws-api.testnet.binance.vision', port('ws-api.binance.com')],
      ['testnet.binancefuture.com', futures.port],
      ['fstream.binancefuture.com', port('fstream.binance.com')],
    ]);
    return new TestnetSite(loopback, futures, await openSite(hosts), isMoving);
  }

  /** Environment of a service that trades at this site as BINANCE:testnet. */
  get environment(): Readonly<Record<string, string>> {
    return {
      SLUICE_LIVE: 'BINANCE:testnet',
      SLUICE_LIVE_PROXY: this.#site.proxy.url,
      NODE_EXTRA_CA_CERTS: this.#site.certificateFile,
    };
  }

  /** Hosts that a client dialled and that are not served here. */
  get refused(): readonly string[] {
    return this.#site.proxy.refused.map(({ authority }) => authority);
  }

  async close(): Promise<void> {
    clearInterval(this.#mover);
    await this.#site.close();
    await this.#futuresHost.close();
    await this.loopback.close();
  }
}
