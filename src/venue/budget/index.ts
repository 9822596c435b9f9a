export { createBudgetMemory, readBudgetFigures, type BudgetFigures } from './budget-figures.js';
export { BudgetedVenues } from './budgeted-venues.js';
export { parseVenueRates, VenueRatesError, type VenueRates } from './venue-rates.js';
