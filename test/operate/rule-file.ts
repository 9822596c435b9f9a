import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../system/service-run.js';

export const RULE_FILE = join(ROOT, 'src/operate/prometheus/sluice.rules.yml');

/** Text of the rule file. */
export function ruleText(): string {
  return readFileSync(RULE_FILE, 'utf8');
}

/** Names of all alerts, in the order of the file. */
export function alertNames(): readonly string[] {
  return [...ruleText().matchAll(/^ *- alert: (\w+)$/gm)].map(([, name = '']) => name);
}

/** Longer than a restart of the service on a busy machine: a restart shows in samples before and after it. */
const WINDOW = '30s';

/** The same rules with windows of seconds, and alerts that fire at once. Thresholds and expressions are unchanged. */
export function rulesInSeconds(): string {
  return ruleText()
    .replaceAll(/\[\d+[sm]\]/g, `[${WINDOW}]`)
    .replaceAll(/^ *for: .*\n/gm, '');
}
