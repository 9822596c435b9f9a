import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { rolldown } from 'rolldown';

const TESTS = new URL('../', import.meta.url);
/** A package, not a file of this repository. Threads load packages themselves, so native ones work too. */
const PACKAGE = /^[^./]/;

const scripts = new Map<string, Promise<string>>();

/** Starts a peer of these tests in its own thread. The thread runs the TypeScript source, so no build is needed. */
export async function startPeer(name: `${string}-peer`, workerData: unknown): Promise<Worker> {
  let script = scripts.get(name);
  if (script === undefined) scripts.set(name, (script = scriptOf(name)));
  return new Worker(await script, { eval: true, workerData });
}

/** Resolves with the peer's one message. Rejects with the peer's error. */
export async function answerOf(peer: Worker): Promise<unknown> {
  const [answer] = (await once(peer, 'message')) as [unknown];
  return answer;
}

/** Joins the peer and its modules to one script. */
async function scriptOf(name: string): Promise<string> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL(`${name}.ts`, TESTS)),
    external: PACKAGE,
    platform: 'node',
  });
  const { output } = await bundle.generate({ format: 'cjs', codeSplitting: false });
  await bundle.close();
  // A script without a file would look for packages in the working directory.
  const origin = JSON.stringify(import.meta.url);
  return `require = require('node:module').createRequire(${origin});\n${output[0].code}`;
}
