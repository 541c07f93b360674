import type { Filters } from "../../url.ts";

/** The query of a statement: of one payment by its number, or of a period. */
export const statementQuery = ({ from, to, currency, number }: Filters) =>
  number ? { number } : { ...(from && { from }), ...(to && { to }), ...(currency && { currency }) };
