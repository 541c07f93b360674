import { sql } from "drizzle-orm";
import { customType, integer } from "drizzle-orm/sqlite-core";

// Units of all columns: an instant is an integer in milliseconds, an amount an integer in the currency's smallest unit,
// and a day "YYYY-MM-DD" in the program's time zone. All tables are STRICT. Drizzle can't declare that, nor the
// triggers: see migrations/.

/** The largest integer that JavaScript represents exactly. Sums are limited to it, and no number is larger. */
export const largestInteger = sql.raw(String(Number.MAX_SAFE_INTEGER));

export const id = <Id extends number>() => integer("id").primaryKey().$type<Id>();
export const flag = (name: string) => integer(name, { mode: "boolean" }).notNull();
export const instant = (name: string) => integer(name);
export const json = <T>(name: string) =>
  customType<{ data: T; driverData: string | null }>({
    dataType: () => "text",
    toDriver: (value: T | null) => (value === null ? null : JSON.stringify(value)),
    fromDriver: (text) => JSON.parse(String(text)) as T,
  })(name);
