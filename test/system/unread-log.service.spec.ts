import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from './eventually.js';
import { ownPort } from './own-port.js';
import { restingOrder } from './sample-orders.js';
import { ROOT } from './service-run.js';
import { newSite } from './site.js';

const PEER = join(ROOT, 'dist/test/system/chatty-peer.js');
const PIPE_BYTES = 65_536;

/** Runs a command with a full pipe as its standard output. The pipe is read into `log` once the file `go` exists. */
function unread(command: string, go: string, log: string): readonly ['bash', string, string] {
  const fill = `head -c ${PIPE_BYTES} /dev/zero | tr '\\0' '\\n'`;
  const reader = `while [ ! -e '${go}' ]; do sleep 0.05; done; cat > '${log}'`;
  return ['bash', '-c', `{ ${fill}; exec ${command}; } | { ${reader}; }`];
}

function linesOf(log: string): readonly Readonly<Record<string, unknown>>[] {
  if (!existsSync(log)) return [];
  const texts = readFileSync(log, 'utf8').split('\n').slice(0, -1);
  return texts.filter((text) => text !== '').map((text) => JSON.parse(text) as Record<string, unknown>);
}

it('places orders while no process reads the log, and writes the log when reading starts', async () => {
  const site = newSite();
  const key = await site.issueKey();
  const port = await ownPort();
  const [go, log] = [join(site.folder, 'go'), join(site.folder, 'log')];
  const service = `'${process.execPath}' '${join(ROOT, 'dist/service/src/main.js')}'`;
  site.start({ env: { SLUICE_PORT: String(port), SLUICE_SHARDS: '1' }, command: unread(service, go, log) });
  const isReady = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/status/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
  await eventually(isReady, (ready) => ready);
  const client = site.client(port, key);
  for (let count = 0; count < 20; count += 1) {
    expect(await client.create(restingOrder(`unread-${count}`))).toMatchObject({ status: 'PENDING_NEW' });
  }
  expect(existsSync(log)).toBe(false);
  writeFileSync(go, '');
  const lines = await eventually(
    () => linesOf(log),
    (read) => read.some(({ msg }) => msg === 'listening'),
  );
  expect(lines.filter(({ msg }) => msg === 'thread ready').length).toBeGreaterThan(2);
});

it('drops and counts lines of a log that is not read, and continues', async () => {
  const site = newSite();
  const [go, log, done] = ['go', 'log', 'done'].map((name) => join(site.folder, name)) as [string, string, string];
  const [program, ...args] = unread(`'${process.execPath}' '${PEER}' '${done}'`, go, log);
  const child = spawn(program, args, { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.once('close', resolve));
  // The peer has logged all lines, although its output was not read.
  await eventually(
    () => existsSync(done),
    (isDone) => isDone,
  );
  writeFileSync(go, '');
  await ended;
  const lines = linesOf(log);
  const notices = lines.filter(({ msg }) => String(msg).startsWith('log lines were dropped'));
  const chatter = lines.filter(({ msg }) => msg === 'chatter');
  const dropped = notices.reduce((sum, { lines: count }) => sum + Number(count), 0);
  expect(notices.length).toBeGreaterThan(0);
  expect(chatter.length + dropped).toBe(20_000);
  // The peer kills itself with SIGKILL right after this line.
  expect(lines.at(-1)).toMatchObject({ level: 60, msg: 'the last line' });
});
