import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { isRejected } from '../../src/domain/rejection.js';
import type { VenueKeyDirectory, VenueKeyPlace } from '../../src/keys/port.js';
import { openIdentity } from '../../src/runtime/identity.js';

/*
 * Reads the keys of exchanges through the read port, as the worker of an exchange does. Runs as a process with the data
 * directory as its argument, or as a worker with it as its data. Reports each change with the SHA-256 of the secret.
 */
export interface ReportedKey {
  readonly place: VenueKeyPlace;
  /** null: the place has no key. */
  readonly digest: string | null;
  readonly atMs: number;
}

const REFRESH_MS = 50;

const dataDir = parentPort === null ? process.argv[2] : (workerData as string);
const keys: VenueKeyDirectory = openIdentity(dataDir ?? '', {
  masterKey: process.env['SLUICE_MASTER_KEY'],
}).venueKeyDirectory;

function report(message: ReportedKey | 'ready'): void {
  if (parentPort === null) process.stdout.write(`${JSON.stringify(message)}\n`);
  else parentPort.postMessage(message);
}

function digestOf(place: VenueKeyPlace): string | null {
  const found = keys.find(place);
  if (found === null) return null;
  if (isRejected(found)) return found.rejection.message;
  return createHash('sha256').update(found.secret.export()).digest('hex');
}

keys.onChange((place) => report({ place, digest: digestOf(place), atMs: Date.now() }));
setInterval(() => keys.refresh(), REFRESH_MS);
report('ready');
