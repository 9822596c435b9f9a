import { expect, it } from 'vitest';
import { eachFrame, maskedFrame } from '../../bench/fanout/frame-socket.js';
import { CATALOGUE, stampedMarket, stampUsIn, tickers } from '../../bench/fanout/tickers.js';
import { tickerFrame, tickerHead } from '../../src/api/market/market-frame.js';

const TEXT = 0x81;
const PING = 0x89;

function frame(opcode: number, payload: Buffer): Buffer {
  const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 255];
  return Buffer.concat([Buffer.from([opcode, ...length]), payload]);
}

it('passes complete text frames and returns the start of the rest', () => {
  const stream = Buffer.concat([
    frame(TEXT, Buffer.from('short')),
    frame(PING, Buffer.from('ping')),
    frame(TEXT, Buffer.alloc(300, 'x')),
    frame(TEXT, Buffer.from('cut')),
  ]);
  for (let cut = 0; cut <= stream.length; cut += 1) {
    const payloads: string[] = [];
    const see = (bytes: Buffer) => (from: number, to: number) => void payloads.push(bytes.toString('latin1', from, to));
    const first = stream.subarray(0, cut);
    const used = eachFrame(first, see(first));
    const rest = stream.subarray(used);
    expect(eachFrame(rest, see(rest))).toBe(rest.length);
    expect(payloads).toEqual(['short', 'x'.repeat(300), 'cut']);
  }
});

it('masks a frame with zeros', () => {
  expect(maskedFrame('hi')).toEqual(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]));
});

it('finds the stamp in the ticker of every instrument', () => {
  expect(tickers(3)).toHaveLength(3);
  for (const instrument of CATALOGUE.instruments) {
    const text = tickerFrame(tickerHead(instrument), stampedMarket(7_654_320.9), instrument);
    const bytes = Buffer.from(`before${text}after`);
    expect(stampUsIn(bytes, 6, 6 + text.length)).toBe(7_654_320);
  }
});
