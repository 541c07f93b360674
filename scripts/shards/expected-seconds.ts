import { rowsOfPage } from "./pages.ts";

/** Rows of tables that don't fill a page. */
const fewRows = 25;
/** On the machine of docs/performance.md. */
const secondsPerPage = 0.15;
/** To read, to write and to compare it, each with a rest. */
const roundTripsPerPage = 6;

/** Time for which a program is frozen while this many rows are moved, so that an operator can choose when. */
export const expectedSeconds = (rows: number, roundTripMs: number): number =>
  (rows / rowsOfPage + fewRows) * (secondsPerPage + (roundTripsPerPage * roundTripMs) / 1_000);
