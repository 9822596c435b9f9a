/**
 * What happens instead of a trade of an account with itself; the mode of the taker decides.
 * EXPIRE_TAKER, EXPIRE_MAKER, EXPIRE_BOTH: those orders end with all they have left, and a taker that has not ended goes
 * on to the next maker. DECREMENT: both lose what they would have traded, and whoever has none left ends.
 */
export type SelfTradePrevention = 'NONE' | 'EXPIRE_TAKER' | 'EXPIRE_MAKER' | 'EXPIRE_BOTH' | 'DECREMENT';

/**
 * The modes that an exchange offers besides NONE, which every exchange takes. The first is its default: every child is
 * sent with it, for two parents of one account must not trade with each other. That would be a wash trade, and two fees
 * for nothing.
 */
export type SelfTradePreventions = readonly [OfferedPrevention, ...OfferedPrevention[]];
type OfferedPrevention = Exclude<SelfTradePrevention, 'NONE'>;
