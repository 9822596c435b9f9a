import { BinanceLoopback } from './binance/binance-loopback.js';
import { openSite, type ProxiedSite } from './proxied-site.js';

const USAGE = 'usage: main.js binance [--port <first port>] [--still]';
const MOVE_EVERY_MS = 250;

/** Address of each host name, and the words for curl. */
function describe(loopback: BinanceLoopback, site: ProxiedSite): string {
  const { key, secret } = loopback.openAccount().keys[0]!;
  const rest = loopback.address('api.binance.com');
  const hosts = [...loopback.ports].map(([host, port]) => `  ${host.padEnd(22)} 127.0.0.1:${port}`);
  return [
    'A Binance on loopback: spot and USD-M futures, BTCUSDT and ETHUSDT.',
    ...hosts,
    '',
    `key     ${key}`,
    `secret  ${secret}`,
    '',
    'Public request:',
    `  curl '${rest}/api/v3/depth?symbol=BTCUSDT&limit=5'`,
    'Signed request:',
    `  query="timestamp=$(date +%s%3N)"`,
    `  signature=$(printf %s "$query" | openssl dgst -sha256 -hmac ${secret} -r | cut -d' ' -f1)`,
    `  curl -H 'X-MBX-APIKEY: ${key}' "${rest}/api/v3/account?$query&signature=$signature"`,
    'Under the real host names:',
    `  curl --proxy ${site.proxy.url} --cacert ${site.certificateFile} https://api.binance.com/api/v3/time`,
    '',
  ].join('\n');
}

/** First port, 0 for free ones; null for a wrong argument. */
function portOf(parameters: readonly string[]): number | null {
  const at = parameters.indexOf('--port');
  if (at === -1) return 0;
  const port = Number(parameters[at + 1]);
  return Number.isInteger(port) && port > 0 && port < 65_530 ? port : null;
}

const [exchange, ...parameters] = process.argv.slice(2);
const port = portOf(parameters);
if (exchange !== 'binance' || port === null) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}
const loopback = await BinanceLoopback.start({ port });
const site = await openSite(loopback.ports);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    void site.close().finally(() => process.exit(0));
  });
}
process.stdout.write(describe(loopback, site));
if (!parameters.includes('--still')) {
  // The market moves, so that streams have something to send.
  setInterval(() => {
    loopback.spot.background.wander();
    loopback.futures.background.wander();
  }, MOVE_EVERY_MS);
}
