import { mkdirSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, mustRun } from '../operate/packages.js';
import { RunningServer } from './running-server.js';

const MUST_RUN = mustRun('the reference pages in a browser', CHROMIUM);
const SIZES = [
  [390, 844],
  [1024, 768],
  [1440, 900],
] as const;
const PATHS = ['/docs/websocket', '/docs/errors'] as const;
/** Bound of a step on a loaded machine. An idle machine needs milliseconds. */
const PAGE_MS_MAX = 120_000;
/** A folder that gets a picture of each page at each width. Absent: no pictures. */
const PICTURES = process.env['SLUICE_TEST_PICTURES'];

/** Elements whose text is wider than their box, and a page with a horizontal scroll bar. */
const CUT_OFF = `[document.documentElement, ...document.querySelectorAll(
    'header, nav, main, section, article, h1, h2, h3, p, li, dt, dd, dl, pre, code, a, button, summary, .opblock-summary'
  )].filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.tagName + '.' + one.className + ': ' + one.textContent.slice(0, 60) + ' ' + one.scrollWidth + ' > ' + one.clientWidth)`;

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}/${name}.png` });
}

describe.runIf(MUST_RUN)('the reference pages in Chromium', () => {
  const server = new RunningServer();
  /** Console errors, exceptions, violations of the policy, and requests to other origins. */
  const faults: string[] = [];
  let origin: string;
  let browser: Browser;

  beforeAll(async () => {
    await server.start();
    origin = `http://127.0.0.1:${server.server.port}`;
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  });
  afterAll(async () => {
    await browser?.close();
    await server.server.close();
  });

  async function open(path: string, [width, height]: readonly [number, number]): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme: 'light' });
    page.setDefaultTimeout(PAGE_MS_MAX);
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== origin && !request.url().startsWith('data:')) faults.push(request.url());
    });
    await page.addInitScript(
      `addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective))`,
    );
    await page.goto(origin + path);
    return page;
  }

  describe.each(SIZES.map((size) => [size[0], size] as const))('at %i px', (width, size) => {
    it.each(PATHS)('%s cuts nothing off', async (path) => {
      const page = await open(path, size);
      expect(await page.evaluate(CUT_OFF)).toEqual([]);
      await picture(page, `${path.split('/').at(-1)}-${width}`);
      await page.locator('section').last().scrollIntoViewIfNeeded();
      await picture(page, `${path.split('/').at(-1)}-${width}-end`);
      await page.close();
      expect(faults).toEqual([]);
    });

    it('/docs shows the first operation on the first screen', async () => {
      const page = await open('/docs', size);
      const first = page.locator('.opblock').first();
      await first.waitFor();
      await picture(page, `rest-${width}`);
      const box = await first.boundingBox();
      expect((box?.y ?? size[1]) + (box?.height ?? 0)).toBeLessThanOrEqual(size[1]);
      expect(await first.textContent()).toContain('/api/v2/trading/order/create');
      await page.close();
      expect(faults).toEqual([]);
    });
  });

  it('finds entries by words, and shows a linked entry that the search hides', async () => {
    const page = await open('/docs/errors', SIZES[1]);
    const shown = page.locator('article:visible');
    const all = await shown.count();
    await page.getByRole('searchbox', { name: 'Search' }).fill('tick GRID limit');
    await expect.poll(() => shown.count()).toBeLessThan(10);
    expect(await page.locator('#INVALID_LIMIT_PRICE').isVisible()).toBe(true);
    expect(await page.locator('#contents a[href="#INVALID_END_TIME"]').isVisible()).toBe(false);
    expect(await page.getByRole('status').textContent()).toMatch(new RegExp(`^\\d of ${all} entries$`));
    await page.evaluate(`location.hash = 'SYSTEM_BUSY'`);
    await expect.poll(() => shown.count()).toBe(all);
    expect(await page.locator('#SYSTEM_BUSY').isVisible()).toBe(true);
    await page.close();
    expect(faults).toEqual([]);
  });

  it('are usable by keyboard, and name their parts', async () => {
    const page = await open('/docs/websocket', SIZES[1]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('content');
    for (const name of ['Reference', 'Contents']) expect(await page.getByRole('navigation', { name }).count()).toBe(1);
    expect(await page.getByRole('main').count()).toBe(1);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('WebSocket reference');
    expect(await page.getByRole('region', { name: 'Close codes' }).isVisible()).toBe(true);
    expect(await page.getByRole('article', { name: '1013', exact: true }).textContent()).toContain('What to do');
    expect(await page.getByRole('navigation', { name: 'Reference' }).getByRole('link').allTextContents()).toEqual([
      'REST',
      'WebSocket',
      'Errors',
      'Console',
    ]);
    expect(await page.locator('[aria-current="page"]').textContent()).toBe('WebSocket');
    await page.close();
  });

  it('/docs finds operations by words and keeps the guide in reach', async () => {
    const page = await open('/docs', SIZES[2]);
    const operations = page.locator('.opblock');
    await operations.first().waitFor();
    const all = await operations.count();
    await page.getByRole('searchbox', { name: 'Search' }).fill('order AMEND');
    await expect.poll(() => operations.count()).toBe(1);
    expect(await operations.textContent()).toContain('/api/v2/trading/order/amend');
    await page.getByRole('searchbox', { name: 'Search' }).fill('');
    await expect.poll(() => operations.count()).toBe(all);
    await page.getByText('Guide: signing').click();
    expect(await page.getByRole('heading', { name: 'Signing', exact: true }).isVisible()).toBe(true);
    await page.close();
    expect(faults).toEqual([]);
  });
});
