import { setFlagsFromString } from 'node:v8';
import { ConfigError, readConfig, type Config } from './runtime/config.js';
import { writeKeyFile } from './runtime/demo-key.js';
import { type CreatedKey, MasterKeyError } from './runtime/identity.js';
import { HEAP_GROWTH_PERCENT_MAX, SHUTDOWN_MS_MAX } from './domain/limits/process.js';
import { ClockRefusal } from './runtime/service-time.js';
import { startLog } from './runtime/log.js';
import { Service } from './runtime/service.js';
import { entryOf, loggingThreads } from './runtime/threads.js';

/**
 * Exit statuses: 0 after SIGTERM or SIGINT, 1 after a failure, 2 for an unusable configuration or an implausible wall
 * clock.
 */
const FAILED = 1;
const MISCONFIGURED = 2;
const LAST_RESORT_MS = SHUTDOWN_MS_MAX + 800;

function configOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(`sluice: ${error.message}`);
    process.exit(MISCONFIGURED);
  }
}

async function serve(config: Config): Promise<void> {
  // Set before any thread starts, for all threads. By default V8 lets a heap grow to four times its size between
  // collections. The code caches of the threads are made with this flag (cli/join-modules).
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT_MAX}`);
  const { log, memoryOf } = startLog(config.logLevel, loggingThreads(config.shardCount), entryOf('log-writer'));
  let running: Service | null = null;
  const die = (reason: string): never => {
    log.fatal({ reason }, 'the service stops: nothing more is acknowledged');
    running?.abandon();
    process.exit(FAILED);
  };
  const killProcess = (reason: string): void => {
    log.fatal({ reason }, 'the service kills its own process: a thread hangs, and an orderly exit would wait for it');
    process.kill(process.pid, 'SIGKILL');
  };
  // An error in the service itself: the state of the turn in progress is unknown. The journal is intact.
  process.on('uncaughtException', (error) => die(error.stack ?? error.message));
  process.on('unhandledRejection', (reason) => die(reason instanceof Error ? (reason.stack ?? '') : String(reason)));
  let isStopping = false;
  const stop = (signal: string): void => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'shutting down');
    setTimeout(() => die('the shutdown took too long'), LAST_RESORT_MS).unref();
    service.stop().then(
      () => {
        log.info('stopped');
        process.exit(0);
      },
      (error: unknown) => die(String(error)),
    );
  };
  // Registered before the start: a signal during the recovery of the journal takes effect right after it.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const service = new Service({
    config,
    masterKey: process.env['SLUICE_MASTER_KEY'],
    log,
    logMemoryOf: memoryOf,
    onFatal: die,
    onStuck: killProcess,
  });
  running = service;
  const port = await service.start();
  log.info({ host: config.host, port }, 'listening');
  if (!config.createDemoKey) return;
  // The secret is never written to the log.
  service.createDemoKey((key) => {
    if (process.stdout.isTTY) printDemoKey(key);
    else log.info({ path: writeKeyFile(config.dataDir, key) }, 'the demo key is in this file');
  });
}

/** True for a full disk. A start needs a few megabytes if the reserve was used up before. */
function isDiskFull(error: unknown): boolean {
  return error instanceof Error && /ENOSPC|no space left/i.test(error.message);
}

function printDemoKey(key: CreatedKey): void {
  console.log(`demo key for account demo: SLUICE_API_KEY=${key.apiKey} SLUICE_API_SECRET=${key.apiSecret ?? ''}`);
}

function exitOnFailure(error: unknown): never {
  if (isDiskFull(error))
    console.error('sluice: the disk of the data directory is full: free some space, then start again');
  const isConfiguration = error instanceof MasterKeyError || error instanceof ClockRefusal;
  console.error(`sluice: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(isConfiguration ? MISCONFIGURED : FAILED);
}

// No top-level await: the build makes a CommonJS script of this module.
serve(configOrExit()).catch(exitOnFailure);
