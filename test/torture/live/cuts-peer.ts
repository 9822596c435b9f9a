import { runCuts } from './cuts.js';

/** A process that cuts sockets. Its options are the first argument; its report is a message to the parent. */
const options = JSON.parse(process.argv[2] ?? '{}') as Parameters<typeof runCuts>[0];
const report = await runCuts({ ...options, log: (text) => console.log(text) });
process.send?.(report);
process.disconnect();
