import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DOCS } from '../../src/api/document/service.js';
import { isSigned } from '../../src/api/document/operation.js';
import { OPERATIONS } from '../../src/api/document/operations.js';
import { RunningServer } from '../http/running-server.js';
import { endpointTable } from '../http/endpoint-table.js';

describe('the routing table and the documents', () => {
  const { signed, open } = endpointTable();

  it('have the same operations with the same permission and budget', () => {
    const documented = OPERATIONS.map((operation) =>
      isSigned(operation)
        ? `${operation.method} ${operation.path} ${operation.needs} ${operation.budget}`
        : `GET ${operation.path}`,
    );
    const served = [
      ...signed.map(({ method, path, needs, budget }) => `${method} ${path} ${needs} ${budget}`),
      // Files that the page loads belong to the page.
      ...open.filter(({ path }) => !path.startsWith(`${DOCS.path}/`)).map(({ path }) => `GET ${path}`),
    ];
    expect(served.toSorted()).toEqual(documented.toSorted());
  });
});

describe('a running server', () => {
  const server = new RunningServer();
  beforeAll(() => server.start());
  afterAll(() => server.server.close());

  it.each(OPERATIONS.map((operation) => [isSigned(operation) ? operation.method : 'GET', operation.path] as const))(
    'answers %s %s and refuses other methods',
    async (method, path) => {
      const right = await server.send(method, path, '', {});
      expect([200, 401]).toContain(right.status);
      const other = await server.send('PATCH', path, '', {});
      expect(other.status).toBe(405);
      expect(other.headers['allow']).toContain(method);
    },
  );

  it('serves the files that the page loads', async () => {
    const { text } = await server.send('GET', '/docs', '', {});
    const loaded = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => `/${path}`);
    expect(loaded.length).toBeGreaterThan(4);
    for (const path of loaded) {
      const { status, headers } = await server.send('GET', path, '', {});
      expect(status, path).toBe(200);
      expect(headers['content-type']).toBeDefined();
    }
  });
});
