import { rowsOfPage } from "./pages.ts";

/** Rows that count extra, since tables end in pages that aren't full. */
const fewRows = 25;
/** Measured on the machine of docs/performance.md. */
const secondsPerPage = 0.15;
/** Round trips to read, write and compare a page, each followed by a rest. */
const roundTripsPerPage = 6;

/** Time for which a program is frozen while this many rows are moved, so that an operator can choose when. */
export const expectedSeconds = (rows: number, roundTripMs: number): number =>
  (rows / rowsOfPage + fewRows) * (secondsPerPage + (roundTripsPerPage * roundTripMs) / 1_000);
