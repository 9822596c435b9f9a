import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../system/service-run.js';
import { newSite } from '../system/site.js';
import { ALERT_CASES } from './alert-cases.js';
import { mustRun, PROMTOOL } from './packages.js';
import { alertNames, RULE_FILE, ruleText } from './rule-file.js';

const RUNBOOK = 'src/docs/runbook.md';
const CONFIGURATION = 'src/operate/prometheus/prometheus.yml';

describe('the rule file', () => {
  it('names for each alert a severity, a summary and a section of the runbook', () => {
    const runbook = readFileSync(join(ROOT, RUNBOOK), 'utf8');
    const rules = ruleText()
      .split(/^ *- alert: /m)
      .slice(1);
    for (const rule of rules) {
      const name = /^\w+/.exec(rule)?.[0] ?? '';
      expect(rule).toMatch(/severity: (critical|warning)\b/);
      expect(rule).toMatch(/summary: \S/);
      expect(rule).toContain(`runbook: ${RUNBOOK}#${name.toLowerCase()}\n`);
      expect(runbook).toContain(`\n### ${name}\n`);
    }
    expect(rules).toHaveLength(alertNames().length);
  });

  it('has a case of the test with promtool for each alert', () => {
    expect(Object.keys(ALERT_CASES).toSorted()).toEqual(alertNames().toSorted());
  });
});

describe.runIf(mustRun('the test of the alert rules', PROMTOOL))('promtool', () => {
  it('accepts the rules and the example configuration', () => {
    const checks = [
      ['rules', RULE_FILE],
      ['config', join(ROOT, CONFIGURATION)],
    ] as const;
    for (const [kind, file] of checks) {
      const { status, stdout, stderr } = spawnSync(PROMTOOL, ['check', kind, file], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout).toContain(`${alertNames().length} rules found`);
    }
  });

  it('sees each alert silent before its time, and firing after it', () => {
    const file = join(newSite().folder, 'alerts.test.yml');
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(unitTests()));
    const { status, stdout, stderr } = spawnSync(PROMTOOL, ['test', 'rules', file], { encoding: 'utf8' });
    expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });
});

/** One test for each alert: the number of firing alerts of its name at two times. */
function unitTests(): object {
  const tests = Object.entries(ALERT_CASES).map(([name, { series, silentAt, firesAt }]) => ({
    interval: '15s',
    input_series: Object.entries(series).map(([metric, values]) => ({ series: metric, values })),
    promql_expr_test: [
      { eval_time: silentAt, exp_samples: [] },
      { eval_time: firesAt, exp_samples: [{ labels: '{}', value: 1 }] },
    ].map((test) => ({ ...test, expr: `count(ALERTS{alertname="${name}",alertstate="firing"})` })),
  }));
  return { rule_files: [RULE_FILE], evaluation_interval: '15s', tests };
}
