import { DataFormat, FORMAT_STEPS } from '../../../src/storage/format/format-steps.js';
import { renaming } from './renaming.js';

/** The format after that of this release. */
export const NEXT_FORMAT = new DataFormat([...FORMAT_STEPS, renaming('next-')]);

/** The first format, and those of two pretended later releases. */
export const VERSION_1 = new DataFormat([]);
export const VERSION_2 = new DataFormat([renaming('two-')]);
export const VERSION_3 = new DataFormat([renaming('two-'), renaming('three-')]);
