import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../system/service-run.js';
import { newSite } from '../system/site.js';

const LOADED = /(?:src|href)="([^"]+)"/g;
const COMMENT = /\/\*[^]*?\*\//g;
const SOURCES = join(ROOT, 'src/console');
/** Contrast ratio that WCAG 2 AA requires for normal text. */
const CONTRAST_MIN = 4.5;

/** Every file that the page names, by its path. */
async function loadedFiles(origin: string): Promise<ReadonlyMap<string, { readonly headers: Headers; text: string }>> {
  const files = new Map<string, { readonly headers: Headers; text: string }>();
  const paths = ['/console'];
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    if (files.has(path)) continue;
    const answer = await fetch(origin + path);
    expect(answer.status, path).toBe(200);
    const text = await answer.text();
    files.set(path, { headers: answer.headers, text });
    for (const [, name = ''] of path === '/console' ? text.matchAll(LOADED) : []) {
      const url = new URL(name, origin + path);
      expect(url.origin, `${path} loads ${name}`).toBe(origin);
      paths.push(url.pathname);
    }
  }
  return files;
}

describe('the operator page of a running service', () => {
  it('is served completely, offline, with a strict policy and no storage', async () => {
    const origin = `http://127.0.0.1:${await newSite().start().ready()}`;
    const files = await loadedFiles(origin);
    const assets = ['page.css', 'chart.css', 'page.js', 'icon.svg'].map((name) => `/console/${name}`);
    expect([...files.keys()].sort()).toEqual(['/console', ...assets].sort());

    const page = files.get('/console');
    const policy = page?.headers.get('content-security-policy') ?? '';
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]),
    );
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(page?.headers.get('cache-control')).toBe('no-store');
    expect(page?.headers.get('referrer-policy')).toBe('no-referrer');
    // The policy refuses both.
    expect(page?.text).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=/);

    for (const [path, { headers, text }] of files) {
      expect(headers.get('x-content-type-options'), path).toBe('nosniff');
      expect(headers.get('cache-control'), path).toMatch(/^no-(store|cache)$/);
      const code = text.replaceAll(COMMENT, '');
      expect(code, path).not.toMatch(/localStorage|sessionStorage|indexedDB|document\.cookie/);
      expect(code, path).not.toMatch(/outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function\b/);
      expect(code.replaceAll(/http:\/\/www\.w3\.org\/[\w/]+/g, ''), path).not.toMatch(/https?:\/\//);
      const head = await fetch(origin + path, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length')], path).toEqual([200, String(Buffer.byteLength(text))]);
      expect(await head.text()).toBe('');
    }
    const licences = files.get('/console/page.js')?.text.slice(0, 5_000) ?? '';
    for (const author of ['Jason Miller', 'Leon Sorokin', 'Michael Mclaughlin']) expect(licences).toContain(author);

    const bytes = [...files.values()].reduce((total, { text }) => total + text.length, 0);
    expect(bytes).toBeLessThan(200_000);
    expect((await fetch(`${origin}/console`, { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD');
    for (const name of ['session.ts', 'main.js']) expect((await fetch(`${origin}/console/${name}`)).status).toBe(404);
  });
});

describe('the sources of the operator page', () => {
  it('never build markup from text', () => {
    const names = readdirSync(SOURCES, { encoding: 'utf8', recursive: true }).filter((name) => /\.tsx?$/.test(name));
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) {
      expect(readFileSync(join(SOURCES, name), 'utf8'), name).not.toMatch(/innerHTML|InnerHTML|srcdoc|createElement\(/);
    }
  });

  it('have text colours with enough contrast, light and dark', () => {
    const styles = readFileSync(join(SOURCES, 'page.css'), 'utf8');
    const [light = '', dark = ''] = [...styles.matchAll(/:root \{([^}]*)\}/g)].map(([, body]) => body ?? '');
    for (const scheme of [light, dark]) {
      const colors = new Map([...scheme.matchAll(/--(\w+): (#\w+);/g)].map(([, name, color]) => [name, color ?? '']));
      expect(colors.size).toBe(11);
      for (const ground of ['panel', 'ground', 'hover', 'chosen']) {
        for (const text of ['text', 'quiet', 'accent', 'good', 'warning', 'bad']) {
          const contrast = contrastOf(colors.get(text) ?? '', colors.get(ground) ?? '');
          expect(contrast, `${text} on ${ground}`).toBeGreaterThan(CONTRAST_MIN);
        }
      }
    }
  });
});

/** Contrast ratio by WCAG 2, 1 to 21. */
function contrastOf(one: string, other: string): number {
  const [high = 0, low = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

function luminanceOf(color: string): number {
  const hex = color.length === 4 ? color.replaceAll(/[\da-f]/g, '$&$&') : color;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
