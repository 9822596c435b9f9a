import { setFlagsFromString } from 'node:v8';
import { pino } from 'pino';
import { ConfigError, readConfig, type Config } from './config.js';
import { writeKeyFile } from './demo-key.js';
import { type CreatedKey, MasterKeyError } from './journal/identity/index.js';
import { HEAP_GROWTH_PERCENT_MAX, SHUTDOWN_MS_MAX } from './model/limits.js';
import { ClockRefusal } from './service-clock.js';
import { Service } from './service.js';

/** Exit statuses: 0 after SIGTERM or SIGINT, 1 after a failure, 2 when the configuration or the wall clock cannot be used. */
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
  // For all threads, before they start: V8 on its own lets a heap quadruple before it collects what is dead in it.
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT_MAX}`);
  // Every line is out when the call returns: pino's own destination hands it to another thread, which dies with the process.
  const log = pino({ level: config.logLevel, base: null }, pino.destination({ sync: true }));
  const die = (reason: string): never => {
    log.fatal({ reason }, 'the service stops: nothing more is acknowledged');
    process.exit(FAILED);
  };
  const dieAtOnce = (reason: string): void => {
    log.fatal({ reason }, 'the service kills itself: a thread is lost, and an orderly exit would wait for it for ever');
    process.kill(process.pid, 'SIGKILL');
  };
  // A bug of ours: half a turn of the event loop is no state to go on from. The journal is whole in any case.
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
  // First of all: a signal that comes while the journal is recovered is heard as soon as that is done.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const service = new Service({
    config,
    masterKey: process.env['SLUICE_MASTER_KEY'],
    log,
    onFatal: die,
    onStuck: dieAtOnce,
  });
  const port = await service.start();
  log.info({ host: config.host, port }, 'listening');
  if (!config.createDemoKey) return;
  // The secret is never written to the log.
  service.createDemoKey((key) => {
    if (process.stdout.isTTY) printDemoKey(key);
    else log.info({ path: writeKeyFile(config.dataDir, key) }, 'the demo key is in this file');
  });
}

/** A start needs a few megabytes where the reserve was used up before. */
function isDiskFull(error: unknown): boolean {
  return error instanceof Error && /ENOSPC|no space left/i.test(error.message);
}

function printDemoKey(key: CreatedKey): void {
  console.log(`demo key for account demo: SLUICE_API_KEY=${key.apiKey} SLUICE_API_SECRET=${key.apiSecret ?? ''}`);
}

try {
  await serve(configOrExit());
} catch (error) {
  if (isDiskFull(error))
    console.error('sluice: the disk of the data directory is full: free some space, then start again');
  const isConfiguration = error instanceof MasterKeyError || error instanceof ClockRefusal;
  console.error(`sluice: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(isConfiguration ? MISCONFIGURED : FAILED);
}
