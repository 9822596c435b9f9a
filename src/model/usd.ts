/** Quotes that are taken for USD, one for one. */
const USD_LIKE = ['USDT', 'USDC', 'USD'] as const;

export function isUsdLike(asset: string): boolean {
  return (USD_LIKE as readonly string[]).includes(asset);
}

/** The pairs, best known first, by which an asset may be valued in USD. */
export function usdPairsOf(asset: string): readonly string[] {
  return USD_LIKE.map((usd) => `${asset}/${usd}`);
}
