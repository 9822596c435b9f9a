/**
 * Signs requests with WebCrypto, in browsers and in Node. Plain JavaScript without imports, because a page loads this
 * file without a build.
 */

const ENCODER = new TextEncoder();
const PRIVATE_KEY = /-----BEGIN PRIVATE KEY-----([\s\S]+)-----END PRIVATE KEY-----/;
const HMAC = { name: 'HMAC', hash: 'SHA-256' };
const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };

export async function webSigner(apiSecret) {
  const key = await keyOf(apiSecret);
  return async (message) => {
    const signature = await crypto.subtle.sign(key.algorithm.name, key, ENCODER.encode(message));
    return btoa(String.fromCharCode(...new Uint8Array(signature)));
  };
}

export function signedMessage({ timestampMs, apiKey, recvWindowMs, payload }) {
  return `${timestampMs}${apiKey}${recvWindowMs}${payload}`;
}

export function requestText(parts) {
  const { method, path, query, timestampMs, apiKey, recvWindowMs, nonce, bodyDigest } = parts;
  return ['2', method, path, query, timestampMs, apiKey, recvWindowMs, nonce, bodyDigest].join('\n');
}

export async function requestHeaders(request, { sign, digestOf, newNonce }) {
  const { method, target, body, timestampMs, apiKey, recvWindowMs } = request;
  const at = target.indexOf('?');
  const [path, query] = at === -1 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
  const nonce = newNonce();
  const bodyDigest = await digestOf(body);
  const text = requestText({ method, path, query, timestampMs, apiKey, recvWindowMs, nonce, bodyDigest });
  return {
    'X-API-KEY': apiKey,
    'X-TIMESTAMP': String(timestampMs),
    'X-RECV-WINDOW': String(recvWindowMs),
    'X-SIGN-VERSION': '2',
    'X-NONCE': nonce,
    'X-SIGN': await sign(text),
  };
}

export function webRequestHeaders({ sign, ...request }) {
  return requestHeaders(request, { sign, digestOf: webDigest, newNonce: webNonce });
}

async function webDigest(body) {
  return hexOf(await crypto.subtle.digest('SHA-256', ENCODER.encode(body)));
}

function webNonce() {
  return hexOf(crypto.getRandomValues(new Uint8Array(16)));
}

function hexOf(bytes) {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function sortedQuery(query) {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : nameOf(one) > nameOf(other) ? 1 : 0))
    .join('&');
}

function keyOf(apiSecret) {
  const pem = PRIVATE_KEY.exec(apiSecret)?.[1];
  if (pem !== undefined) return importKey('pkcs8', bytesOf(pem.replaceAll(/\s/g, '')), RSA);
  return importKey('raw', bytesOf(standardOf(apiSecret.trim())), HMAC);
}

function importKey(format, bytes, algorithm) {
  return crypto.subtle.importKey(format, bytes, algorithm, false, ['sign']);
}

function nameOf(pair) {
  return pair.split('=')[0];
}

/** Converts URL-safe Base64 to the standard alphabet. A secret without `+`, `/` and a final `=` is URL-safe. */
function standardOf(secret) {
  const isStandard = secret.includes('+') || secret.includes('/') || secret.endsWith('=');
  return isStandard ? secret : secret.replaceAll('-', '+').replaceAll('_', '/');
}

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (character) => character.codePointAt(0));
}
