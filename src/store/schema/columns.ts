import { customType, integer } from "drizzle-orm/sqlite-core";

// Instants are integer milliseconds, amounts integers in the currency's smallest unit, days "YYYY-MM-DD" in the
// program's time zone. Tables are STRICT; migrations/ has that and the triggers (append-only entries, daily counts, the
// fence).

export const id = <Id extends number>() => integer("id").primaryKey().$type<Id>();
export const flag = (name: string) => integer(name, { mode: "boolean" }).notNull();
export const instant = (name: string) => integer(name);
export const json = <T>(name: string) =>
  customType<{ data: T; driverData: string | null }>({
    dataType: () => "text",
    toDriver: (value: T | null) => (value === null ? null : JSON.stringify(value)),
    fromDriver: (text) => JSON.parse(String(text)) as T,
  })(name);
