import { type SQL, sql } from "drizzle-orm";
import { clicks } from "./schema/clicks.ts";
import { readFirst, unencoded } from "./statement.ts";

/** Referrers by click id. A click whose row isn't written yet is missing. */
export type Referrers = Readonly<Record<string, string | null>>;

/** `clickIds` is a JSON array. */
export const referrersOf = (clickIds: SQL): SQL<Referrers> =>
  sql`(
  select json_group_object(k.click_id, k.referrer_url) from ${clicks} k
  where k.click_id in (select value from json_each(${clickIds})))`.mapWith(
    (json: string) => JSON.parse(json) as Referrers,
  );

export const referrersOfClicks = readFirst<{ clickIds: string }, { readonly of: Referrers }>((db) =>
  db.select({ of: referrersOf(unencoded("clickIds")) }).from(sql`(select 1)`),
);
