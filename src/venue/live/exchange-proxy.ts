import type { SettingName } from '../../domain/setting-names.js';

/** Names that other programs read too. An empty text counts as absent, as in these. */
const SHARED_NAMES = ['HTTPS_PROXY', 'https_proxy'] as const;
/** Value of the own setting for no proxy, whatever the shared names say. */
const NO_PROXY_AT_ALL = 'off';

/**
 * The CONNECT proxy for all connections to real exchanges, as a URL; null: none. The own setting wins over the names
 * that other programs share. Throws an Error for a text that is no URL of http or https. It does not quote the text,
 * because that may contain a password.
 */
export function exchangeProxy(env: Readonly<Record<string, string | undefined>>, own: SettingName): string | null {
  const shared = SHARED_NAMES.find((name) => (env[name] ?? '') !== '');
  const name = env[own] === undefined ? shared : own;
  const text = name === undefined ? NO_PROXY_AT_ALL : env[name];
  if (text === undefined || text === NO_PROXY_AT_ALL) return null;
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new Error(`${name} is not a URL of http or https${name === own ? ', and not "off"' : ''}`);
}
