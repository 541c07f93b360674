import { api, take } from "./client.ts";
import { useProgramQuery } from "./use-program-query.ts";

/** All groups of the page's program, newest first. */
export const useGroups = () =>
  useProgramQuery(
    "groups",
    { limit: "500" },
    async (call, init) => (await take(api.programs[":programId"].groups.$get(call, init))).data,
  );

export type Group = NonNullable<ReturnType<typeof useGroups>["data"]>[number];

/** Query keys to read again after a change of a group or of its partners. */
export const groupQueryKeys = (programId: number): readonly string[] =>
  ["groups", "partners", "audit"].map((name) => `program ${programId} ${name}`);
