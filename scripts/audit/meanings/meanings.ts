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
    "Triggers and constraints keep the data consistent. If one is missing or changed, the data that it protects may already be wrong.",
    "schema",
  ],
};

const acrossMeanings: Meanings = {
  [acrossRules.unknown]: [
    "The service has a shard whose database isn't among those of the command. Add that database to `SHARDS`.",
    "shards",
  ],
  [acrossRules.identity]: ["A database belongs to another shard, or to another installation.", "shards"],
  [acrossRules.range]: [
    "A row has an id that its shard doesn't assign. The row may come from another database.",
    "shards",
  ],
  [acrossRules.twice]: [
    "Two shards assigned the same id, for example after one of them was restored to a time before a shard migration. Calls may reach the wrong row.",
    "shards",
  ],
  [acrossRules.elsewhere]: [
    "According to the directory (the home database's list of programs), the program is on a shard that doesn't have it, so its calls are sent there.",
    "shards",
  ],
  [acrossRules.unlisted]: ["The home database doesn't have the program, so its calls are refused.", "shards"],
  [acrossRules.differing]: [
    "The home database has another workspace, website or archived state of the program.",
    "shards",
  ],
  [acrossRules.lost]: [
    "The program's calls are sent to a shard that doesn't have it, for example after a restore.",
    "shards",
  ],
  [acrossRules.codes]: [
    "Clicks with such a code and without `program_id` are refused, or are matched with an old destination.",
    "shards",
  ],
  [acrossRules.open]: [
    "A shard migration takes minutes, so its command has probably died. Until it is finished, the program's calls may be refused.",
    "move",
  ],
  [acrossRules.unlistedAccess]: [
    "The account's list of partners at sign-in lacks this partner. Opening the partner's page by its address adds the partner to the list.",
    "access",
  ],
  [acrossRules.lostAccess]: [
    "The program's database may have lost the rows that grant access, for example by a restore to an earlier time.",
    "access",
  ],
};

/** The meanings of rules by area, in the order of the page. */
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
