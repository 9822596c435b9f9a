import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { asyncApiDocument } from '../api/document/asyncapi.js';
import type { SigningSamples } from '../api/document/guide.js';
import { ASYNCAPI, CONSOLE, DOCS, OPENAPI } from '../api/document/service.js';
import { openApiDocument } from '../api/document/openapi.js';
import { errorPage } from './reference/error-page.js';
import { webSocketPage } from './reference/websocket-page.js';

/** A file that is served unchanged. */
export interface StaticFile {
  readonly path: string;
  /** Header lines, each preceded by a line break, including the content type. */
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

const PAGE_FILES = ['page.css', 'page.js', 'signed-request.js', 'reference.css', 'reference.js'] as const;
/** The client's signing module, which the page loads from its own folder. */
const SIGNING_FOLDER = '../client/';
const SIGNING_FILE = 'web-signature.js';
const RENDERER_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'] as const;

/**
 * The page loads only its own files, connects only to this service, and cannot be framed. The renderer uses inline
 * styles.
 */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A page runs only its own script and style, connects only to its own service, and cannot be framed. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** Made once in a process: the documents are the same for each server. */
let docsFiles: readonly StaticFile[] | null = null;

/** The documents and the pages that show them, with all their files. Reads the disk at the first call. */
export function readDocsFiles(): readonly StaticFile[] {
  docsFiles ??= makeDocsFiles();
  return docsFiles;
}

function makeDocsFiles(): readonly StaticFile[] {
  const rendererFolder = dirname(require.resolve('swagger-ui-dist/package.json'));
  const asyncApi = asyncApiDocument();
  return [
    documentFile(OPENAPI.path, openApiDocument(readSigningSamples())),
    documentFile(ASYNCAPI.path, asyncApi),
    referenceFile('websocket', webSocketPage(asyncApi)),
    referenceFile('errors', errorPage()),
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

/** Reads a file at a path relative to this module. A build copies it. */
function ownFile(name: string): Buffer {
  return readFileSync(new URL(name, import.meta.url));
}

/** Rewrites the import of the client's module: a browser finds it in the folder of the page. */
function pageFile(name: string): Buffer {
  const text = ownFile(`docs-page/${name}`).toString();
  return Buffer.from(text.replace(`../${SIGNING_FOLDER}${SIGNING_FILE}`, `./${SIGNING_FILE}`));
}

function referenceFile(name: string, html: string): StaticFile {
  return file(`${DOCS.path}/${name}`, 'html', Buffer.from(html), `\r\nContent-Security-Policy: ${POLICY}`);
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

const PAGE_HEADERS =
  `\r\nContent-Security-Policy: ${POLICY}` +
  '\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Opener-Policy: same-origin\r\nCache-Control: no-store';
const ASSET_HEADERS = '\r\nCache-Control: no-cache';

const PAGE = 'page.html';
/** Files of the page. The build joins its modules, with Preact and uPlot, to page.js. */
const ASSETS = {
  'page.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'chart.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

/** The operator page with all its files. Reads the disk once, at the start; throws when a file is missing. */
export function readConsoleFiles(): readonly StaticFile[] {
  return [
    fileAt(CONSOLE.path, 'text/html; charset=utf-8', read(PAGE), PAGE_HEADERS),
    ...Object.entries(ASSETS).map(([name, type]) => fileAt(`${CONSOLE.path}/${name}`, type, read(name))),
  ];
}

function read(name: string): Buffer {
  return readFileSync(new URL(`../console/${name}`, import.meta.url));
}

function fileAt(path: string, contentType: string, bytes: Buffer, headers = ASSET_HEADERS): StaticFile {
  return { path, headers: `\r\nContent-Type: ${contentType}\r\nX-Content-Type-Options: nosniff${headers}`, bytes };
}
