/** Logs many lines at once, makes a file, waits until its log is read, then logs a fatal line and kills itself. */
import { writeFileSync } from 'node:fs';
import { startLog } from '../../src/runtime/log.js';
import { entryOf } from '../../src/runtime/threads.js';

const LINES_COUNT = 20_000;

const { log } = startLog('info', [], entryOf('log-writer'));
for (let n = 0; n < LINES_COUNT; n += 1) log.info({ n }, 'chatter');
writeFileSync(process.argv[2] ?? '', '');
// The bound of a fatal line's wait is shorter than the test may take to begin reading.
await new Promise((resolve) => setTimeout(resolve, 5_000));
log.fatal('the last line');
process.kill(process.pid, 'SIGKILL');
