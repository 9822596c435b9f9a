import { controlEndpoints, type ControlEndpointParts } from './control-endpoints.js';
import { fileEndpoints } from './file-endpoints.js';
import type { StaticFile } from './docs-files.js';
import { costEndpoints, type CostEndpointParts } from './cost-endpoints.js';
import type { OpenEndpoint, SignedEndpoint } from './endpoint.js';
import { guardrailEndpoints, type GuardrailEndpointParts } from './guardrail-endpoints.js';
import { fundingEndpoints, type FundingEndpointParts } from './funding-endpoints.js';
import { metricsEndpoint, type MetricsParts } from './metrics-endpoint.js';
import { marketDataEndpoints, type MarketDataParts } from './market-data-endpoints.js';
import { orderEndpoints, type OrderEndpointParts } from './order-endpoints.js';
import { previewEndpoint, type PreviewEndpointParts } from './preview-endpoint.js';
import { queryEndpoints, type QueryEndpointParts } from './query-endpoints.js';
import { timelineEndpoint, type TimelineEndpointParts } from './timeline-endpoint.js';
import { statusEndpoints, type StatusParts } from './status-endpoints.js';

export type EndpointParts = OrderEndpointParts &
  ControlEndpointParts &
  PreviewEndpointParts &
  QueryEndpointParts &
  TimelineEndpointParts &
  CostEndpointParts &
  MarketDataParts &
  FundingEndpointParts &
  GuardrailEndpointParts &
  StatusParts &
  MetricsParts & {
    /** The operator page and what it loads. */
    readonly consoleFiles: readonly StaticFile[];
    /** The documents of the interface and their viewer. */
    readonly docsFiles: readonly StaticFile[];
  };

/** The whole routing table, except for the WebSocket. */
export interface Endpoints {
  readonly signed: readonly SignedEndpoint[];
  readonly open: readonly OpenEndpoint[];
}

export function endpointsOf(parts: EndpointParts): Endpoints {
  return {
    signed: [
      ...orderEndpoints(parts),
      ...controlEndpoints(parts),
      previewEndpoint(parts),
      ...queryEndpoints(parts),
      timelineEndpoint(parts),
      ...costEndpoints(parts),
      ...marketDataEndpoints(parts),
      ...fundingEndpoints(parts),
      ...guardrailEndpoints(parts),
    ],
    open: [
      ...statusEndpoints(parts),
      metricsEndpoint(parts),
      ...fileEndpoints(parts.docsFiles),
      ...fileEndpoints(parts.consoleFiles),
    ],
  };
}
