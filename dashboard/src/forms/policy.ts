import { api, take } from "../api/client.ts";
import { useProgramQuery } from "../api/use-program-query.ts";

interface PolicyQuery {
  readonly partnerId?: string;
  readonly limit?: string;
  readonly cursor?: string | undefined;
}

/** A page of policy versions, newest first, and the program's latest version. */
export const usePolicies = (query: PolicyQuery) =>
  useProgramQuery("policies", query, (call, init) =>
    take(api.programs[":programId"]["commission-policy"].$get(call, init)),
  );

type Policies = NonNullable<ReturnType<typeof usePolicies>["data"]>;
export type PolicyVersion = Policies["data"][number];
export type Policy = NonNullable<Policies["meta"]["current"]>;

export interface Limit {
  readonly name: "minSaleCents" | "maxCommissionCents";
  readonly label: string;
}

/** The optional limits of a policy. */
export const limits: readonly Limit[] = [
  { name: "minSaleCents", label: "Minimum sale" },
  { name: "maxCommissionCents", label: "Maximum per sale" },
];

/** The latest policy; undefined if there is none, or if it was ended. */
export const inForce = (latest: Policy | null | undefined): Policy | undefined =>
  latest == null || latest.type === "none" ? undefined : latest;
