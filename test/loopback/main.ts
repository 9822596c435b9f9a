import { createInterface } from 'node:readline';
import { formatShort } from './decimal.js';
import { TestnetSite } from './testnet-site.js';
import { PROTOCOLS, type RunningExchange } from './protocols.js';
import { openSite, type ProxiedSite } from './proxied-site.js';

const USAGE = `usage: main.js ${Object.keys(PROTOCOLS).join('|')} [--port <first port>] [--still] [--json] | main.js binance --testnet`;
const MOVE_EVERY_MS = 250;
const PORT_END = 65_520;

/** The addresses, a key, requests for curl, and the settings and commands to trade on the exchange with Sluice. */
function describe(exchange: RunningExchange, site: ProxiedSite): string {
  const { about, venue, url, ports, credentials } = exchange;
  const { key, secret, passphrase } = credentials;
  const typed = passphrase === undefined ? `printf %s ${secret}` : `printf '%s\\n' ${secret} ${passphrase}`;
  const hosts = [...ports].map(([host, port]) => `  ${host.padEnd(22)} 127.0.0.1:${port}`);
  const names = Object.entries(credentials).map(([name, value]) => `${name.padEnd(11)} ${value}`);
  return [
    about,
    ...hosts,
    `  ${'all of them'.padEnd(22)} ${url}`,
    '',
    ...names,
    '',
    ...exchange.examples(site),
    '',
    'Trade on it with Sluice, in another terminal. The service reads these settings at its start:',
    `  export SLUICE_LIVE=${venue}:testnet`,
    `  export SLUICE_LIVE_URL_${venue}=${url}`,
    '  export SLUICE_DATA_DIR=./data-loopback',
    '  npx sluice keys create --account demo --permissions trade',
    `  ${typed} | npx sluice venue-keys add --account demo --exchange ${venue} --environment testnet --api-key ${key} --secret-stdin`,
    `  npx sluice live check --exchange ${venue}`,
    '  npm start',
    '',
    `Under its real host names, with TLS, instead of SLUICE_LIVE_URL_${venue}:`,
    `  export SLUICE_LIVE_PROXY=${site.proxy.url}`,
    `  export NODE_EXTRA_CA_CERTS=${site.certificateFile}`,
    '',
    'The exchange and its key end with Ctrl-C.',
    '',
  ].join('\n');
}

function asJson({ url, credentials: { key, secret, passphrase } }: RunningExchange): object {
  return { url, api_key: key, api_secret: secret, ...(passphrase !== undefined && { passphrase }) };
}

/** First port, 0 for free ones; null for a wrong argument. */
function portOf(parameters: readonly string[]): number | null {
  const at = parameters.indexOf('--port');
  if (at === -1) return 0;
  const port = Number(parameters[at + 1]);
  return Number.isInteger(port) && port > 0 && port < PORT_END ? port : null;
}

/** Local ports of the real host names and of those of the test environment. */
function servedHosts({ ports, testPorts }: RunningExchange): ReadonlyMap<string, number> {
  return new Map([...ports, ...testPorts]);
}

function say(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/**
 * Serves a program: one account under the host names of the test environment. The first line is JSON with the
 * environment of a service and a key. Each line `ledger` is answered with the fills and the balances of both wallets as
 * JSON.
 */
async function serveTestnet(): Promise<never> {
  const testnet = await TestnetSite.open('demo');
  const { loopback, environment } = testnet;
  const account = loopback.openAccount();
  const { key, secret } = account.keys[0]!;
  process.on('SIGTERM', () => void testnet.close().finally(() => process.exit(0)));
  say({ environment, apiKey: key, apiSecret: secret });
  for await (const line of createInterface({ input: process.stdin })) {
    if (line !== 'ledger') continue;
    const fills = loopback.spot.exchange.ledger.fillsOf(account.id).map((fill) => ({
      clientId: fill.clientId,
      quantity: formatShort(fill.quantity),
      price: formatShort(fill.price),
      fee: formatShort(fill.fee),
      feeAsset: fill.feeAsset,
    }));
    const wallets = [account.spot, account.futures];
    const assets = new Set(wallets.flatMap((wallet) => wallet.assets));
    const totals = [...assets].map((asset) => {
      const parts = wallets.map((wallet) => wallet.balance(asset));
      return [asset, formatShort(parts.reduce((sum, { free, locked }) => sum + free + locked, 0n))] as const;
    });
    say({ fills, balances: Object.fromEntries(totals) });
  }
  await testnet.close();
  process.exit(0);
}

const [protocol = '', ...parameters] = process.argv.slice(2);
const port = portOf(parameters);
const start = Object.hasOwn(PROTOCOLS, protocol) ? PROTOCOLS[protocol] : undefined;
if (start === undefined || port === null) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}
if (protocol === 'binance' && parameters.includes('--testnet')) await serveTestnet();
const exchange = await start(port);
const site = await openSite(servedHosts(exchange));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    void site.close().finally(() => process.exit(0));
  });
}
if (parameters.includes('--json')) say(asJson(exchange));
else process.stdout.write(describe(exchange, site));
if (!parameters.includes('--still')) {
  // The market moves, so that streams have something to send.
  setInterval(() => {
    for (const background of exchange.backgrounds) background.wander();
  }, MOVE_EVERY_MS);
}
