import { vi } from 'vitest';
import { WebSocket } from 'ws';
import type { SignedRequestsParts } from '../../src/client/signed-requests.js';
import { webRequestHeaders, webSigner } from '../../src/client/web-signature.js';

/** The WebSocket of a browser: an error without a listener throws nothing. */
class PageSocket extends WebSocket {
  constructor(url: URL) {
    super(url);
    this.on('error', () => undefined);
  }
}

/** Node 20 has no WebSocket of its own. */
export function useWebSocketOfPages(): void {
  vi.stubGlobal('WebSocket', PageSocket);
}

/** Signs requests as a page does. */
export async function webSigning(apiKey: string, apiSecret: string): Promise<SignedRequestsParts['sign']> {
  const sign = await webSigner(apiSecret);
  return (request) => webRequestHeaders({ ...request, timestampMs: Date.now(), apiKey, recvWindowMs: 5_000, sign });
}
