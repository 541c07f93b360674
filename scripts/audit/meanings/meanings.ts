import { acrossRules } from "../across-rules.ts";
import { schemaRule } from "../schema.ts";
import { attributionMeanings, reviewMeanings } from "./attribution.ts";
import { commissionMeanings } from "./commissions.ts";
import type { Meanings } from "./meaning.ts";
import { payoutMeanings } from "./payouts.ts";
import { feedMeanings, recordMeanings } from "./records.ts";
import { erasureMeanings, settingMeanings } from "./settings.ts";

const schemaMeanings: Meanings = {
  [schemaRule]: [
    "Triggers and constraints keep the books right. Without one, or with another, what it keeps may already be wrong.",
    "schema",
  ],
};

const acrossMeanings: Meanings = {
  [acrossRules.unknown]: [
    "The service has a shard whose database the command wasn't given: name it in `SHARDS`.",
    "shards",
  ],
  [acrossRules.identity]: ["A database is another shard's, or of another installation.", "shards"],
  [acrossRules.range]: ["A row has an id that its shard doesn't give: it may come from another database.", "shards"],
  [acrossRules.twice]: [
    "Two shards gave the same id, as after a restore of one of them to before a move. Calls may reach the wrong row.",
    "shards",
  ],
  [acrossRules.elsewhere]: ["The program's calls are sent to a shard that doesn't have it.", "shards"],
  [acrossRules.unlisted]: ["Home doesn't know of the program, so its calls don't find it.", "shards"],
  [acrossRules.differing]: ["Home has another workspace, website or archived state of the program.", "shards"],
  [acrossRules.lost]: [
    "Home sends calls of the program to a shard that doesn't have it, as after a restore.",
    "shards",
  ],
  [acrossRules.codes]: ["Clicks by such a code, without a program, go astray or to an old page.", "shards"],
  [acrossRules.open]: [
    "A move takes minutes: its command has died. The program's calls may be refused meanwhile.",
    "move",
  ],
  [acrossRules.unlistedAccess]: [
    "The account doesn't find the partner at sign-in. Opening the page by its address mends it.",
    "access",
  ],
  [acrossRules.lostAccess]: [
    "The program's database may have lost the rows of an access, as after a restore to before it.",
    "access",
  ],
};

/** Meanings of rules by area, in the order of the page. */
export const areas: Readonly<Record<string, Meanings>> = {
  "Sales, commissions and refunds": commissionMeanings,
  "Payouts and where money goes": payoutMeanings,
  "Customers, clicks and coupons": attributionMeanings,
  "Holds and reviews": reviewMeanings,
  "Settings, keys and access": settingMeanings,
  Erasures: erasureMeanings,
  "Counts and rows": recordMeanings,
  "The feed": feedMeanings,
  "The schema": schemaMeanings,
  "Across the shards": acrossMeanings,
};

export const meanings: ReadonlyMap<string, Meanings[string]> = new Map(Object.values(areas).flatMap(Object.entries));
