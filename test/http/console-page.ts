import type { StaticFile } from '../../src/http/docs-files.js';

/** Stands for the operator page, which only a build has whole. */
export const CONSOLE_FILES: readonly StaticFile[] = [
  { path: '/console', headers: '\r\nContent-Type: text/html; charset=utf-8', bytes: Buffer.from('<!doctype html>') },
];
