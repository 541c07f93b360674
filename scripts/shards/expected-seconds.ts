import { rowsOfPage } from "./pages.ts";

/** Additional pages, because the last page of each table is rarely full. */
const fewRows = 25;
/** The speed that was measured on the machine of docs/performance.md. */
const secondsPerPage = 0.15;
/** The round trips to read, write and compare a page, each followed by a pause. */
const roundTripsPerPage = 6;

/** Returns how long a program is frozen while this many rows are migrated, so that an operator can choose the time. */
export const expectedSeconds = (rows: number, roundTripMs: number): number =>
  (rows / rowsOfPage + fewRows) * (secondsPerPage + (roundTripsPerPage * roundTripMs) / 1_000);
