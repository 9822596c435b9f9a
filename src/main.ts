import { setFlagsFromString } from 'node:v8';
import { ConfigError, readConfig, type Config } from './runtime/config.js';
import { type CreatedKey, MasterKeyError, masterKeyText } from './runtime/identity.js';
import { HEAP_FLAGS, SHUTDOWN_MS_MAX } from './domain/limits/process.js';
import { ClockRefusal } from './runtime/service-time.js';
import { LiveStartRefusal } from './runtime/live-start.js';
import { startLog } from './runtime/log.js';
import { refusalOfNode } from './runtime/node-version.js';
import { Service } from './runtime/service.js';
import { releaseVersion } from './storage/release.js';
import { loggingThreads } from './runtime/thread-data.js';
import { entryOf } from './runtime/threads.js';

/**
 * Exit statuses: 0 after SIGTERM or SIGINT, 1 after a failure, 2 for an unusable configuration or an implausible wall
 * clock.
 */
const FAILED = 1;
const MISCONFIGURED = 2;
const LAST_RESORT_MS = SHUTDOWN_MS_MAX + 800;

function configOrExit(): Config {
  const refusal = refusalOfNode(process.versions.node);
  if (refusal !== null) {
    console.error(`sluice: ${refusal}`);
    process.exit(MISCONFIGURED);
  }
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(`sluice: ${error.message}`);
    process.exit(MISCONFIGURED);
  }
}

async function serve(config: Config): Promise<void> {
  // The code caches of the threads are made with these flags (cli/join-modules).
  for (const flag of HEAP_FLAGS) setFlagsFromString(flag);
  const { log, memoryOf } = startLog(
    config.logLevel,
    loggingThreads(config.shardCount, config.live.keys()),
    entryOf('log-writer'),
  );
  let running: Service | null = null;
  let isEnding = false;
  /** Ends the process by a failure, also where an orderly exit would wait for a thread without end. */
  const exit = (status: number): void => {
    if (isEnding) return;
    isEnding = true;
    if (running === null) process.exit(status);
    running.abandon((isOrderly) => {
      if (!isOrderly) killProcess('a thread does not end its transaction');
      process.exit(status);
    });
  };
  const die = (reason: string): void => {
    log.fatal({ reason }, 'the service stops: nothing more is acknowledged');
    exit(FAILED);
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
    if (isStopping || isEnding) return;
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
    masterKey: masterKeyText(process.env),
    log,
    logMemoryOf: memoryOf,
    onFatal: die,
    onStuck: killProcess,
  });
  running = service;
  let port: number;
  try {
    port = await service.start();
  } catch (error) {
    return exit(statusOf(error));
  }
  log.info({ version: releaseVersion(), host: config.host, port }, 'listening');
  // The secret is never written to the log.
  if (!config.createDemoKey || service.createDemoKey(process.stdout.isTTY ? printDemoKey : null)) return;
  const command = keyCommand(process.env['SLUICE_DATA_DIR']);
  if (process.stdout.isTTY) console.log(`${config.dataDir} has keys already. To make another one:\n  ${command}`);
  else log.info({ command }, 'the data directory has keys already; this command makes another one');
}

/** The command that makes a key in the data directory of this process. */
function keyCommand(dataDir: string | undefined): string {
  const setting = dataDir === undefined ? '' : `SLUICE_DATA_DIR=${dataDir} `;
  return `${setting}npx sluice keys create --account demo --permissions trade`;
}

/** True for a full disk. A start needs a few megabytes if the reserve was used up before. */
function isDiskFull(error: unknown): boolean {
  return error instanceof Error && /ENOSPC|no space left/i.test(error.message);
}

function printDemoKey(key: CreatedKey): void {
  console.log(`key of account demo, shown only now, for another terminal:
  export SLUICE_API_KEY=${key.apiKey} SLUICE_API_SECRET=${key.apiSecret ?? ''}`);
}

/** Prints why the service does not start. Returns the exit status. */
function statusOf(error: unknown): number {
  if (isDiskFull(error))
    console.error('sluice: the disk of the data directory is full: free some space, then start again');
  const isConfiguration =
    error instanceof MasterKeyError || error instanceof ClockRefusal || error instanceof LiveStartRefusal;
  console.error(`sluice: ${error instanceof Error ? error.message : String(error)}`);
  return isConfiguration ? MISCONFIGURED : FAILED;
}

// No top-level await: the build makes a CommonJS script of this module.
serve(configOrExit()).catch((error: unknown) => process.exit(statusOf(error)));
