import { describe, expect, it } from 'vitest';
import { newSite } from '../system/site.js';

const IMPORTED = /\bfrom '([^']+)'/g;
const LOADED = /(?:src|href)="([^"]+)"/g;

/** Every file that the page loads, by its path: what it names, and what its modules import. */
async function loadedFiles(origin: string): Promise<ReadonlyMap<string, { readonly headers: Headers; text: string }>> {
  const files = new Map<string, { readonly headers: Headers; text: string }>();
  const paths = ['/console'];
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    if (files.has(path)) continue;
    const answer = await fetch(origin + path);
    expect(answer.status, path).toBe(200);
    const text = await answer.text();
    files.set(path, { headers: answer.headers, text });
    const named = path === '/console' ? text.matchAll(LOADED) : path.endsWith('.js') ? text.matchAll(IMPORTED) : [];
    for (const [, name = ''] of named) {
      const url = new URL(name, origin + path);
      expect(url.origin, `${path} loads ${name}`).toBe(origin);
      paths.push(url.pathname);
    }
  }
  return files;
}

describe('the operator page of the running service', () => {
  it('is served whole, offline, under a strict policy, and keeps nothing', async () => {
    const origin = `http://127.0.0.1:${await newSite().start().ready()}`;
    const files = await loadedFiles(origin);
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(['/console/page.css', '/console/client/web-signature.js']),
    );

    const page = files.get('/console');
    const policy = page?.headers.get('content-security-policy') ?? '';
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(page?.headers.get('cache-control')).toBe('no-store');
    expect(page?.headers.get('referrer-policy')).toBe('no-referrer');
    // The policy refuses both.
    expect(page?.text).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=/);

    // Banners that each stick by themselves lie on each other when the page is scrolled.
    const top = /<div id="top">([^]*?)<\/div>\s*<div id="notices">/.exec(page?.text ?? '')?.[1] ?? '';
    for (const part of ['<header>', 'id="stale"', 'id="halt"']) expect(top).toContain(part);
    const styles = files.get('/console/page.css')?.text ?? '';
    expect(styles).toMatch(/#top \{\s*position: sticky;/);
    expect(/#stale,\s*#halt \{[^}]*\}/.exec(styles)?.[0]).not.toContain('position');

    for (const [path, { headers, text }] of files) {
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(headers.get('cache-control'), path).toMatch(/^no-(store|cache)$/);
      expect(text, path).not.toMatch(/localStorage|sessionStorage|indexedDB|document\.cookie/);
      expect(text, path).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/);
      expect(text.replaceAll('http://www.w3.org/2000/svg', ''), path).not.toMatch(/https?:\/\//);
      const head = await fetch(origin + path, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length')], path).toEqual([200, String(Buffer.byteLength(text))]);
      expect(await head.text()).toBe('');
    }

    const bytes = [...files.values()].reduce((total, { text }) => total + text.length, 0);
    expect(bytes).toBeLessThan(150_000);
    expect((await fetch(`${origin}/console`, { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD');
    expect((await fetch(`${origin}/console/console/session.ts`)).status).toBe(404);
  });
});
