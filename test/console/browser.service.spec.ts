import { readFileSync } from 'node:fs';
import { chromium, type Browser, type Locator, type Page, type Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SluiceClient } from '../../src/client/index.js';
import { CHROMIUM, mustRun } from '../operate/packages.js';
import { marketOrder, pairOrder, restingOrder, twapOrder } from '../system/sample-orders.js';
import type { ServiceRun } from '../system/service-run.js';
import { Site, type Key } from '../system/site.js';

/*
 * The operator page in a real browser. The steps build on each other: they use one page of one service, as an operator
 * does.
 */

const MUST_RUN = mustRun('the console in a browser', CHROMIUM);
/** Service seconds per real second. */
const SPEED = 10;
const WIDTHS = [1440, 1024] as const;
const NARROW = 390;
/** Bound of a step on a loaded machine. An idle machine needs milliseconds. */
const PAGE_MS_MAX = 120_000;
const HOSTILE_ID = '<img src=x onerror=alert(1)>';
const PAIR_ID = '9b2f6c1e-4d7a-4c83-b0e5-7f1d2a3c4b5e';
const LONG_ID = `rebalance-${'0123456789'.repeat(11)}`;

const LIST_WIDTHS = [390, ...WIDTHS] as const;

/** Names of elements whose text is wider than their box, and of boxes that need a horizontal scroll bar. */
const CUT_OFF = `[document.documentElement, ...document.querySelectorAll(
    '#page, header, section, .table, td, th, dt, dd, p, button, label, small, legend, figure, .legend'
  )].filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.tagName + '.' + one.className + ': ' + one.textContent.slice(0, 60) + ' ' + one.scrollWidth + ' > ' + one.clientWidth)`;

/** What CUT_OFF finds in the list of orders, one order, the top and a dialog, and a page that scrolls sideways. */
const CUT_OFF_OF_LIST = CUT_OFF.replace(
  /'#page[^']*'/,
  `'#top, #top *, .orders, .orders *, .order, .order *, dialog, dialog *'`,
).replace(', ...document', ', document.body, ...document');
/** What CUT_OFF finds in the panel of the order or the ticket, and in the account. The children scroll sideways. */
const CUT_OFF_BESIDE = `[...document.querySelectorAll(
    '.amend, .facts, .ticket, .ticket *, .amend *, .chart, .legend, .account, .account .table, .account td, .account th'
  )].filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1 && !one.matches('input, select, canvas'))
    .map((one) => one.tagName + '.' + one.className + ': ' + one.textContent.slice(0, 60) + ' ' + one.scrollWidth + ' > ' + one.clientWidth)`;

/** What CUT_OFF finds while the first child order shows a long number, the longest status and the longest reason. */
const CUT_OFF_WITH_LONG_CODES = `(() => {
    const row = document.querySelector('.table[aria-label="Children"] tbody tr');
    const number = [row.querySelector('td > span'), '#1234'];
    const codes = [number, [row.querySelector('.badge'), 'PARTIALLY_FILLED'], [row.querySelector('.wide > span'), 'CROSS_AT_DEADLINE']];
    const shown = codes.map(([place]) => place.textContent);
    for (const [place, code] of codes) place.textContent = code;
    const found = ${CUT_OFF};
    codes.forEach(([place], index) => (place.textContent = shown[index]));
    return found;
  })()`;

/** Share of pixels that a chart has drawn, of each canvas. */
const DRAWN = `[...document.querySelectorAll('.chart canvas')].map((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let drawn = 0;
    for (let index = 3; index < data.length; index += 4) if (data[index] > 0) drawn += 1;
    return drawn / (data.length / 4);
  })`;

describe.runIf(MUST_RUN)('the operator page in Chromium', () => {
  const site = MUST_RUN ? new Site() : null;
  /** Console errors, exceptions, violations of the policy, and requests to other origins. */
  const faults: string[] = [];
  const creates: string[] = [];
  let run: ServiceRun;
  let key: Key;
  let reader: Key;
  let client: SluiceClient;
  let origin: string;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    if (site === null) return;
    key = await site.issueKey();
    reader = await site.issueKey('trader', 'read');
    run = site.start({ env: { SLUICE_SIM_SPEED: String(SPEED), SLUICE_SHARDS: '1' } });
    const port = await run.ready();
    origin = `http://127.0.0.1:${port}`;
    client = site.client(port, key);
    await Promise.all([
      client.create(restingOrder(HOSTILE_ID)),
      client.create(restingOrder(LONG_ID)),
      client.create({
        ...twapOrder(3_600, 'worked'),
        quantity: '0.6',
        clip_size_type: 'ORDER_COUNT',
        clip_size_val: '600',
      }),
      client.create(marketOrder('done')),
      client.create({ ...marketOrder('refused'), side: 'SELL', quantity: '90' }),
      client.createMultiLegs(pairOrder(PAIR_ID)),
    ]);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
    page = await openPage(faults);
    page.on('request', (request) => {
      if (request.url().endsWith('/order/create')) creates.push(request.postData() ?? '');
    });
    await signIn(page, key);
  });

  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  async function openPage(notes: string[]): Promise<Page> {
    const opened = await browser.newPage({ viewport: { width: WIDTHS[0], height: 900 }, colorScheme: 'light' });
    opened.setDefaultTimeout(PAGE_MS_MAX);
    opened.on('console', (message) => message.type() === 'error' && notes.push(message.text()));
    opened.on('pageerror', (error) => notes.push(String(error)));
    opened.on('dialog', (dialog) => notes.push(`dialog: ${dialog.message()}`));
    opened.on('request', (request) => {
      if (new URL(request.url()).origin !== origin) notes.push(`request to ${request.url()}`);
    });
    await opened.addInitScript(
      `addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective))`,
    );
    await opened.goto(`${origin}/console`);
    return opened;
  }

  const row = (text: string): Locator => page.locator('.orders tbody tr', { hasText: text });
  const field = (name: string): Locator => page.locator(`.ticket [name="${name}"]`);
  const tab = (name: string): Promise<void> => page.click(`button.tab:has-text("${name}")`);

  it('shows the orders of the account live, with hostile texts as plain text', async () => {
    await row('worked').waitFor();
    await row(HOSTILE_ID).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    const filled = row('worked').locator('td[data-title=Filled]');
    const before = await filled.textContent();
    await expect.poll(() => filled.textContent()).not.toBe(before);
    await tab('Attention');
    expect(await row('refused').textContent()).toContain('INSUFFICIENT_FUNDS');
    await tab('Open');
    await page.locator('.account td', { hasText: 'USDT' }).first().waitFor();
  });

  it('opens and closes an order by keyboard, with a visible focus', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('rebalance');
    await expect.poll(() => page.locator('.orders tbody tr').count()).toBe(1);
    await page.fill('[type=search]', '');
    await row(HOSTILE_ID).waitFor();
    await page.locator('.orders tbody tr').first().focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await page.keyboard.press('Enter');
    await page.locator('[aria-label=Order] h2').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.hints').waitFor();
  });

  it('shows the findings of a preview at their fields', async () => {
    await page.keyboard.press('n');
    await field('quantity').fill('0');
    await field('params.duration_seconds').fill('never');
    await page.click('text=Preview');
    await page.waitForSelector('#ticket-quantity-finding');
    expect(await page.textContent('#ticket-quantity-finding')).toContain('INVALID_QUANTITY');
    expect(await page.textContent('#ticket-params-duration_seconds-finding')).toContain('INVALID_PARAM');
    expect(await field('quantity').getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('button.send').isDisabled()).toBe(true);
  });

  it('places a previewed order once on a double click', async () => {
    await field('strategy').selectOption('LIMIT');
    await field('quantity').fill('0.02');
    await field('limit_price').fill('40000');
    await field('params.duration_seconds').fill('2h');
    await page.click('text=Preview');
    await page.waitForSelector('text=WOULD BE ACCEPTED');
    expect(await page.textContent('.preview')).toContain('Expected cost');
    await page.dblclick('button.send:not(:disabled)');
    await page.waitForSelector('text=Open the order');
    const { client_order_id: id = '' } = JSON.parse(creates[0] ?? '{}') as { client_order_id?: string };
    expect(creates).toHaveLength(1);
    expect((await client.open()).filter((order) => order.client_order_id === id)).toHaveLength(1);
    await page.click('text=Open the order');
    await page.waitForSelector(`[aria-label=Order] dd:has-text("${id}")`);
  });

  it('cancels the open order after a confirmation', async () => {
    await page.keyboard.press('x');
    expect(await page.textContent('dialog h2')).toBe('Cancel this order?');
    expect(await page.locator(':focus').textContent()).toBe('Back (Esc)');
    await page.click('dialog button.danger');
    await page.waitForSelector('[aria-label=Order] .badge:has-text("CANCELLED")');
  });

  it('draws the cost report of an ended order', async () => {
    await tab('Ended');
    await row('done').click();
    await page.waitForSelector(
      '[aria-label=Order] dt:has-text("vs interval VWAP"), dt:has-text("vs arrival with fees")',
    );
    await page.waitForSelector('.figures:has-text("after 1s")');
    await expect.poll(() => page.evaluate<number[]>(DRAWN).then((shares) => shares.length)).toBe(3);
    for (const share of await page.evaluate<number[]>(DRAWN)) expect(share).toBeGreaterThan(0.005);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(16, 21, 28)');
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it.each(WIDTHS)('shows every text completely at a width of %d pixels', async (width) => {
    await page.setViewportSize({ width, height: 800 });
    await tab('Attention');
    await row('refused').waitFor();
    expect(await page.evaluate<string[]>(CUT_OFF)).toEqual([]);
    await tab('Open');
    await row('worked').click();
    // Until then the panel shows the order before.
    await page.waitForSelector('[aria-label=Order] dd:has-text("worked")');
    for (const name of ['Timeline', 'Children', 'Cost']) {
      await tab(name);
      if (name === 'Children') await page.waitForSelector('.table[aria-label="Children"] tbody .badge');
      expect(await page.evaluate<string[]>(CUT_OFF), name).toEqual([]);
      if (name === 'Children') expect(await page.evaluate<string[]>(CUT_OFF_WITH_LONG_CODES), name).toEqual([]);
    }
    await row(LONG_ID).waitFor();
    await page.click('text=New order');
    await page.click('text=More parameters');
    expect(await page.evaluate<string[]>(CUT_OFF), 'ticket').toEqual([]);
    await page.click('text=More parameters');
    await page.keyboard.press('Escape');
  });

  it.each(LIST_WIDTHS)('lists a pair with a long id completely at a width of %d pixels', async (width) => {
    await page.setViewportSize({ width, height: 844 });
    await page.keyboard.press('Escape');
    const pair = row(PAIR_ID);
    await pair.waitFor();
    expect(await pair.locator('td[data-title=Instrument]').innerText()).toMatch(
      /^BUY BTC\/USDT\s+BINANCE · PAIR\s+SELL BTC\/USDT\s+OKX · future · PAIR$/,
    );
    expect(await page.evaluate<string[]>(CUT_OFF_OF_LIST)).toEqual([]);
    // As a table and as cards: a screen reader finds the cells of a column by its name, in the order of the page.
    const table = page.getByRole('region', { name: 'Orders', exact: true }).getByRole('table');
    const names = await table.getByRole('columnheader').allInnerTexts();
    expect(names.slice(0, 3)).toEqual(['Status', 'Instrument', 'Filled']);
    expect(await table.getByRole('row').first().getByRole('columnheader').count()).toBe(9);
    expect(await pair.getByRole('cell').count()).toBe(9);
    const tops = await Promise.all(
      ['Status', 'Instrument', 'Filled', 'Limit'].map((name) => pair.locator(`td[data-title="${name}"]`).boundingBox()),
    );
    if (width < 640) expect(tops[2]?.y).toBeLessThan(tops[3]?.y ?? 0);
    await page.click('text=Halt trading…');
    expect(await page.textContent('dialog')).toContain('sluice kill-switch release --account NAME');
    expect(await page.evaluate<string[]>(CUT_OFF_OF_LIST), 'dialog').toEqual([]);
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
    await pair.click();
    await page.waitForSelector(`[aria-label=Order] dd:has-text("${PAIR_ID}")`);
    await page.waitForSelector('.table[aria-label="Children"] tbody .badge');
    expect(await page.textContent('[aria-label=Order] h2')).toBe('BUY BTC/USDT and SELL BTC/USDT');
    for (const name of ['Children', 'Timeline', 'Cost']) {
      await page.click(`[aria-label=Order] button.tab:has-text("${name}")`);
      expect(await page.evaluate<string[]>(CUT_OFF_OF_LIST), name).toEqual([]);
    }
    await page.click('[aria-label=Order] button:has-text("Close")');
  });

  it('filters the list, keeps the filter in the address, and offers to clear it', async () => {
    const rows = page.locator('.orders tbody tr');
    await page.selectOption('.filters [name=exchange]', 'OKX');
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.first().textContent()).toContain(PAIR_ID);
    await expect.poll(() => new URL(page.url()).hash).toBe('#exchange=OKX');
    await Promise.all(
      ['OKX', 'KRAKEN'].map((exchange) =>
        client.create({ ...restingOrder(`later-${exchange}`), exchange: exchange as 'OKX' }),
      ),
    );
    await row('later-OKX').waitFor();
    expect(await rows.count()).toBe(2);
    await page.selectOption('.filters [name=side]', 'SELL');
    await page.selectOption('.filters [name=status]', 'PAUSED');
    await page.waitForSelector('.orders :text("No order of this list matches the filters.")');
    await page.click('text=Show all orders of this list');
    await row('later-KRAKEN').waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe('');
    // The service searches the interval: the page asks for it.
    await tab('Ended');
    const asked = page.waitForRequest((request) => request.url().includes('/order/find?'));
    await page.fill('.filters [name=from]', '2020-01-01T00:00');
    const query = new URL((await asked).url()).searchParams;
    expect(Number(query.get('startMs'))).toBe(await page.evaluate(`new Date('2020-01-01T00:00').getTime()`));
    await page.fill('.filters [name=to]', '2020-01-02T00:00');
    await page.waitForSelector('.orders :text("No order of this list matches the filters.")');
    await page.click('text=Clear filters');
    await row('refused').waitFor();
    await tab('Open');
  });

  it('stores the filtered list as CSV', async () => {
    await tab('Ended');
    await page.selectOption('.filters [name=status]', 'REJECTED');
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('text=Export CSV')]);
    expect(file.suggestedFilename()).toMatch(/^sluice-orders-ended-\d{8}T\d{6}Z\.csv$/);
    const lines = readFileSync(await file.path(), 'utf8').split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain(',refused,REJECTED,MARKET,SELL,BTC/USDT,BINANCE,SPOT,,90,0,90,0,,');
    await page.click('text=Clear filters');
    await tab('Open');
  });

  it('keeps the form of a wrong key, and says why in the words of the service', async () => {
    const notes: string[] = [];
    const other = await openPage(notes);
    await other.fill('#api-key', 'unknown-key');
    await other.fill('#api-secret', key.apiSecret);
    await other.click('#key button[type=submit]');
    await other.waitForSelector('#key [role=alert]');
    expect(await other.textContent('#key [role=alert]')).toMatch(/^INVALID_API_KEY: X-API-KEY is not a known key/);
    expect([await other.inputValue('#api-key'), await other.inputValue('#api-secret')]).toEqual(['unknown-key', '']);
    expect(await other.evaluate('document.activeElement.id')).toBe('api-secret');
    await signIn(other, key);
    await other.close();
  });

  it('shows the mode of each exchange, and asks for its name before an order with real money', async () => {
    const live = await openPage(faults);
    const sent: string[] = [];
    live.on('request', (request) => {
      if (request.url().endsWith('/order/create')) sent.push(request.postData() ?? '');
    });
    // The service trades in the simulation: only the answer about its exchanges says something else.
    const modes: Readonly<Record<string, string>> = {
      BINANCE: 'live',
      BYBIT: 'testnet',
    };
    await live.route('**/api/v2/data/exchanges', async (route) => {
      const answer = await route.fetch();
      const exchanges = (await answer.json()) as { readonly exchange: string }[];
      const changed = exchanges.map((one) => {
        const mode = modes[one.exchange];
        return mode === undefined ? one : { ...one, mode: 'LIVE', live_mode: mode };
      });
      await route.fulfill({ response: answer, json: changed });
    });
    await signIn(live, key);
    for (const [word, exchange] of [
      ['LIVE', 'BINANCE'],
      ['TESTNET', 'BYBIT'],
    ]) {
      await live.waitForSelector(`#top .mode:has(.badge:text-is("${word}")):has-text("${exchange}")`);
    }
    await live.waitForSelector('.account .badge:text-is("LIVE")');
    await live.click('text=New order');
    await live.waitForSelector('.ticket .badge:text-is("LIVE")');
    const own = (name: string): Locator => live.locator(`.ticket [name="${name}"]`);
    await own('strategy').selectOption('LIMIT');
    await own('quantity').fill('0.02');
    await own('limit_price').fill('40000');
    await own('params.duration_seconds').fill('2h');
    await live.click('text=Preview');
    await live.waitForSelector('text=WOULD BE ACCEPTED');
    expect(await live.locator('button.send').isDisabled()).toBe(true);
    await own('confirmation').fill('BYBIT');
    expect(await live.locator('button.send').isDisabled()).toBe(true);
    expect(await live.evaluate<string[]>(CUT_OFF)).toEqual([]);
    await own('confirmation').fill('BINANCE');
    await live.click('button.send:not(:disabled)');
    await live.waitForSelector('text=Open the order');
    expect(sent).toHaveLength(1);
    // The page asks for the exchanges again and again: the end of the page must not cut off an answer.
    await live.unrouteAll({ behavior: 'wait' });
    await live.close();
  });

  /** The order or the ticket and the account fit at each width. A chart takes its new width a frame after the page. */
  const fits = async (): Promise<void> => {
    for (const width of [...WIDTHS, NARROW]) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => page.evaluate<string[]>(CUT_OFF_BESIDE), { message: `${width} pixels` }).toEqual([]);
    }
    await page.setViewportSize({ width: WIDTHS[0], height: 900 });
  };
  const term = (name: string): Locator => page.locator(`.amend [name="${name}"]`);

  describe('beside the order list', () => {
    it('amends a running order with what changed, and asks before more quantity', async () => {
      const amends: string[] = [];
      page.on('request', (request) => {
        if (request.url().endsWith('/order/amend')) amends.push(request.postData() ?? '');
      });
      await tab('Open');
      await row(LONG_ID).click();
      await page.waitForSelector(`[aria-label=Order] dd:has-text("${LONG_ID}")`);
      await page.click('button:has-text("Amend…")');
      expect(await term('limit_price').inputValue()).toBe('50000');
      expect(await page.locator(':focus').getAttribute('name')).toBe('quantity');
      await term('limit_price').fill('0.001');
      await page.click('.amend button[type=submit]');
      await page.waitForSelector('#ticket-limit_price-finding:has-text("INVALID_LIMIT_PRICE")');
      await term('limit_price').fill('50000.0');
      await term('quantity').fill('0.02');
      await fits();
      await page.click('.amend button[type=submit]');
      expect(await page.textContent('dialog p')).toContain('quantity 0.01 → 0.02');
      await page.click('dialog button.danger');
      await page.waitForSelector('.message:has-text("amendment accepted")');
      expect(amends.map((body) => Object.keys(JSON.parse(body) as object))).toEqual([
        ['order_id', 'limit_price'],
        ['order_id', 'quantity'],
      ]);
      await page.waitForSelector('[aria-label=Order] dd:has-text("0 of 0.02")');
    });

    it('has legends with figures of visible series, and names them for screen readers', async () => {
      await tab('Ended');
      await row('done').click();
      await page.waitForSelector('.chart .legend dt:has-text("Taker fill")');
      expect(await page.locator('.chart .legend dt:has-text("Maker fill")').count()).toBe(0);
      for (const text of await page.locator('.chart .legend dd').allTextContents()) expect(text).toMatch(/\d/);
      const name = await page.locator('figure:has-text("against arrival")').first().getAttribute('aria-label');
      expect(name).toMatch(/\d+ fills?\. Latest: .*Taker fill [\d,.]+/);
    });

    it('shows the market of the ticket, and takes a price as the limit price', async () => {
      await page.click('text=New order');
      await field('strategy').selectOption('LIMIT');
      await page.waitForSelector('.book:has-text("Last"):has-text("UTC")');
      const bid = page.locator('button.price[aria-label^="Best bid"]');
      await bid.click();
      expect(Number(await field('limit_price').inputValue())).toBeGreaterThan(1_000);
      expect(await page.locator('.market.old').count()).toBe(0);
      await field('symbol').fill('ETH/USDT');
      await page.waitForSelector('[aria-label="Market of ETH/USDT on BINANCE"] button.price');
      await field('symbol').fill('BTC/USDT');
    });

    it('places a PAIR that was previewed leg by leg', async () => {
      await field('strategy').selectOption('PAIR');
      await field('legs[0].target_value').fill('1000');
      await field('legs[0].params.duration_seconds').fill('1h');
      await field('legs[1].target_value').fill('0.0123456789');
      // A field becomes a list when the market of its leg is known.
      await page.waitForSelector('.ticket select[name="legs[1].ccy"]');
      await field('legs[1].ccy').selectOption('BTC');
      await page.waitForSelector('.leg >> nth=1 >> button.price');
      await page.click('text=Preview');
      await page.waitForSelector('#ticket-legs-1-target_value-finding:has-text("INVALID_QUANTITY")');
      await field('legs[1].target_value').fill('1000');
      await field('legs[1].ccy').selectOption('USDT');
      await page.click('text=Preview');
      await expect
        .poll(async () => {
          const text = await page.locator('.ticket').innerText();
          // The stream of the market can be cut for a moment on a loaded machine. The ticket says so, and waits.
          if (text.includes('no price of this market')) await page.click('text=Preview');
          return text;
        })
        .toMatch(/(WOULD BE ACCEPTED[^]*){2}/);
      await fits();
      await page.click('button.send:not(:disabled)');
      await page.click('text=Open the order');
      await page.waitForSelector('[aria-label=Order] dt:has-text("Leading leg")');
      await page.click('button:has-text("Amend…")');
      await page.waitForSelector('.amend [name="params.hedge_slippage_bps"]');
      await fits();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
    });

    it('shows positions and balances of all exchanges with totals, and names an exchange that does not answer', async () => {
      const account = page.locator('.account');
      await account.locator('[aria-label=Positions] tr:has-text("OKX"):has-text("SHORT")').waitFor();
      await account.locator('[aria-label="Total of the positions"] tr:has-text("USDT")').waitFor();
      await account.locator('[aria-label="Total of the balances"] tr:has-text("USDT"):has-text("15")').waitFor();
      await page.route('**/trading/position?exchange=KRAKEN', silence);
      await account.locator('.silent:has-text("KRAKEN")').waitFor();
      await fits();
      await page.unroute('**/trading/position?exchange=KRAKEN', silence);
    });
  });

  it('caused no error, no violation of its policy and no request to another origin', () => {
    expect(faults).toEqual([]);
  });

  it('shows that a key may only read, and offers no action', async () => {
    const watching = await openPage([]);
    await signIn(watching, reader);
    await watching.waitForSelector('text=READ ONLY');
    await watching.click('text=New order');
    expect(await watching.textContent('.ticket .outcome')).toContain('only read');
    for (const name of ['Halt trading…', 'Cancel all…', 'Place order']) {
      expect(await watching.locator(`button:has-text("${name}")`).isDisabled(), name).toBe(true);
    }
    await watching.close();
  });

  it('halts trading after a confirmation and shows a banner', async () => {
    await page.click('text=Halt trading…');
    await page.click('dialog button.danger');
    await page.waitForSelector('#top .banner:has-text("TRADING HALTED")');
    await expect.poll(() => page.textContent('button.tab')).toBe('Open 0');
  });

  it('shows below the header that its figures are stale when the service is down', async () => {
    await run.kill();
    await page.waitForSelector('#top .banner:has-text("Stale since")');
    expect(await page.title()).toContain('STALE');
    await page.mouse.wheel(0, 2_000);
    const boxes = await Promise.all(
      ['header', '.banner >> nth=0', '.banner >> nth=1'].map((one) => page.locator(one).boundingBox()),
    );
    for (const [index, box] of boxes.entries()) {
      const above = boxes[index - 1];
      expect(box?.y).toBeGreaterThanOrEqual(above ? above.y + above.height - 1 : 0);
    }
    expect(boxes[0]?.y).toBe(0);
  });
});

/** An answer that does not come from the service. */
function silence(route: Route): Promise<void> {
  return route.fulfill({ status: 200, body: 'a proxy' });
}

async function signIn(page: Page, { apiKey, apiSecret }: Key): Promise<void> {
  await page.fill('#api-key', apiKey);
  await page.fill('#api-secret', apiSecret);
  // The health of the service also reads "Connecting…" before its first answer.
  await page.click('#key button[type=submit]');
  await page.waitForSelector('#liveness:has-text("Live")');
}
