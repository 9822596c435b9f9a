import type { StaticFile } from '../../src/http/static-files.js';

/** A placeholder for the operator page, whose script only a build makes. */
export const CONSOLE_FILES: readonly StaticFile[] = [
  { path: '/console', headers: '\r\nContent-Type: text/html; charset=utf-8', bytes: Buffer.from('<!doctype html>') },
];
