#!/usr/bin/env node
/** The `sluice` command: builds when needed, then hands over to the compiled command line. */
import { buildIfNeeded } from './build.js';

const status = buildIfNeeded();
if (status === 0) await import('../../dist/service/src/cli.js');
else process.exitCode = status;
