export type { SelfTradePrevention } from '../../model/self-trade-prevention.js';
export { BookOrder } from './book-order.js';
export { OrderBook, type BookListener } from './order-book.js';
export { ANY_PRICE, BACKGROUND, type BookOrderTerms, type BookTimeInForce, type SubmitResult } from './order-terms.js';
