/** What the operator's commands work on, in the service and in a process of their own. */
const OPERATED = ['domain', 'storage', 'journal', 'keys', 'runtime/identity', 'venue/live/account-probe'];

/**
 * Allowed imports, one row a folder: other folders of this project, then packages (`node:` modules included).
 * Every import that is not listed is an error. `runtime` has no row: it composes all the others.
 */
const LAYERS = {
  domain: { folders: [], packages: ['big.js'] },
  storage: {
    folders: ['domain'],
    packages: ['lmdb', 'fs', 'path', 'os', 'child_process', 'module'],
  },
  wire: { folders: ['domain'], packages: ['protobufjs', 'worker_threads'] },
  order: { folders: ['domain'], packages: [] },
  strategy: { folders: ['domain'], packages: [] },
  tca: { folders: ['domain', 'strategy', 'journal/port'], packages: [] },
  pretrade: { folders: ['domain', 'strategy', 'tca'], packages: [] },
  api: { folders: ['domain'], packages: ['@sinclair/typebox', 'crypto'] },
  journal: {
    folders: ['domain', 'wire', 'storage'],
    packages: ['lmdb', 'fs', 'path', 'worker_threads'],
  },
  keys: {
    folders: ['domain', 'storage'],
    packages: ['lmdb', 'fs', 'path', 'crypto', 'net', 'jsonwebtoken'],
  },
  shard: { folders: ['domain', 'order', 'strategy', 'wire', 'marketdata', 'journal/port'], packages: [] },
  venue: { folders: ['domain', 'wire', 'keys/port'], packages: [] },
  'venue/live/transport': {
    folders: ['venue', 'domain'],
    packages: ['undici', 'ws', 'crypto', 'http', 'https', 'stream', 'tls', 'util', 'zlib'],
  },
  marketdata: {
    folders: ['domain', 'wire', 'venue', 'strategy/volume/study'],
    packages: ['worker_threads'],
  },
  sim: { folders: ['domain', 'venue'], packages: ['lmdb'] },
  risk: { folders: ['domain', 'journal/port', 'journal/complete-reads', 'keys/database'], packages: [] },
  intake: {
    folders: [
      'domain',
      'api',
      'risk',
      'order',
      'pretrade',
      'marketdata',
      'venue',
      'wire',
      'journal/port',
      'journal/complete-reads',
    ],
    packages: ['worker_threads', 'url', 'piscina'],
  },
  restore: {
    folders: ['domain', 'order/children', 'intake', 'venue/venue-client', 'journal/port', 'keys/trading-store'],
    packages: [],
  },
  http: {
    folders: ['domain', 'api', 'intake', 'keys/port'],
    packages: ['uWebSockets.js', 'crypto', 'fs', 'module', 'path', 'prom-client'],
  },
  // Runs in browsers and signs requests as the client does.
  'http/docs-page': { folders: ['client/web-signature'], packages: [] },
  stream: {
    folders: ['domain', 'api', 'journal/port', 'journal/complete-reads'],
    packages: ['uWebSockets.js', 'lru-cache'],
  },
  backtest: {
    folders: ['domain', 'order/snapshot', 'shard', 'sim', 'venue', 'tca', 'api/order', 'api/field', 'journal/port'],
    packages: ['fs', 'path', 'stream', 'zlib'],
  },
  // What the operator's commands do: in the running service through a socket, or in the process of the command.
  admin: {
    folders: [...OPERATED, 'venue/live/live-modes'],
    packages: ['fs', 'net', 'path', 'timers/promises'],
  },
  client: { folders: ['api'], packages: ['crypto', 'http', 'https', 'ws', 'events', '@sinclair/typebox'] },
  cli: {
    // Tables of request fields: plain data of the public contract. Names and JSON are read by the rules of the service.
    folders: [
      'admin/admin-client',
      'client',
      'domain/letter-case',
      'domain/rejection',
      'domain/setting-names',
      'api/field/json-body',
      'api/field/json-file',
      'api/field/member-names',
      'api/field/field-row',
      'api/order/order-fields',
      'api/order/param-fields',
      'api/pair/pair-fields',
    ],
    packages: [
      'big.js',
      'commander',
      'fs',
      'fs/promises',
      'path',
      'child_process',
      'url',
      'util',
      'net',
      'readline',
      'timers/promises',
      'os',
      'process',
      'module',
      'v8',
      'rolldown',
      'protobufjs-cli',
      'typescript',
    ],
  },
  // The entry of the command line. It gives the commands the code of the service that they need.
  'cli/main': {
    folders: [
      'cli',
      'admin/admin-client',
      'domain',
      'backtest/backtest-report',
      'journal/backup',
      'journal/verification',
      'order/evolve',
      'storage/process-claim',
      'storage/release',
      'venue/live/account-probe',
      'venue/live/exchange-origin',
      'venue/live/exchange-proxy',
      'venue/live/live-exchanges',
    ],
    packages: ['path', 'readline/promises', 'process'],
  },
  // The commands on a data directory. The other commands work through the client.
  'cli/operator': {
    folders: [
      'admin',
      ...OPERATED,
      'venue/live/exchange-origin',
      'venue/live/exchange-proxy',
      'venue/live/live-modes',
      'cli/arguments',
      'cli/context',
      'cli/output',
    ],
    packages: ['commander', 'fs', 'path', 'os'],
  },
  console: { folders: ['client'], packages: ['preact', 'uplot', 'big.js'] },
};

const escape = (text) => text.replaceAll('.', String.raw`\.`);

/** A folder, or one file named without its suffix. */
const pathOf = (layer) => `^src/${layer}(/|\\.[jt]sx?$)`;

/** The files of a layer without those of a layer inside it. */
const filesOf = (layer) => {
  const inner = Object.keys(LAYERS).filter((other) => other.startsWith(`${layer}/`));
  return { path: pathOf(layer), ...(inner.length > 0 && { pathNot: inner.map(pathOf) }) };
};

const layerRules = Object.entries(LAYERS).flatMap(([layer, { folders, packages }]) => [
  {
    name: `${layer}-reaches-only-its-layers`,
    severity: 'error',
    from: filesOf(layer),
    to: {
      path: '^(src|workers|bench|test)/',
      pathNot: [layer, ...folders].map(pathOf),
    },
  },
  {
    name: `${layer}-uses-only-its-packages`,
    severity: 'error',
    from: filesOf(layer),
    to: {
      dependencyTypesNot: ['local', 'localmodule', 'aliased'],
      pathNot: packages.flatMap((name) => [`^(node:)?${escape(name)}$`, `node_modules/(@types/)?${escape(name)}/`]),
    },
  },
]);

module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: 'client-takes-only-types-from-the-api',
      comment: 'a client runs without the code of the service',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { path: '^src/api/|@sinclair/typebox', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'sockets-only-in-http-and-stream',
      comment: 'bench measures the bare server as its ceiling',
      severity: 'error',
      from: { path: '^(src|workers)/', pathNot: '^src/(http|stream)/' },
      to: { path: 'uWebSockets\\.js' },
    },
    {
      name: 'only-the-venue-worker-and-backtests-simulate',
      comment: 'the rest of the service knows exchanges by src/venue alone; its start refuses a bad fault script',
      severity: 'error',
      from: { path: '^(src|workers)/', pathNot: '^(src/(sim|backtest)/|workers/venue\\.ts$)' },
      to: { path: '^src/sim/', pathNot: String.raw`^src/sim/faults/fault-(script|rule)\.ts$` },
    },
    {
      name: 'nothing-runs-back-into-the-composition',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: '^src/runtime/' },
      to: { path: '^src/runtime/', pathNot: '^src/runtime/identity\\.ts$' },
    },
    {
      name: 'entries-and-workers-are-imported-by-no-file',
      severity: 'error',
      from: { path: '^src/[^/]+/' },
      to: { path: '^(src/[^/]+\\.ts$|src/cli/main\\.ts$|workers/)' },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-circles-by-types',
      comment: 'an order at a simulated exchange has its account and position, and these list their orders',
      severity: 'error',
      from: {},
      to: {
        circular: true,
        via: { pathNot: '^src/sim/(account/(venue-account|futures-position)|order/venue-order)\\.ts$' },
      },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^uWebSockets\\.js$' },
    },
    {
      name: 'no-dev-packages-in-the-service',
      severity: 'error',
      // Parts of the build run before the service.
      from: {
        path: '^(src|workers)/',
        pathNot: String.raw`^src/cli/(generate-messages|emit-modules|join-modules|client-package|client-declarations)\.js$`,
      },
      to: { dependencyTypes: ['npm-dev'], pathNot: 'node_modules/@types/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The launcher imports what a build makes, and the examples import the package that a build makes.
    exclude: { path: '^(dist|src/cli/sluice\\.js|src/client/examples)' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
