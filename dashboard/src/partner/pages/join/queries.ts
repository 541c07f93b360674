import { take } from "../../../api/client.ts";
import { useQuery } from "../../../api/use-query.ts";
import { joinApi } from "../../client.ts";

/** Prefix of the query keys of everything that is read about a join page. */
export const joinKey = (slug: string): string => `join ${slug} `;

export const useJoinPage = (slug: string) =>
  useQuery(
    `${joinKey(slug)}page`,
    async (signal) => (await take(joinApi[":slug"].$get({ param: { slug } }, { init: { signal } }))).data,
  );

export type JoinPage = NonNullable<ReturnType<typeof useJoinPage>["data"]>;

const readApplication = async (slug: string, signal: AbortSignal) =>
  (await take(joinApi[":slug"].application.$get({ param: { slug } }, { init: { signal } }))).data;

export type OwnApplication = NonNullable<Awaited<ReturnType<typeof readApplication>>>;

/** The account's own application. Null if it hasn't applied. */
export const useOwnApplication = (slug: string) =>
  useQuery(`${joinKey(slug)}application`, (signal) => readApplication(slug, signal), {
    pollSeconds: (application) => (application?.status === "pending" ? 60 : undefined),
  });
