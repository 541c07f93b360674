import { getTableColumns } from "drizzle-orm";
import { commissionPolicies } from "#store/schema/policies.ts";

const columns = getTableColumns(commissionPolicies);
const { id, programId, isLatest, operationId, createdAt, ...terms } = columns;

/** The columns of a policy's terms, by their names in the audit trail and in explanations. */
export const policyColumns = Object.entries(terms).map(([name, column]) => [name, column.name] as const);

const isJson = (name: string): boolean => name === "rules" || name === "tiers";

/** SQL for a policy version as JSON in the form of an explanation, with additional columns. */
export const policyJson = (alias: string, ...further: readonly (keyof typeof columns)[]): string => {
  const others = (["id", ...further] as const).map((name) => [name, columns[name].name] as const);
  const members = [...others, ...policyColumns].map(
    ([name, column]) =>
      `'${name}', ${isJson(name) || name === "unit" ? `iif(json_valid(${alias}.${column}), json(${alias}.${column}), ${alias}.${column})` : `${alias}.${column}`}`,
  );
  return `json_object(${members.join(", ")})`;
};
