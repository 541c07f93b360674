import { api, take } from "./client.ts";
import { useProgramQuery } from "./use-program-query.ts";

/** All that a program can have, newest first. */
export const useGroups = () =>
  useProgramQuery(
    "groups",
    { limit: "500" },
    async (call, init) => (await take(api.programs[":programId"].groups.$get(call, init))).data,
  );

export type Group = NonNullable<ReturnType<typeof useGroups>["data"]>[number];

/** Keys that a change of a group, or of who is in it, affects. */
export const groupQueryKeys = (programId: number): readonly string[] =>
  ["groups", "partners", "audit"].map((name) => `program ${programId} ${name}`);
