import { expect, it } from 'vitest';
import { campaignsOf } from './campaign-list.js';

it('divides rounds evenly, and gives each campaign a seed of its own', () => {
  expect(campaignsOf({ rounds: 11, roundsMax: 4, seed: 7 })).toEqual([
    { seed: 7, rounds: 4 },
    { seed: 8, rounds: 4 },
    { seed: 9, rounds: 3 },
  ]);
});

it('makes one campaign of few rounds', () => {
  expect(campaignsOf({ rounds: 3, roundsMax: 20, seed: 7 })).toEqual([{ seed: 7, rounds: 3 }]);
});
