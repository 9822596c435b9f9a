import { existsSync } from 'node:fs';

/*
 * Programs of Debian packages that the tests of src/operate start. SLUICE_TEST_OPERATE=required, which CI sets, turns a
 * missing program into a failure.
 */
export const PROMETHEUS = '/usr/bin/prometheus';
export const PROMTOOL = '/usr/bin/promtool';
export const NGINX = '/usr/sbin/nginx';
export const SYSTEMD_ANALYZE = '/usr/bin/systemd-analyze';

const PACKAGES: Readonly<Record<string, string>> = {
  [PROMETHEUS]: 'prometheus',
  [PROMTOOL]: 'prometheus',
  [NGINX]: 'nginx',
  [SYSTEMD_ANALYZE]: 'systemd',
};

/** True when the tests that need the program must run. Otherwise one line says what is skipped, and why. */
export function mustRun(what: string, program: string): boolean {
  if (existsSync(program) || process.env['SLUICE_TEST_OPERATE'] === 'required') return true;
  console.warn(`skipped: ${what} needs ${program} (Debian: ${PACKAGES[program] ?? program})`);
  return false;
}
