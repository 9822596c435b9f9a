const LOOPBACK_NAME = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;
const HOST_AND_PORT = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/;

/**
 * Whether a Host header names this machine or the configured address. A page of another site may make a browser on this
 * machine ask here under a name of its own that resolves to a loopback address; its Host header gives it away.
 */
export function isOwnHost(header: string, configured: string): boolean {
  const name = HOST_AND_PORT.exec(header)?.[1] ?? '';
  const own = configured.includes(':') ? `[${configured}]` : configured;
  return LOOPBACK_NAME.test(name) || (name !== '' && name.toLowerCase() === own.toLowerCase());
}
