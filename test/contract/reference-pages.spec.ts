import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import {
  asyncApiDocument,
  CLIENT_MESSAGES,
  SERVER_MESSAGES,
  SESSION_ANSWERS,
} from '../../src/api/document/asyncapi.js';
import { ERROR_CATALOGUE } from '../../src/api/document/error-catalogue.js';
import { ACCOUNT_TOPICS } from '../../src/domain/event.js';
import { REASONS } from '../../src/domain/reason.js';
import { REJECTION_CODES, REJECTION_REASONS } from '../../src/domain/rejection.js';
import { type Answer, RunningServer } from '../http/running-server.js';

const PAGES = ['/docs/websocket', '/docs/errors'] as const;
const TOPICS = [...ACCOUNT_TOPICS, 'ticker', 'ohlcv', 'open_interest'];

const server = new RunningServer();
const pages = new Map<string, Answer>();
beforeAll(async () => {
  await server.start();
  for (const path of [...PAGES, '/docs']) pages.set(path, await server.send('GET', path, '', {}));
});
afterAll(() => server.server.close());

const htmlOf = (path: string): string => pages.get(path)?.text ?? '';
const idsOf = (html: string): readonly string[] => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);

/** The text of an entry as a reader sees it. */
function entryOf(path: string, id: string): string {
  const article = new RegExp(`<article aria-labelledby="${id}">([^]*?)</article>`).exec(htmlOf(path))?.[1];
  return plain(article ?? '');
}

function plain(html: string): string {
  const text = html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&').trim();
}

interface DescribedSockets {
  readonly info: { readonly description: string };
  readonly channels: { readonly trade: { readonly description: string } };
}

/** Without the marks of Markdown and blanks. */
function letters(text: string): string {
  return text.replaceAll(/[\s`*]/g, '');
}

/** True when the WebSocket reference has a text of the document, whatever its marks and blanks. */
function isShown(markdown: string): boolean {
  return letters(plain(htmlOf('/docs/websocket'))).includes(letters(markdown));
}

describe.each(PAGES)('the reference page %s', (path) => {
  it('is served without a key, and lets no other origin in', () => {
    const { status, headers } = pages.get(path)!;
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(htmlOf(path)).not.toMatch(/https?:\/\/|<script>|style="| on\w+="/);
  });

  it('has an anchor for each entry, once, and no link without a target', async () => {
    const html = htmlOf(path);
    const ids = idsOf(html);
    expect(new Set(ids).size).toBe(ids.length);
    const links = [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = '']) => href);
    for (const href of new Set(links)) {
      const [file = '', fragment = ''] = href.split('#');
      const target = file === '' ? path : new URL(file, `http://here${path}`).pathname;
      if (fragment !== '') expect(idsOf(htmlOf(target)), href).toContain(fragment);
      expect((await server.send('GET', target, '', {})).status, href).toBe(200);
    }
    const headings = [...html.matchAll(/<h[23] id="([^"]+)"/g)].map(([, id]) => id);
    for (const id of headings) expect(links.filter((href) => href === `#${id}`).length, id).toBeGreaterThan(1);
  });

  it('loads only files that the service has', async () => {
    const loaded = [...htmlOf(path).matchAll(/(?:<link [^>]*href|<script [^>]*src)="([^"]+)"/g)];
    expect(loaded.length).toBe(3);
    for (const [, file = ''] of loaded) {
      const { status } = await server.send('GET', new URL(file, `http://here${path}`).pathname, '', {});
      expect(status, file).toBe(200);
    }
  });

  it('is linked from the REST page and from the other one', () => {
    const name = path.split('/').at(-1);
    expect(htmlOf('/docs')).toContain(`href="docs/${name}"`);
    for (const other of PAGES) expect(htmlOf(other)).toContain(`href="${name}"`);
  });
});

describe('the WebSocket reference', () => {
  it.each(TOPICS)('describes topic %s with a link to its subscription and its frame', (topic) => {
    expect(entryOf('/docs/websocket', `topic-${topic}`)).toMatch(
      /Subscribe (Account|Market)Subscription Frame \w+Frame$/,
    );
  });

  it('describes each message with all its fields', () => {
    const { components } = asyncApiDocument() as unknown as {
      components: { schemas: Record<string, { properties?: object; description?: string; examples?: object[] }> };
    };
    for (const schema of new Set([...CLIENT_MESSAGES, ...SERVER_MESSAGES, ...SESSION_ANSWERS])) {
      const title = schema.title ?? '';
      const text = ['stream', 'trade'].map((channel) =>
        entryOf('/docs/websocket', `${channel}-${title.toLowerCase()}`),
      );
      const shown = text.join(' ');
      for (const name of Object.keys(components.schemas[title]?.properties ?? {})) {
        expect(shown, `${title}.${name}`).toMatch(new RegExp(`(^| )${name} `));
      }
    }
    for (const [name, { properties = {} }] of Object.entries(components.schemas)) {
      const text = entryOf('/docs/websocket', `schema-${name.toLowerCase()}`);
      if (text === '') continue;
      for (const field of Object.keys(properties))
        expect(text, `${name}.${field}`).toMatch(new RegExp(`(^| )${field} `));
    }
  });

  it('lists the close codes of both sockets with their causes and what to do', () => {
    const { info, channels } = asyncApiDocument() as unknown as DescribedSockets;
    for (const [socket, text] of [
      ['Streams', info.description],
      ['Order entry', channels.trade.description],
    ] as const) {
      const rule = /- \*\*Close codes\*\*: (.*)/.exec(text)?.[1] ?? '';
      const codes = rule.match(/\b10\d\d\b/g) ?? [];
      expect(codes.length).toBeGreaterThan(2);
      for (const code of codes) {
        expect(entryOf('/docs/websocket', `close-${code}`), code).toMatch(
          new RegExp(`${socket} \\S.*What to do (?!Connect again after a pause\\.$)\\S`),
        );
      }
      for (const part of rule.split(/,? ?\b10\d\d /)) expect(isShown(part.replaceAll(/^.|\.$/g, '')), part).toBe(true);
    }
  });

  it('has every rule of both sockets, with a heading', () => {
    const ids = idsOf(htmlOf('/docs/websocket'));
    for (const id of [
      'streams-limits',
      'streams-handshake',
      'order-entry-limits',
      'order-entry-start',
      'order-entry-order',
    ])
      expect(ids).toContain(id);
    const { info, channels } = asyncApiDocument() as unknown as DescribedSockets;
    for (const text of [info.description, channels.trade.description]) {
      const rules = text.split('\n').flatMap((line) => /^- \*\*(.+?)\*\*[ :,]*(.*)$/.exec(line)?.slice(1, 3) ?? []);
      expect(rules.length).toBeGreaterThan(10);
      for (const part of rules) expect(isShown(part.replace(/^./, '')) || part.startsWith('1001'), part).toBe(true);
    }
  });
});

describe('the catalogue of errors', () => {
  it.each(REJECTION_CODES)('says what %s means, where it appears, and what to do', (code) => {
    expect(entryOf('/docs/errors', code)).toMatch(/HTTP status (\d{3}|none).* In orders (yes|no) What to do \S.{3,}/);
  });

  it.each([
    ['tca', 'strategy=NONE'],
    ['tca', 'exchange=NONE'],
    ['order/find', 'limit=0'],
    ['order/tca', 'orderId=99'],
    ['order/tca', ''],
    ['balance', ''],
  ])('has the status of a refused read: %s?%s', async (path, query) => {
    const { status, text } = await server.get(`/api/v2/trading/${path}`, query);
    const { error_code: code } = JSON.parse(text) as { error_code: string };
    expect(status).toBeGreaterThanOrEqual(400);
    expect(ERROR_CATALOGUE.find((entry) => entry.code === code)?.statuses, code).toContain(status);
  });

  it('has the reasons of errors, of streams and of child orders', () => {
    const ids = idsOf(htmlOf('/docs/errors'));
    for (const reason of REJECTION_REASONS) expect(ids).toContain(`reason-${reason}`);
    for (const code of ['0', '7001', '7002', '8054']) expect(ids).toContain(`stream-${code}`);
    for (const [reason, { meaning }] of Object.entries(REASONS)) {
      expect(entryOf('/docs/errors', `decision-${reason}`)).toContain(meaning);
    }
  });

  it('shows text of the tables as text', () => {
    expect(htmlOf('/docs/errors')).not.toMatch(/`|\*\*/);
    expect(htmlOf('/docs/websocket')).not.toMatch(/\*\*/);
  });

  it('names paths that the service has', async () => {
    const named = ERROR_CATALOGUE.flatMap(({ action }) => [...action.matchAll(/`(?:GET )?(\/[^`]*)`/g)]);
    expect(named.length).toBeGreaterThan(3);
    for (const [, path = ''] of named) expect([200, 401]).toContain((await server.send('GET', path, '', {})).status);
  });
});
