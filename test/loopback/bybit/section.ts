import type { Background } from '../background.js';
import type { Exchange } from '../exchange.js';
import type { Market } from '../market.js';
import { badSymbol, suspended } from './api-error.js';
import type { Category } from './instruments.js';
import type { Parameters } from './parameters.js';

/** One product type: its exchange and the quotes of no account. */
export interface Section {
  readonly category: Category;
  readonly exchange: Exchange;
  readonly background: Background;
}

export type Sections = Readonly<Record<Category, Section>>;

/** The section that the parameter `category` names. */
export function sectionOf(sections: Sections, parameters: Parameters): Section {
  return sections[parameters.category()];
}

/** The market of the parameter `symbol`. */
export function marketOf({ exchange, category }: Section, parameters: Parameters): Market {
  const market = exchange.market(parameters.required('symbol'));
  if (market === null) throw badSymbol(category);
  return market;
}

/** The market of the parameter `symbol`, which takes orders now. */
export function tradedMarketOf(section: Section, parameters: Parameters): Market {
  const market = marketOf(section, parameters);
  const suspension = section.exchange.suspensionOf(market.instrument.symbol);
  if (suspension !== null) throw suspended(section.category, suspension, market.instrument.symbol);
  return market;
}

/** The market of the parameter `symbol`; null: the request names none. */
export function optionalMarket(section: Section, parameters: Parameters): Market | null {
  return parameters.optional('symbol') === null ? null : marketOf(section, parameters);
}
