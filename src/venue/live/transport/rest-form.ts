export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A request of a REST interface as documents name it: method and path. */
export type RestName = `${HttpMethod} /${string}`;

/** Method and path of a request. */
export function restTarget(name: RestName): { readonly method: HttpMethod; readonly path: string } {
  const gap = name.indexOf(' ');
  return { method: name.slice(0, gap) as HttpMethod, path: name.slice(gap + 1) };
}

/** Fields as a query or a form, percent-encoded, in their order. */
export function queryText(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
}

/** The path with its query. */
export function pathWith(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`;
}
