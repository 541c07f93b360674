import { api, take } from "../../../api/client.ts";
import { partnerQueryKeys } from "../../../api/partners.ts";
import { useProgramQuery } from "../../../api/use-program-query.ts";
import type { Filters } from "../../../url.ts";

export const statuses = [
  ["pending", "Waiting"],
  ["approved", "Approved"],
  ["declined", "Declined"],
] as const;
export type Status = (typeof statuses)[number][0];

export const everyStatus = "all";

/** The status in the filters. Undefined: every status. */
export const statusOf = ({ status }: Filters): Status | undefined =>
  status === everyStatus ? undefined : (statuses.find(([each]) => each === status)?.[0] ?? "pending");

export const useApplications = (filters: Filters) =>
  useProgramQuery("applications", { status: statusOf(filters), cursor: filters.cursor }, (call, init) =>
    take(api.programs[":programId"].applications.$get(call, init)),
  );

export type Application = NonNullable<ReturnType<typeof useApplications>["data"]>["data"][number];

/** Query keys to read again after a decision. */
export const decisionKeys = (programId: number): readonly string[] => [
  ...["applications", "to-do"].map((name) => `program ${programId} ${name}`),
  ...partnerQueryKeys(programId),
];
