import { commissionPolicies } from "./schema/policies.ts";
import { everyColumn, write } from "./statement.ts";

export type PolicyRow = typeof commissionPolicies.$inferSelect;

export const insertPolicy = write<PolicyRow>((db) =>
  db.insert(commissionPolicies).values(everyColumn(commissionPolicies)),
);
