/* global SwaggerUIBundle */
import { signedRequest } from './signed-request.js';

const apiKey = document.querySelector('#api-key');
const secret = document.querySelector('#api-secret');
const note = document.querySelector('#note');
const signing = document.querySelector('#signing');

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
    signing.open = true;
    say(`The request could not be signed: ${error.message}. Is the secret complete?`);
    throw error;
  }
}

/** Operations with all words of the search in their method, path, summary or id. */
function operationsWith(groups, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isFound = (operation) => {
    const about = ['summary', 'operationId'].map((name) => operation.getIn(['operation', name]));
    const line = [operation.get('method'), operation.get('path'), ...about].join(' ').toLowerCase();
    return words.every((word) => line.includes(word));
  };
  return groups
    .map((group) => group.update('operations', (operations) => operations.filter(isFound)))
    .filter((group) => group.get('operations').size > 0);
}

/** Folds the guide, so that the page begins with the operations, and leaves the renderer's own search out. */
function page({ React }) {
  const guide = (Description) => (props) =>
    React.createElement(
      'details',
      { id: 'guide' },
      React.createElement('summary', null, 'Guide: signing, values, errors, limits, versions'),
      React.createElement(Description, props),
    );
  return {
    fn: { opsFilter: operationsWith },
    wrapComponents: {
      InfoContainer: (Info) => guide(Info),
      FilterContainer: () => () => null,
    },
  };
}

/** Shows the release of the service. The page works without it. */
async function showRelease() {
  const health = await (await fetch('status/health')).json();
  document.querySelector('#release').textContent = health.version;
}

say(noteOf());
showRelease().catch(() => undefined);
// A narrow screen begins with the operations.
signing.open = matchMedia('(width >= 60rem)').matches;
const ui = SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  requestInterceptor: sign,
  plugins: [page],
});
document.querySelector('#search-form').addEventListener('submit', (event) => event.preventDefault());
document.querySelector('#search').addEventListener('input', ({ target }) => {
  ui.layoutActions.updateFilter(target.value.trim());
});
