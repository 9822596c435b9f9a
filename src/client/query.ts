export type QueryValue = string | number | boolean | readonly (string | number)[] | undefined;

/** A query string with its keys in alphabetical order, as it is signed and sent; '' when nothing is given. */
export function queryString(values: Readonly<Record<string, QueryValue>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${encoded(value)}`)
    .join('&');
}

/** Members of a list are joined by plain commas; a comma within a member cannot occur. */
function encoded(value: QueryValue): string {
  const members: readonly unknown[] = Array.isArray(value) ? value : [value];
  return members.map((member) => encodeURIComponent(String(member))).join(',');
}
