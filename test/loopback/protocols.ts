import type { Background } from './background.js';
import { BinanceLoopback } from './binance/binance-loopback.js';
import { BybitLoopback } from './bybit/bybit-loopback.js';
import { OkxLoopback } from './okx/okx-loopback.js';
import type { ProxiedSite } from './proxied-site.js';
import { type HostRoute, requestsAndSockets, SharedHost } from './shared-host.js';

/** Values of a key in the order in which the exchange shows them. */
interface Credentials {
  readonly key: string;
  readonly secret: string;
  /** Only where keys have one. */
  readonly passphrase?: string;
}

/** A loopback exchange as the program runs it. */
export interface RunningExchange {
  /** One sentence: the exchange and what trades there. */
  readonly about: string;
  /** Name of the exchange in Sluice. */
  readonly venue: string;
  /** One address that serves the paths of all hosts. */
  readonly url: string;
  /** Local port of each host name of the real exchange. */
  readonly ports: ReadonlyMap<string, number>;
  /** Local port of each host name of the exchange's test environment. */
  readonly testPorts: ReadonlyMap<string, number>;
  /** A key that may trade. */
  readonly credentials: Credentials;
  readonly backgrounds: readonly Background[];
  /** Requests for curl, with their headings. */
  readonly examples: (site: ProxiedSite) => readonly string[];
}

/** The address is at the given port, and the hosts at the next ones; 0: all at free ports. */
async function sharedUrl(route: HostRoute, port: number): Promise<string> {
  const { port: at } = await SharedHost.start(route, port);
  return `http://127.0.0.1:${at}`;
}

function firstHostPort(port: number): number {
  return port === 0 ? 0 : port + 1;
}

async function startBinance(port: number): Promise<RunningExchange> {
  const loopback = await BinanceLoopback.start({ port: firstHostPort(port) });
  const { key, secret: text } = loopback.openAccount().keys[0]!;
  const secret = text ?? '';
  const rest = loopback.address('api.binance.com');
  return {
    about: 'A Binance on loopback: spot and USD-M futures, BTCUSDT and ETHUSDT.',
    venue: 'BINANCE',
    url: await sharedUrl(binanceRoute(loopback.ports), port),
    ports: loopback.ports,
    testPorts: await binanceTestPorts(loopback.ports),
    credentials: { key, secret },
    backgrounds: [loopback.spot.background, loopback.futures.background],
    examples: (site) => [
      'Public request:',
      `  curl '${rest}/api/v3/depth?symbol=BTCUSDT&limit=5'`,
      'Signed request:',
      `  query="timestamp=$(date +%s%3N)"`,
      `  signature=$(printf %s "$query" | openssl dgst -sha256 -hmac ${secret} -r | cut -d' ' -f1)`,
      `  curl -H 'X-MBX-APIKEY: ${key}' "${rest}/api/v3/account?$query&signature=$signature"`,
      'Under the real host names:',
      `  curl --proxy ${site.proxy.url} --cacert ${site.certificateFile} https://api.binance.com/api/v3/time`,
    ],
  };
}

/** Beginnings of the paths of each host. Spot streams have `/ws` and `/stream`. */
const BINANCE_PATHS: readonly (readonly [beginning: string, host: string])[] = [
  ['/ws-api/', 'ws-api.binance.com'],
  ['/ws-fapi/', 'ws-fapi.binance.com'],
  ['/fapi/', 'fapi.binance.com'],
  ['/futures/', 'fapi.binance.com'],
  ['/public/', 'fstream.binance.com'],
  ['/market/', 'fstream.binance.com'],
  ['/private/', 'fstream.binance.com'],
  ['/api/', 'api.binance.com'],
  ['/sapi/', 'api.binance.com'],
  ['/ws', 'stream.binance.com'],
  ['/stream', 'stream.binance.com'],
];

function binanceRoute(ports: ReadonlyMap<string, number>): HostRoute {
  return (path) => {
    const found = BINANCE_PATHS.find(([beginning]) => path.startsWith(beginning));
    return found === undefined ? null : (ports.get(found[1]) ?? null);
  };
}

/** Host names of Binance's test environment, each with the local port that serves it. */
async function binanceTestPorts(ports: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> {
  const port = (host: string): number => ports.get(host) ?? 0;
  const futures = await SharedHost.start(requestsAndSockets(port('fapi.binance.com'), port('ws-fapi.binance.com')));
  return new Map([
    ['testnet.binance.vision', port('api.binance.com')],
    ['stream.testnet.binance.vision', port('stream.binance.com')],
    ['ws-api.testnet.binance.vision', port('ws-api.binance.com')],
    ['testnet.binancefuture.com', futures.port],
    ['fstream.binancefuture.com', port('fstream.binance.com')],
  ]);
}

async function startBybit(port: number): Promise<RunningExchange> {
  const loopback = await BybitLoopback.start({ port: firstHostPort(port) });
  const { key, secret: text } = loopback.openAccount().keys[0]!;
  const secret = text ?? '';
  const rest = loopback.address('api.bybit.com');
  const served = (host: string): number => loopback.ports.get(host) ?? 0;
  return {
    about: 'A Bybit on loopback: spot and USDT perpetuals of a unified account, BTCUSDT, ETHUSDT and SOLUSDT.',
    venue: 'BYBIT',
    url: await sharedUrl(requestsAndSockets(served('api.bybit.com'), served('stream.bybit.com')), port),
    ports: loopback.ports,
    testPorts: new Map([
      ['api-testnet.bybit.com', served('api.bybit.com')],
      ['stream-testnet.bybit.com', served('stream.bybit.com')],
    ]),
    credentials: { key, secret },
    backgrounds: [loopback.spot.background, loopback.linear.background],
    examples: (site) => [
      'Public request:',
      `  curl '${rest}/v5/market/tickers?category=linear&symbol=BTCUSDT'`,
      'Signed request:',
      `  query=accountType=UNIFIED time=$(date +%s%3N)`,
      `  signature=$(printf %s "\${time}${key}5000$query" | openssl dgst -sha256 -hmac ${secret} -r | cut -d' ' -f1)`,
      `  curl -H 'X-BAPI-API-KEY: ${key}' -H "X-BAPI-TIMESTAMP: $time" -H 'X-BAPI-RECV-WINDOW: 5000' \\`,
      `    -H "X-BAPI-SIGN: $signature" "${rest}/v5/account/wallet-balance?$query"`,
      'Under the real host names:',
      `  curl --proxy ${site.proxy.url} --cacert ${site.certificateFile} https://api.bybit.com/v5/market/time`,
    ],
  };
}

/** Serves demo trading alone: it has the REST host of real trading, and a header tells them apart. */
async function startOkx(port: number): Promise<RunningExchange> {
  const loopback = await OkxLoopback.start({ port: firstHostPort(port), isDemo: true });
  const { key, secret: text, passphrase: phrase } = loopback.openAccount().keys[0]!;
  const [secret, passphrase] = [text ?? '', phrase ?? ''];
  const rest = loopback.address('www.okx.com');
  const served = (host: string): number => loopback.ports.get(host) ?? 0;
  return {
    about: 'The demo trading of an OKX on loopback: spot and USDT perpetuals of one wallet, BTC, ETH and DOGE.',
    venue: 'OKX',
    url: await sharedUrl(requestsAndSockets(served('www.okx.com'), served('ws.okx.com')), port),
    ports: loopback.ports,
    testPorts: new Map([['wspap.okx.com', served('ws.okx.com')]]),
    credentials: { key, secret, passphrase },
    backgrounds: [loopback.background.spot, loopback.background.swap],
    examples: (site) => [
      'Public request:',
      `  curl '${rest}/api/v5/market/ticker?instId=BTC-USDT-SWAP'`,
      'Signed request:',
      `  path=/api/v5/account/balance time=$(date -u +%Y-%m-%dT%H:%M:%S.%3NZ)`,
      `  signature=$(printf %s "\${time}GET$path" | openssl dgst -sha256 -hmac ${secret} -binary | base64)`,
      `  curl -H 'OK-ACCESS-KEY: ${key}' -H 'OK-ACCESS-PASSPHRASE: ${passphrase}' -H "OK-ACCESS-TIMESTAMP: $time" \\`,
      `    -H "OK-ACCESS-SIGN: $signature" -H 'x-simulated-trading: 1' "${rest}$path"`,
      'Under the real host names:',
      `  curl --proxy ${site.proxy.url} --cacert ${site.certificateFile} https://www.okx.com/api/v5/public/time`,
    ],
  };
}

/** Starts the loopback exchange of a protocol at a first port; 0: at free ports. */
export const PROTOCOLS: Readonly<Record<string, (port: number) => Promise<RunningExchange>>> = {
  binance: startBinance,
  bybit: startBybit,
  okx: startOkx,
};
