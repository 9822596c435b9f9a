/** The header with the user and the password of a proxy's URL; null: the URL has no user. */
export function proxyCredentials({ username, password }: URL): string | null {
  if (username === '') return null;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

const NEEDS_CREDENTIALS = 407;

/** Why a proxy has made no connection. */
export function proxyRefusal(status: number | undefined): string {
  if (status !== NEEDS_CREDENTIALS) return `the proxy refuses the connection with ${status}`;
  return 'the proxy refuses the connection with 407: its URL needs a user and a password that it knows';
}
