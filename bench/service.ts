import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchKey } from './orders.js';

const ROOT = join(import.meta.dirname, '../..');
const SERVICE = 'dist/service/src/main.js';
/** The service without joined modules: a preloaded module can change its classes. */
export const SEPARATE_MODULES = 'dist/src/main.js';
const READY_WAIT_MS = 120_000;
const POLL_MS = 5;

/** A service started for one run, with its own data directory, which `stop` removes. */
export interface RunningService {
  readonly port: number;
  readonly key: BenchKey;
  readonly pid: number;
  readonly dataDir: string;
  /** Time from the start of the process until /status/ready answers 200. */
  readonly readyMs: number;
  stop(): Promise<void>;
  /** Ends the process and keeps its data. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

interface ServiceOptions {
  readonly entry?: string;
  /** The data of an earlier run. */
  readonly earlier?: Pick<RunningService, 'dataDir' | 'key'>;
}

export interface RunningPeer {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

export async function startService(
  env: Readonly<Record<string, string>> = {},
  { entry = SERVICE, earlier }: ServiceOptions = {},
): Promise<RunningService> {
  const dataDir = earlier?.dataDir ?? mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const startMs = performance.now();
  const child = spawn(process.execPath, [join(ROOT, entry)], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      SLUICE_DATA_DIR: dataDir,
      SLUICE_PORT: '0',
      SLUICE_LOG_LEVEL: 'info',
      SLUICE_RATE_LIMIT_ORDERS: '0',
      SLUICE_ACCOUNT_OPEN_ORDERS: '0',
      SLUICE_RATE_LIMIT_READS: '0',
      SLUICE_VENUE_RATES: 'off',
      SLUICE_CREATE_DEMO_KEY: 'false',
      ...env,
    },
  });
  const listening = await firstLine(child, (line) => (line['msg'] === 'listening' ? line : null));
  const port = Number(listening['port']);
  await untilReady(port);
  const readyMs = performance.now() - startMs;
  const key = earlier?.key ?? (await createKey(dataDir, 'bench'));
  return {
    port,
    key,
    pid: child.pid ?? 0,
    dataDir,
    readyMs,
    end: (signal) => end(child, signal),
    stop: async () => {
      await end(child);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts a compiled script that prints `{"port":n}` as its first line. */
export async function startPeer(script: string, args: readonly string[]): Promise<RunningPeer> {
  const child = spawn(process.execPath, [join(ROOT, 'dist', script), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await firstLine(child, (value) => value);
  return { port: Number(line['port']), pid: child.pid ?? 0, stop: () => end(child) };
}

type Line = Readonly<Record<string, unknown>>;

function firstLine(child: ChildProcess, pick: (line: Line) => Line | null): Promise<Line> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.once('exit', (code) => reject(new Error(`a server ended with status ${code} before it printed its port`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const picked = line.startsWith('{') ? pick(JSON.parse(line) as Line) : null;
        if (picked !== null) resolve(picked);
      }
    });
  });
}

/** Creates an API key with permission to trade. */
export function createKey(dataDir: string, account: string): Promise<BenchKey> {
  return new Promise((resolve, reject) => {
    const args = [
      'dist/service/src/cli/main.js',
      'keys',
      'create',
      '--account',
      account,
      '--permissions',
      'trade',
      '--json',
    ];
    const child = spawn(process.execPath, args, { cwd: ROOT, env: { ...process.env, SLUICE_DATA_DIR: dataDir } });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.once('exit', (code) => {
      if (code !== 0) return reject(new Error(`keys create ended with status ${code}`));
      const { api_key: apiKey, api_secret: apiSecret } = JSON.parse(text) as { api_key: string; api_secret: string };
      return resolve({ apiKey, apiSecret });
    });
  });
}

async function untilReady(port: number): Promise<void> {
  const endMs = Date.now() + READY_WAIT_MS;
  while (Date.now() < endMs) {
    const response = await fetch(`http://127.0.0.1:${port}/status/ready`).catch(() => null);
    if (response?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`the service was not ready within ${READY_WAIT_MS} ms`);
}

function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}
