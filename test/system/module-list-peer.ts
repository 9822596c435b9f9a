/**
 * Loaded into every thread of a service before its own code (node --import), it writes the addresses of all modules
 * that the thread loads to a file of its own in $MODULE_LIST.
 */
import { appendFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { basename, join } from 'node:path';
import { isMainThread, threadId } from 'node:worker_threads';

const name = isMainThread ? 'main' : basename(process.argv[1] ?? '', '.js');
const file = join(process.env['MODULE_LIST'] ?? '', `${name}.${threadId}`);
const session = new Session();
session.connect();
session.on('Debugger.scriptParsed', ({ params: { url } }) => appendFileSync(file, `${url}\n`));
session.post('Debugger.enable');
