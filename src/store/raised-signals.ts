import { sql } from "drizzle-orm";
import { raisedCodes } from "#domain/risk.ts";

/** The codes of signals by which lists select commissions, as a list of SQL. */
export const raisedSignals = sql.raw(`(${raisedCodes.map((code) => `'${code}'`).join(", ")})`);
