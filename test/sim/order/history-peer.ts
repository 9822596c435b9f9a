import { LmdbVenueStore } from '../../../src/sim/store/lmdb-store.js';
import { removeForgotten } from './stored-history.js';

/** Removes the forgotten orders of a store and kills itself after a number of commits. */
const [, , folder = '', nowMs, commits] = process.argv;
removeForgotten(new LmdbVenueStore(folder), Number(nowMs), Number(commits));
process.kill(process.pid, 'SIGKILL');
