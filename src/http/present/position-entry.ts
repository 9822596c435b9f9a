import { formatAmount } from '../../model/amount.js';
import type { InstrumentCatalogue } from '../../model/instrument.js';
import { positionFigures } from '../../model/position.js';
import type { PositionsReport } from '../../model/venue-message.js';
import { arrayText, quote } from './json-text.js';

/** The positions that are not 0 as the contract's position entries. */
export function positionsText({ positions, atMs }: PositionsReport, catalogue: InstrumentCatalogue): string {
  const open = positions.filter(({ net }) => net !== 0);
  return arrayText(
    open.map((position) => {
      const instrument = catalogue.at(position.instrument);
      const figures = positionFigures(position, instrument);
      return (
        `{"collateral":${formatAmount(position.collateral)},"contracts":${figures.contracts},` +
        `"entryPrice":${figures.entryPrice},"leverage":${position.leverage},` +
        `"liquidationPrice":${figures.liquidationPrice},"markPrice":${figures.markPrice},` +
        `"notional":${figures.notional},"unrealizedPnl":${formatAmount(position.unrealisedPnl)},` +
        `"marginMode":"${position.marginMode}","side":"${figures.side}",` +
        `"symbol":${quote(instrument.symbol)},"timestamp":${atMs}}`
      );
    }),
  );
}
