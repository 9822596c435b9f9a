/**
 * Who may import whom. One row a folder: the folders of this project it may reach besides itself, and the packages
 * (`node:` modules included). Everything that is not listed is forbidden.
 */
const LAYERS = {
  model: { folders: [], packages: ['big.js'] },
  contract: { folders: ['model'], packages: ['@sinclair/typebox'] },
  order: { folders: ['model'], packages: [] },
  strategy: { folders: ['model'], packages: [] },
  analytics: { folders: ['model', 'strategy'], packages: [] },
  lmdb: { folders: [], packages: ['lmdb', 'child_process', 'module'] },
  venue: { folders: ['model', 'lmdb'], packages: ['lmdb'] },
  wire: { folders: ['model'], packages: ['protobufjs', 'worker_threads'] },
  journal: {
    folders: ['model', 'wire', 'lmdb'],
    packages: ['lmdb', 'fs', 'path', 'crypto', 'net', 'os', 'fs/promises', 'worker_threads', 'child_process'],
  },
  shard: { folders: ['model', 'order', 'strategy', 'wire', 'journal/port'], packages: [] },
  route: {
    folders: ['model', 'order/amendment', 'wire', 'strategy/volume-study', 'strategy/recent-volume'],
    packages: ['worker_threads', 'url', 'piscina'],
  },
  http: {
    folders: ['model', 'contract', 'route', 'analytics', 'order/admission', 'journal/port', 'client/web-signature'],
    packages: ['uWebSockets.js', 'crypto', 'fs', 'module', 'path', 'jsonwebtoken', 'prom-client'],
  },
  stream: { folders: ['model', 'route', 'journal/port'], packages: ['uWebSockets.js'] },
  replay: {
    folders: ['model', 'shard', 'venue', 'analytics', 'journal/port', 'http/parse'],
    packages: ['fs', 'path', 'stream', 'zlib'],
  },
  tca: {
    folders: ['model', 'analytics', 'route/cost-question', 'http/present/json-text', 'journal/port'],
    packages: [],
  },
  operator: { folders: ['model', 'journal'], packages: ['fs', 'fs/promises', 'path', 'crypto', 'os'] },
  client: { folders: ['contract'], packages: ['crypto', 'http', 'https', 'ws', 'events', '@sinclair/typebox'] },
  cli: {
    folders: ['client', 'operator'],
    packages: [
      'commander',
      'fs',
      'fs/promises',
      'path',
      'child_process',
      'url',
      'net',
      'readline',
      'os',
      'process',
      'rolldown',
    ],
  },
  console: { folders: ['client'], packages: [] },
};

const escape = (text) => text.replaceAll('.', String.raw`\.`);

const layerRules = Object.entries(LAYERS).flatMap(([layer, { folders, packages }]) => [
  {
    name: `${layer}-reaches-only-its-layers`,
    severity: 'error',
    from: { path: `^src/${layer}/` },
    to: {
      path: '^(src|workers|bench|test)/',
      pathNot: [layer, ...folders].map((folder) => `^src/${folder}(/|\\.[jt]s$)`),
    },
  },
  {
    name: `${layer}-uses-only-its-packages`,
    severity: 'error',
    from: { path: `^src/${layer}/` },
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
      name: 'client-takes-only-types-from-the-contract',
      comment: 'a client runs without the code of the service',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { path: '^src/contract/|@sinclair/typebox', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'sockets-only-in-http-and-stream',
      comment: 'bench measures the bare server as its ceiling',
      severity: 'error',
      from: { path: '^(src|workers)/', pathNot: '^src/(http|stream)/' },
      to: { path: 'uWebSockets\\.js' },
    },
    {
      name: 'root-files-and-workers-are-imported-by-nobody',
      severity: 'error',
      from: { path: '^src/[^/]+/' },
      to: { path: '^(src/[^/]+\\.ts$|workers/)' },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
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
      // A part of the build runs before the service.
      from: { path: '^(src|workers)/', pathNot: String.raw`^src/cli/join-modules\.js$` },
      to: { dependencyTypes: ['npm-dev'], pathNot: 'node_modules/@types/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The launcher imports what a build makes.
    exclude: { path: '^(dist|src/cli/sluice\\.js|src/wire/generated/generate\\.js)' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
