import { api, take } from "../../../api/client.ts";
import { useProgramQuery } from "../../../api/use-program-query.ts";

/** The program's join page. Null until it is saved for the first time. */
export const useJoinPage = () =>
  useProgramQuery(
    "join",
    {},
    async ({ param }, init) => (await take(api.programs[":programId"].join.$get({ param }, init))).data,
  );

export type JoinPage = NonNullable<ReturnType<typeof useJoinPage>["data"]>;

type Mode = readonly [value: JoinPage["mode"], label: string];
export const closed: Mode = ["closed", "Closed"];
export const modes: readonly Mode[] = [
  closed,
  ["approval", "Open: you decide on each application"],
  ["open", "Open: applicants become partners at once"],
];

/** The versions of the terms, newest first. */
export const useTerms = () =>
  useProgramQuery(
    "terms",
    {},
    async (call, init) => (await take(api.programs[":programId"].terms.$get(call, init))).data,
  );

export type Terms = NonNullable<ReturnType<typeof useTerms>["data"]>[number];
