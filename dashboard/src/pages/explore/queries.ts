import type { InferResponseType } from "hono/client";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { Failure } from "../../api/failure.ts";
import { takeLines } from "../../api/take-lines.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import type { Grouping } from "./groupings.ts";

const { $get } = api.programs[":programId"].performance;

export type Groups = Extract<InferResponseType<typeof $get, 200>, { readonly meta: unknown }>;
export type Group = Groups["data"][number];
type Asked = Parameters<typeof $get>[0]["query"];
export type Query = Omit<Asked, "groupBy" | "format" | "compare">;

/** Months aren't compared with the previous period, because no month is in both periods. */
export const comparisonOf = (groupBy: Grouping): Pick<Asked, "compare"> =>
  groupBy === "month" ? {} : { compare: "previous" };

interface Progress {
  readonly done: number;
  readonly of: number;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs reads one after the other: the service computes one read per user at a time, and a newer read ends the older
 * one.
 */
function oneByOne<T>(signal: AbortSignal, load: () => Promise<T>): Promise<T> {
  const own = last.then(() => {
    signal.throwIfAborted();
    return load();
  });
  last = own.catch(() => undefined);
  return own;
}

type Line = Partial<
  Readonly<{
    progress: Progress;
    result: Groups;
    error: { readonly code: string; readonly message: string };
  }>
>;

const statusOf: Readonly<Record<string, number>> = { unavailable: 503, breakdown_running: 429 };

async function lastLine(call: Parameters<typeof takeLines>[0], onProgress: (progress: Progress) => void) {
  for await (const line of takeLines(call)) {
    const { progress, result, error } = line as Line;
    if (progress !== undefined) onProgress(progress);
    if (result !== undefined) return result;
    if (error !== undefined) throw new Failure(statusOf[error.code] ?? 500, error);
  }
  throw Failure.ofNetwork();
}

export function useGroups(groupBy: Grouping, query: Query) {
  const [progress, setProgress] = useState<Progress>();
  const found = useProgramQuery("explore", { ...query, groupBy }, ({ param, query: asked }, { init }) =>
    oneByOne(init.signal, () => {
      setProgress(undefined);
      const lines = $get({ param, query: { ...asked, ...comparisonOf(groupBy), format: "jsonl" } }, { init });
      return lastLine(lines, setProgress);
    }),
  );
  return { found, progress: found.isBusy ? progress : undefined };
}

/** For each query, reads the figures by day. */
export const useDays = (queries: readonly Query[]) =>
  useProgramQuery("explore days", queries, async ({ param }, { init }) => {
    const read: Groups[] = [];
    for (const query of queries) {
      const ask = () => take($get({ param, query: { ...query, groupBy: "day" } }, { init }));
      read.push((await oneByOne(init.signal, ask)) as Groups);
    }
    return read;
  });
