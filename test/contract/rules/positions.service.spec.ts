import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../system/eventually.js';
import { FUTURE, IMMEDIATE, without } from './orders.js';
import { useService } from './service-under-rules.js';
import { StreamClient, type Frame } from './stream-client.js';

const POSITION = '/api/v2/trading/position';
const PERPETUAL = 'BTC/USDT:USDT';
const anyNumber = expect.any(Number) as number;

interface Position {
  readonly symbol: string;
  readonly side: string;
  readonly contracts: number;
  readonly entryPrice: number;
  readonly markPrice: number;
  readonly notional: number;
  readonly unrealizedPnl: number;
}

const service = useService();
const market = { ...without(FUTURE, 'limit_price'), strategy: 'MARKET' };

let stream: StreamClient;
beforeAll(async () => {
  stream = await StreamClient.of(service.trader);
  for (const topic of ['position', 'position_risk']) await stream.follow(topic);
});
afterAll(() => stream.close());

async function positions(exchange = 'BINANCE'): Promise<readonly Position[]> {
  const { status, body } = await service.trader.get<readonly Position[]>(POSITION, `exchange=${exchange}`);
  expect(status).toBe(200);
  return body;
}

async function trade(order: object): Promise<void> {
  await service.trader.reaches(await service.trader.place(order), 'FILLED');
}

const snaked = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

describe('GET /position: exchange required; array of position entries, only for positions not equal to 0', () => {
  it('lists no position at first and none for spot', async () => {
    expect(await positions()).toEqual([]);
    await trade(IMMEDIATE);
    expect(await positions()).toEqual([]);
  });

  it('shows `contracts` without a sign, `side` LONG or SHORT, and the canonical `symbol`', async () => {
    await trade({ ...market, symbol: 'BTC/USDT', quantity: '0.02' });
    const [long] = await positions();
    expect(long).toEqual({
      collateral: anyNumber,
      contracts: 0.02,
      entryPrice: anyNumber,
      leverage: anyNumber,
      liquidationPrice: anyNumber,
      markPrice: anyNumber,
      notional: anyNumber,
      unrealizedPnl: anyNumber,
      marginMode: expect.stringMatching(/^(CROSS|ISOLATED)$/) as string,
      side: 'LONG',
      symbol: PERPETUAL,
      timestamp: anyNumber,
    });
    await trade({ ...market, side: 'SELL', quantity: '0.05' });
    expect(await positions()).toMatchObject([{ contracts: 0.03, side: 'SHORT', symbol: PERPETUAL }]);
  });

  it('does not list a closed position', async () => {
    await trade({ ...market, side: 'BUY', quantity: '0.03' });
    expect(await positions()).toEqual([]);
  });

  it.each([
    ['', 'INVALID_EXCHANGE'],
    ['exchange=NASDAQ', 'INVALID_EXCHANGE'],
    ['exchange=EXTENDED', 'INVALID_EXCHANGE'],
  ])('answers the query "%s" with 400 %s', async (query, code) => {
    const { status, body } = await service.trader.get(POSITION, query);
    expect([status, body.error_code]).toEqual([400, code]);
  });
});

describe('reduce_only: never increases or flips a position', () => {
  it('trades nothing without a position', async () => {
    const orderId = await service.trader.place({ ...market, params: { reduce_only: true } });
    const details = await service.trader.reaches(orderId, 'REJECTED', 'CANCELLED', 'EXPIRED');
    expect(details.filled_quantity).toBe(0);
    expect(await positions()).toEqual([]);
  });

  it('trades no more than the position', async () => {
    await trade({ ...market, quantity: '0.01' });
    const order = { ...market, side: 'SELL', quantity: '0.03', params: { reduce_only: true } };
    const orderId = await service.trader.place(order);
    await eventually(
      () => service.trader.details(orderId),
      ({ status }) => ['FILLED', 'REJECTED', 'CANCELLED', 'EXPIRED'].includes(status),
    );
    const short = (await positions()).filter(({ side }) => side === 'SHORT');
    expect(short).toEqual([]);
  });
});

describe('position: REST entry in snake_case; position_risk: {exchange_id, subaccount, position_risk:{…}}', () => {
  it('sends frames of topic position', async () => {
    const frame = await stream.frame('position', ({ side }) => side === 'SHORT');
    const fields =
      'collateral contracts entryPrice leverage liquidationPrice markPrice notional unrealizedPnl marginMode side symbol timestamp';
    for (const name of fields.split(' ')) expect(frame).toHaveProperty(snaked(name));
    expect(frame).toMatchObject({ exchange_id: 1, exchange_name: 'BINANCE', symbol: PERPETUAL, contracts: 0.03 });
  });

  it('sends frames of topic position_risk', async () => {
    const frame = await stream.frame('position_risk');
    expect(frame).toMatchObject({ exchange_id: 1, seq: anyNumber });
    const risk = frame['position_risk'] as Frame;
    for (const name of ['contracts', 'unrealized_pnl', 'leverage', 'notional', 'mark_price', 'entry_price'])
      expect(risk[name]).toEqual(anyNumber);
    for (const name of ['initial_margin', 'maintenance_margin', 'margin_ratio', 'timestamp', 'liquidation_price'])
      expect(risk[name]).toEqual(anyNumber);
    expect(risk).toMatchObject({ symbol: PERPETUAL });
    expect(risk['side']).toMatch(/^(LONG|SHORT)$/);
    expect(risk['margin_mode']).toMatch(/^(CROSS|ISOLATED)$/);
  });

  it('sends a snapshot on subscribe, then updates with a `seq` without a gap', async () => {
    await trade({ ...market, exchange: 'OKX', quantity: '0.02' });
    const late = await StreamClient.of(service.trader);
    await late.follow('position', { exchange: 'OKX' });
    const snapshot = await late.frame('position');
    expect(snapshot).toMatchObject({ snapshot: true, contracts: 0.02, side: 'LONG', symbol: PERPETUAL });
    expect(snapshot['seq']).toBeGreaterThanOrEqual(1);
    await trade({ ...market, exchange: 'OKX', side: 'SELL', quantity: '0.02' });
    const closed = await late.frame('position', ({ contracts }) => contracts === 0);
    expect(closed['snapshot']).toBeUndefined();
    late.close();
    const all = await StreamClient.of(service.trader);
    await all.follow('position', { exchange: 'OKX', resume_from: 0 });
    await all.frame('position', ({ contracts }) => contracts === 0);
    const seqs = all.of('position').map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, place) => place + 1));
    all.close();
  });
});
