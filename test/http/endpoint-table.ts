import { readDocsFiles } from '../../src/http/docs-files.js';
import { endpointsOf, type EndpointParts } from '../../src/http/endpoints.js';
import { CONSOLE_FILES } from './console-page.js';
import { CATALOGUE, NOW_MS } from './orders.js';

/** The routing table, to look at: it is built of as little as possible, and nothing of it can be called. */
export function endpointTable(): ReturnType<typeof endpointsOf> {
  const parts = {
    catalogue: CATALOGUE,
    listedAtMs: NOW_MS,
    isVenueUp: () => true,
    metricsToken: null,
    consoleFiles: CONSOLE_FILES,
    docsFiles: readDocsFiles(),
  };
  return endpointsOf(parts as unknown as EndpointParts);
}
