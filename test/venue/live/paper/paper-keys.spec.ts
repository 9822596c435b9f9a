import { describe, expect, it } from 'vitest';
import type { AccountId } from '../../../../src/domain/ids.js';
import { formatAmount } from '../../../../src/domain/quantity.js';
import { PAPER_WALLET_DEFAULT, PaperKeys, parsePaperWallet } from '../../../../src/venue/live/paper/paper-keys.js';
import { ALICE } from './paper-rig.js';

const walletOf = (text: string) => parsePaperWallet(text).map(([asset, amount]) => `${asset} ${formatAmount(amount)}`);

describe('the wallet of paper accounts', () => {
  it('is read exactly from the setting', () => {
    expect(walletOf('usdt=100000, BTC=0.12345678')).toEqual(['USDT 100000', 'BTC 0.12345678']);
    expect(walletOf('')).toEqual([]);
    expect(walletOf(PAPER_WALLET_DEFAULT)[0]).toBe('USDT 1000000');
  });

  it.each([
    ['USDT', 'USDT:  is no amount with up to 8 digits after the point'],
    ['USDT=1=2', 'USDT=1=2 is not ASSET=AMOUNT'],
    ['US DT=1', 'US DT=1 is not ASSET=AMOUNT'],
    ['USDT=-1', 'USDT=-1: -1 is no amount with up to 8 digits after the point'],
    ['USDT=0.123456789', 'USDT=0.123456789: 0.123456789 is no amount with up to 8 digits after the point'],
    ['USDT=1,usdt=2', 'usdt=2: USDT has two amounts'],
  ])('%s is refused', (text, message) => {
    expect(() => parsePaperWallet(text)).toThrow(message);
  });
});

describe('paper accounts', () => {
  it('open with an API key of the service or with their first request, without a key of the exchange', () => {
    const known: AccountId[] = [];
    const keys = new PaperKeys('BINANCE', 'live', () => known);
    const opened: string[] = [];
    keys.onChange(({ account }) => opened.push(account));
    expect(keys.accounts()).toEqual([]);
    keys.note(ALICE);
    keys.note(ALICE);
    keys.note('bob' as AccountId);
    expect(opened).toEqual(['alice', 'bob']);
    const [place] = keys.accounts();
    expect(keys.find(place!)).toMatchObject({ apiKey: 'paper', place: { account: 'alice', venue: 'BINANCE' } });
    known.push('dave' as AccountId);
    keys.refresh();
    expect(opened).toEqual(['alice', 'bob', 'dave']);
    expect(keys.find({ ...place!, account: 'carol' as AccountId })).toBeNull();
  });
});
