import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AnswerMeters } from '../../src/http/metrics/answer-meter.js';
import { Exposition } from '../../src/http/metrics/exposition.js';
import { metricsEndpoint } from '../../src/http/status-endpoints.js';
import { noRefusals, type RejectionCode } from '../../src/domain/rejection.js';
import { FakeResponse } from './fake-response.js';
import { FIGURES } from './figures.js';
import { NO_LIMITS_SET } from '../intake/no-limits.js';
import { createBody } from './orders.js';
import { RunningServer } from './running-server.js';

const ORDER = '/api/v2/trading/order';
const TOKEN = 'a-token-that-nobody-guesses';

describe('GET /metrics', () => {
  const running = new RunningServer();
  beforeEach(() => running.start({ orderRate: 1 }));
  afterEach(() => running.server.close());

  const scrape = async (): Promise<string> => (await running.send('GET', '/metrics', '', {})).text;

  it('answers this machine without a key in the text format of Prometheus', async () => {
    const { status, headers, text } = await running.send('GET', '/metrics', '', {});
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(headers['x-request-id']).toMatch(/\S/);
    for (const line of text.trim().split('\n')) {
      expect(line).toMatch(/^$|^# (HELP|TYPE) [a-z_:0-9]+ |^[a-z_:0-9]+(\{[^}]*\})? (-?[0-9.e+-]+|Nan|\+Inf)$/i);
    }
    expect((await running.send('HEAD', '/metrics', '', {})).text).toBe('');
  });

  it('counts answers by route and status class, and unknown paths under one name', async () => {
    await running.post(`${ORDER}/create`, createBody());
    await running.post(`${ORDER}/create`, '{');
    await running.post(`${ORDER}/create`, createBody());
    await running.send('GET', `${ORDER}/create`, '', {});
    await running.send('GET', '/nowhere', '', {});
    const text = await scrape();
    expect(text).toContain(`sluice_http_requests_total{route="${ORDER}/create",status="2xx"} 1\n`);
    expect(text).toContain(`sluice_http_requests_total{route="${ORDER}/create",status="4xx"} 3\n`);
    expect(text).toContain('sluice_http_requests_total{route="other",status="4xx"} 1\n');
    expect(text).toContain('sluice_limit_refusals_total{limit="key_orders"} 1\n');
    expect(text).toContain('sluice_limit_refusals_total{limit="stream_messages"} 0\n');
  });

  it('counts creates that are rejected at once, by code', async () => {
    expect(await scrape()).not.toContain('sluice_creates_rejected_total{');
    await running.post(`${ORDER}/create`, createBody({ quantity: '0' }));
    expect(await scrape()).toContain('sluice_creates_rejected_total{code="INVALID_QUANTITY"} 1\n');
  });

  it('shows answer times in cumulative buckets', async () => {
    running.book.isInstant = false;
    const [slow, slower] = [300, 40].map((tookMs) => ({
      tookMs,
      answer: running.post(`${ORDER}/create`, createBody()),
    }));
    await expect.poll(() => running.book.waitingCount).toBe(2);
    for (const took of [slow, slower]) {
      running.monotonicMs += took?.tookMs ?? 0;
    }
    running.book.settle();
    await Promise.all([slow?.answer, slower?.answer]);
    running.book.isInstant = true;
    const text = await scrape();
    const bucket = (le: string): string =>
      `sluice_http_request_duration_seconds_bucket{route="${ORDER}/create",le="${le}"}`;
    expect(text).toContain(`${bucket('0.25')} 0\n`);
    expect(text).toContain(`${bucket('0.5')} 2\n`);
    expect(text).toContain(`${bucket('+Inf')} 2\n`);
    expect(text).toContain(`sluice_http_request_duration_seconds_sum{route="${ORDER}/create"} 0.68\n`);
    expect(text).toContain(`sluice_http_request_duration_seconds_count{route="${ORDER}/create"} 2\n`);
  });

  it('shows the figures of the service', async () => {
    const text = await scrape();
    for (const line of [
      'sluice_ready 1',
      'sluice_build_info{version="1.2.3"} 1',
      'sluice_venue_up 0',
      'sluice_venue_link_up{venue="OKX"} 0',
      'sluice_kill_switches_engaged{scope="account"} 2',
      'sluice_shard_up{shard="1"} 0',
      'sluice_open_parents{shard="0"} 17',
      'sluice_pending_commands 3',
      'sluice_thread_silence_seconds{thread="venue"} 7.5',
      'sluice_disk_free_bytes 123456789',
      'sluice_clock_offset_seconds 3600.25',
      'sluice_clock_error_seconds -1.5',
      'sluice_clock_pace 1.25',
      'sluice_clock_steps_total 2',
      'sluice_open_streams 5',
      'sluice_stream_subscriptions{topic="ticker"} 2',
      'sluice_open_sessions{state="authenticated"} 3',
      'sluice_open_sessions{state="unauthenticated"} 2',
      'sluice_session_open_requests 9',
      'sluice_session_records 2',
      'sluice_sessions_opened_total 11',
      'sluice_sessions_refused_total 4',
      'sluice_sessions_closed_total{reason="client"} 6',
      'sluice_ring_used_ratio{ring="commands",thread="shard-0"} 0.25',
      'sluice_journal_seq{step="appended"} 12',
      'sluice_journal_seq{step="released"} 11',
      'sluice_journal_seq{step="committed"} 10',
      'sluice_worker_restarts_total{worker="shard-0"} 2',
      'sluice_venue_requests_total{venue="OKX",class="CANCEL"} 40',
      'sluice_venue_requests_delayed_total{venue="OKX",class="RESTING"} 30',
      'sluice_venue_requests_refused_total{venue="OKX",class="RESTING"} 5',
      'sluice_venue_requests_withdrawn_total{venue="OKX",class="RESTING"} 4',
      'sluice_venue_requests_waiting{venue="OKX",class="RESTING"} 11',
      'sluice_venue_request_rate_limit{venue="OKX"} 30',
      'sluice_venue_ban_seconds{venue="BINANCE"} 90.5',
      'sluice_orders_ended_total{status="FILLED",code=""} 12',
      'sluice_orders_ended_total{status="REJECTED",code="INSUFFICIENT_FUNDS"} 3',
      'sluice_child_refusals_total{venue="OKX",code="INVALID_QUANTITY"} 4',
      'sluice_fills_total{venue="OKX",liquidity="MAKER"} 80',
      'sluice_traded_value_total{venue="OKX",currency="USDT"} 1234.5',
      'sluice_unknown_children{venue="OKX",age="600"} 2',
      'sluice_key_expiry_timestamp_seconds{kind="api"} 1790000000.5',
      'sluice_last_backup_timestamp_seconds 1780000000',
      'sluice_child_acknowledge_seconds_bucket{venue="OKX",le="0.0025"} 2',
      'sluice_child_acknowledge_seconds_bucket{venue="OKX",le="+Inf"} 3',
      'sluice_child_acknowledge_seconds_sum{venue="OKX"} 40.004',
      'sluice_schedule_lag_ratio_bucket{strategy="TWAP",le="0.01"} 5',
      'sluice_schedule_lag_ratio_count{strategy="TWAP"} 6',
    ]) {
      expect(text).toContain(`\n${line}\n`);
    }
    expect(text).not.toContain('{kind="exchange"}');
    expect(text).toMatch(/\nprocess_resident_memory_bytes \d+\n/);
    expect(text).toMatch(/\nnodejs_eventloop_lag_p99_seconds /);
  });
});

// decisions §4: "/metrics answers on loopback, elsewhere only with the bearer token SLUICE_METRICS_TOKEN".
describe('GET /metrics from another machine', () => {
  const ELSEWHERE = [10, 0, 0, 7];

  async function ask(
    authorization: string,
    metricsToken: string | null,
    address = ELSEWHERE,
    host = 'localhost:8080',
  ): Promise<FakeResponse> {
    const meters = new AnswerMeters();
    const exposition = new Exposition({
      meters,
      refusals: noRefusals(),
      risk: NO_LIMITS_SET,
      placement: { refusedCounts: {} as Record<RejectionCode, number> },
      figures: FIGURES,
    });
    const fake = new FakeResponse(address);
    metricsEndpoint({ exposition, metricsToken, host: '127.0.0.9' }).handle(fake.call({ host, authorization }));
    await fake.ended;
    return fake;
  }

  it.each([
    ['the token', `Bearer ${TOKEN}`, ELSEWHERE],
    ['the token, by its name in small letters', `bearer ${TOKEN}`, ELSEWHERE],
    ['nothing, but from this machine by IPv6', '', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
  ])('answers 200 with %s', async (_name, authorization, address) => {
    const { head, body } = await ask(authorization, TOKEN, address);
    expect(head).toMatch(/^200 OK/);
    expect(body).toContain('sluice_ready 1\n');
  });

  const HERE = [127, 0, 0, 1];

  it.each(['localhost', 'LocalHost:8080', '127.0.0.1:1', '127.5.0.1', '[::1]:8080', '127.0.0.9:8080'])(
    'answers this machine with the Host %s',
    async (host) => expect((await ask('', null, HERE, host)).head).toMatch(/^200 OK/),
  );

  it.each([
    'rebound.example',
    'localhost.example:8080',
    '127.0.0.1.example',
    '10.0.0.7',
    '',
    '[::2]',
    'localhost:8080:1',
  ])('refuses this machine with the Host %j unless it sends the token', async (host) => {
    expect((await ask('', TOKEN, HERE, host)).head).toMatch(/^401 Unauthorized/);
    expect((await ask(`Bearer ${TOKEN}`, TOKEN, HERE, host)).head).toMatch(/^200 OK/);
  });

  it.each([
    ['nothing', '', TOKEN],
    ['another token', `Bearer ${TOKEN}x`, TOKEN],
    ['an empty token', 'Bearer ', TOKEN],
    ['the token in another scheme', `Basic ${TOKEN}`, TOKEN],
    ['any token while none is set', 'Bearer null', null],
  ])('refuses a request with %s', async (_name, authorization, metricsToken) => {
    const { head, body } = await ask(authorization, metricsToken);
    expect(head).toMatch(/^401 Unauthorized/);
    expect(head).toContain('\r\nWWW-Authenticate: Bearer');
    expect(head).toContain('\r\nX-Request-Id: request-1');
    expect(JSON.parse(body)).toMatchObject({ error_code: 'AUTHENTICATION_ERROR', request_id: 'request-1' });
  });
});
