/* global SwaggerUIBundle */
import { signedRequest } from './signed-request.js';

const apiKey = document.querySelector('#api-key');
const secret = document.querySelector('#api-secret');
const note = document.querySelector('#note');

function say(text) {
  note.textContent = text;
}

/** Browsers sign only on pages from a secure origin. */
function noteOf() {
  if (globalThis.crypto?.subtle === undefined) return 'This browser signs only over https or on this machine.';
  return 'Key and secret stay in the memory of this page and are gone when it is closed.';
}

async function sign(request) {
  const credentials = { apiKey: apiKey.value.trim(), secret: secret.value, nowMs: Date.now(), origin: location.href };
  try {
    const signed = await signedRequest(request, credentials);
    say(noteOf());
    return signed;
  } catch (error) {
    say(`The request could not be signed: ${error.message}. Is the secret complete?`);
    throw error;
  }
}

say(noteOf());
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  requestInterceptor: sign,
});
