import { api, take } from "../../../api/client.ts";
import { Failure } from "../../../api/failure.ts";
import { type Program, paramOf } from "../../../session.tsx";
import type { BulkPartner } from "./verbs.ts";

const pageSize = "200";
const restMs = 50;

interface Reading {
  readonly program: Program;
  readonly search: string | undefined;
  readonly signal: AbortSignal;
  onProgress(done: number): void;
}

/** Reads the partners that match, page by page. Waits for the rate limit. */
export async function readMatching({ program, search, signal, onProgress }: Reading): Promise<readonly BulkPartner[]> {
  const found: BulkPartner[] = [];
  for (let cursor: string | undefined, isLast = false; !isLast; ) {
    const query = { limit: pageSize, ...(search && { search }), ...(cursor && { cursor }) };
    const call = { param: paramOf(program), query };
    try {
      const { data, meta } = await take(api.programs[":programId"].partners.$get(call, { init: { signal } }));
      found.push(...data.map(({ id, name, code, status, groupId }) => ({ id, name, code, status, groupId })));
      cursor = meta.nextCursor ?? undefined;
      isLast = cursor === undefined;
      onProgress(found.length);
    } catch (error) {
      const seconds = error instanceof Failure && error.status === 429 ? (error.retryAfterSeconds ?? 5) : undefined;
      if (seconds === undefined) throw error;
      await rest(seconds * 1_000);
    }
    signal.throwIfAborted();
    await rest(restMs);
  }
  return found;
}

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
