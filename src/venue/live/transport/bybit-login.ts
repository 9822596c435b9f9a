import { createHmac, type KeyObject } from 'node:crypto';

/** The arguments of a login on a private socket: key, time until which it holds, and signature. */
export function bybitLogin(apiKey: string, secret: KeyObject, expiresMs: number): readonly (string | number)[] {
  const signature = createHmac('sha256', secret).update(`GET/realtime${expiresMs}`).digest('hex');
  return [apiKey, expiresMs, signature];
}
