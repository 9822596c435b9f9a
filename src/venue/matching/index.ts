export { BACKGROUND, BookOrder, type BookOrderTerms } from './book-order.js';
export {
  ANY_PRICE,
  OrderBook,
  type BookListener,
  type BookTimeInForce,
  type SelfTradePrevention,
  type SubmitResult,
} from './order-book.js';
