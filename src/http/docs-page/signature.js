/**
 * Signs a request as the reference says, with the browser's own cryptography. Plain JavaScript: the page loads it as it
 * stands.
 */

const ENCODER = new TextEncoder();
const PRIVATE_KEY = /-----BEGIN PRIVATE KEY-----([\s\S]+)-----END PRIVATE KEY-----/;
const HMAC = { name: 'HMAC', hash: 'SHA-256' };
const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };

/**
 * X-SIGN: standard Base64 of HMAC-SHA256, or of RSA-SHA256 when the secret is a private key in PKCS#8 PEM.
 * Rejects when the secret is neither.
 */
export async function signatureOf(secret, message) {
  const pem = PRIVATE_KEY.exec(secret)?.[1];
  const key =
    pem === undefined
      ? await crypto.subtle.importKey('raw', bytesOf(standardOf(secret.trim())), HMAC, false, ['sign'])
      : await crypto.subtle.importKey('pkcs8', bytesOf(pem.replaceAll(/\s/g, '')), RSA, false, ['sign']);
  const signature = await crypto.subtle.sign(key.algorithm.name, key, ENCODER.encode(message));
  return btoa(String.fromCharCode(...new Uint8Array(signature)));
}

/** The text between `?` and `#`, its keys in alphabetical order. */
export function sortedQuery(query) {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : nameOf(one) > nameOf(other) ? 1 : 0))
    .join('&');
}

function nameOf(pair) {
  return pair.split('=')[0];
}

/** A secret without `+`, `/` and a closing `=` is in the URL-safe alphabet. */
function standardOf(secret) {
  const isStandard = secret.includes('+') || secret.includes('/') || secret.endsWith('=');
  return isStandard ? secret : secret.replaceAll('-', '+').replaceAll('_', '/');
}

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (character) => character.codePointAt(0));
}
