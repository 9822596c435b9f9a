import { existsSync } from 'node:fs';

/*
 * Programs of Debian packages that service tests start. SLUICE_TEST_PROGRAMS=required, which the gate sets, turns a
 * missing program into a failure.
 */
export const CHROMIUM = '/usr/bin/chromium';
export const PROMETHEUS = '/usr/bin/prometheus';
export const PROMTOOL = '/usr/bin/promtool';
export const NGINX = '/usr/sbin/nginx';
export const SYSTEMD_ANALYZE = '/usr/bin/systemd-analyze';
export const SCRIPT = '/usr/bin/script';
export const PYTHON = '/usr/bin/python3';
export const CURL = '/usr/bin/curl';
export const OPENSSL = '/usr/bin/openssl';
export const UNSHARE = '/usr/bin/unshare';

const PACKAGES: Readonly<Record<string, string>> = {
  [CHROMIUM]: 'chromium',
  [PROMETHEUS]: 'prometheus',
  [PROMTOOL]: 'prometheus',
  [NGINX]: 'nginx',
  [SYSTEMD_ANALYZE]: 'systemd',
  [SCRIPT]: 'bsdutils',
  [PYTHON]: 'python3',
  [CURL]: 'curl',
  [OPENSSL]: 'openssl',
  [UNSHARE]: 'util-linux',
};

/**
 * True when the tests that need the program can run. Otherwise one line says what is skipped, and why. `works`: false
 * when the program is there, but may not do here what the tests need. Throws where programs are required.
 */
export function mustRun(what: string, program: string, works: () => boolean = () => true): boolean {
  const isThere = existsSync(program);
  if (isThere && works()) return true;
  const lack = isThere ? 'which does not work here' : `which is missing (Debian: ${PACKAGES[program] ?? program})`;
  const message = `${what} needs ${program}, ${lack}`;
  if (process.env['SLUICE_TEST_PROGRAMS'] === 'required') throw new Error(message);
  console.warn(`skipped: ${message}`);
  return false;
}
