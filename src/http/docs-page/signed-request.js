import { sortedQuery, webRequestHeaders, webSigner } from '../../client/web-signature.js';

const RECV_WINDOW_MS_DEFAULT = 5000;
const SIGNED_PATHS = '/api/';

/**
 * Signs the request that Swagger UI is about to send, when its path needs it and a key is given. Sorts the query and
 * converts the body to text, so that the signed bytes are the sent bytes.
 */
export async function signedRequest(request, { apiKey, secret, nowMs, origin }) {
  const url = new URL(request.url, origin);
  if (request.loadSpec || !url.pathname.startsWith(SIGNED_PATHS) || apiKey === '') return request;
  const query = sortedQuery(url.search.slice(1));
  const isPost = request.method.toUpperCase() === 'POST';
  const body = isPost ? textOf(request.body) : '';
  const recvWindowMs = request.headers['X-RECV-WINDOW'] ?? RECV_WINDOW_MS_DEFAULT;
  const target = url.pathname + (query === '' ? '' : `?${query}`);
  const method = isPost ? 'POST' : 'GET';
  const sign = await webSigner(secret);
  const headers = await webRequestHeaders({ method, target, body, timestampMs: nowMs, apiKey, recvWindowMs, sign });
  return {
    ...request,
    url: url.origin + target,
    ...(isPost ? { body } : {}),
    headers: { ...request.headers, ...headers },
  };
}

function textOf(body) {
  if (body === undefined) return '';
  return typeof body === 'string' ? body : JSON.stringify(body);
}
