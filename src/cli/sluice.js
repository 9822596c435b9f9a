#!/usr/bin/env node
/** The `sluice` command: builds if needed and starts the compiled command line. */
import { buildIfNeeded } from './build.js';

const status = buildIfNeeded();
if (status === 0) await import('../../dist/service/src/cli/main.js');
else process.exitCode = status;
