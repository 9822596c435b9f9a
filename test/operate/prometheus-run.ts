import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../system/eventually.js';
import { PROMETHEUS } from './packages.js';

/** One scraped address. */
export interface Target {
  readonly port: number;
  /** Default: /metrics. */
  readonly path?: string;
  /** Name of the target in its samples and alerts. */
  readonly instance: string;
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [atS: number, value: string];
}

export interface FiringAlert {
  readonly name: string;
  readonly instance: string;
  readonly summary: string;
}

interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly state: string;
}

const SCRAPE_INTERVAL = '250ms';

/** A real Prometheus on loopback. Its folder must be the test's own. */
export class PrometheusRun {
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;
  #output = '';
  #origin = '';

  /** `rules`: text of a rule file; '' for none. */
  constructor(folder: string, targets: readonly Target[], rules = '') {
    mkdirSync(folder);
    writeFileSync(join(folder, 'sluice.rules.yml'), rules === '' ? 'groups: []' : rules);
    // JSON is YAML.
    writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(configuration(targets)));
    const flags = {
      'config.file': join(folder, 'prometheus.yml'),
      'storage.tsdb.path': join(folder, 'data'),
      'web.listen-address': '127.0.0.1:0',
    };
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    this.#process = spawn(PROMETHEUS, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#process.stderr?.on('data', (chunk: Buffer) => (this.#output += chunk.toString()));
    // A program that does not start has no exit: `ready` reports it.
    this.#ended = once(this.#process, 'exit').catch((error: unknown) => (this.#output += String(error)));
  }

  /** Resolves when it answers queries. */
  async ready(): Promise<void> {
    const port = await eventually(
      () => {
        if (this.#process.exitCode !== null) throw new Error(`prometheus has ended: ${this.#output}`);
        return /Listening on.* address=127\.0\.0\.1:(\d+)/.exec(this.#output)?.[1] ?? '0';
      },
      (found) => Number(found) > 0,
    );
    this.#origin = `http://127.0.0.1:${port}`;
    await eventually(
      async () => (await fetch(`${this.#origin}/-/ready`)).status,
      (status) => status === 200,
    );
  }

  /** Samples of an expression now. Rejects for an expression that Prometheus refuses. */
  async query(expression: string): Promise<readonly Sample[]> {
    const { result } = await this.#ask<{ result: readonly Sample[] }>(`query?query=${encodeURIComponent(expression)}`);
    return result;
  }

  async firing(): Promise<readonly FiringAlert[]> {
    const { alerts } = await this.#ask<{ alerts: readonly Alert[] }>('alerts');
    return alerts
      .filter(({ state }) => state === 'firing')
      .map(({ labels, annotations }) => ({
        name: labels['alertname'] ?? '',
        instance: labels['instance'] ?? '',
        summary: annotations['summary'] ?? '',
      }));
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
  }

  async #ask<Data>(path: string): Promise<Data> {
    const answer = await fetch(`${this.#origin}/api/v1/${path}`);
    const { data, error } = (await answer.json()) as { data: Data; error?: string };
    if (error !== undefined) throw new Error(`${path}: ${error}`);
    return data;
  }
}

function configuration(targets: readonly Target[]): object {
  const interval = { scrape_interval: SCRAPE_INTERVAL, scrape_timeout: SCRAPE_INTERVAL };
  return {
    global: { ...interval, evaluation_interval: SCRAPE_INTERVAL },
    rule_files: ['sluice.rules.yml'],
    scrape_configs: [
      {
        job_name: 'sluice',
        static_configs: targets.map(({ port, path = '/metrics', instance }) => ({
          targets: [`127.0.0.1:${port}`],
          labels: { __metrics_path__: path, instance },
        })),
      },
    ],
  };
}
