import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { asyncApiDocument } from '../contract/asyncapi.js';
import type { SigningSamples } from '../contract/guide.js';
import { ASYNCAPI, DOCS, OPENAPI } from '../contract/open-operations.js';
import { openApiDocument } from '../contract/openapi.js';

/** A file that is served as it stands. */
export interface StaticFile {
  readonly path: string;
  /** Header lines, each with its line break before it; the type of the content is among them. */
  readonly headers: string;
  readonly bytes: Buffer;
}

const JSON_TYPE = 'application/json';
const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
} as const;
type Suffix = keyof typeof TYPES;

const require = createRequire(import.meta.url);

const PAGE_FILES = ['page.css', 'page.js', 'signed-request.js'] as const;
/** The client's own signing, which the page loads from beside its other files. */
const SIGNING_FOLDER = '../client/';
const SIGNING_FILE = 'web-signature.js';
const RENDERER_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'] as const;

/** The page loads nothing from elsewhere, sends to nobody else, and stands in no frame. The renderer styles inline. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The documents, and the page that shows them with all that it loads. Reads the disk: once, at the start. */
export function readDocsFiles(): readonly StaticFile[] {
  const rendererFolder = dirname(require.resolve('swagger-ui-dist/package.json'));
  return [
    documentFile(OPENAPI.path, openApiDocument(readSigningSamples())),
    documentFile(ASYNCAPI.path, asyncApiDocument()),
    file(DOCS.path, 'html', ownFile('docs-page/page.html'), `\r\nContent-Security-Policy: ${PAGE_POLICY}`),
    ...PAGE_FILES.map((name) => file(`${DOCS.path}/${name}`, suffixOf(name), pageFile(name))),
    file(`${DOCS.path}/${SIGNING_FILE}`, 'js', ownFile(SIGNING_FOLDER + SIGNING_FILE)),
    ...RENDERER_FILES.map((name) =>
      file(`${DOCS.path}/${name}`, suffixOf(name), readFileSync(join(rendererFolder, name))),
    ),
  ];
}

function readSigningSamples(): SigningSamples {
  return JSON.parse(ownFile('auth/signing-vectors.json').toString()) as SigningSamples;
}

/** A file that lies at this place from here; a build copies it. */
function ownFile(name: string): Buffer {
  return readFileSync(new URL(name, import.meta.url));
}

/** What it imports from the client lies elsewhere here, and beside it for a browser. */
function pageFile(name: string): Buffer {
  const text = ownFile(`docs-page/${name}`).toString();
  return Buffer.from(text.replace(`../${SIGNING_FOLDER}${SIGNING_FILE}`, `./${SIGNING_FILE}`));
}

function documentFile(path: string, document: object): StaticFile {
  return { path, headers: headersOf(JSON_TYPE), bytes: Buffer.from(JSON.stringify(document)) };
}

function file(path: string, suffix: Suffix, bytes: Buffer, extraHeaders = ''): StaticFile {
  return { path, headers: headersOf(TYPES[suffix]) + extraHeaders, bytes };
}

function headersOf(contentType: string): string {
  return `\r\nContent-Type: ${contentType}\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache`;
}

function suffixOf(name: string): Suffix {
  return name.slice(name.lastIndexOf('.') + 1) as Suffix;
}
