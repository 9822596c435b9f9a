import { readDocsFiles } from '../../src/http/static-files.js';
import { endpointsOf, type EndpointParts } from '../../src/http/server.js';
import { CONSOLE_FILES } from './console-page.js';
import { CATALOGUE, NOW_MS } from './orders.js';

/** The routing table, for comparison only: its handlers cannot be called. */
export function endpointTable(): ReturnType<typeof endpointsOf> {
  const parts = {
    catalogue: CATALOGUE,
    listedAtMs: NOW_MS,
    isVenueUp: () => true,
    metricsToken: null,
    consoleFiles: CONSOLE_FILES,
    docsFiles: readDocsFiles(),
    intake: {},
  };
  return endpointsOf(parts as unknown as EndpointParts);
}
