import { expect } from "vitest";
import type { Explanation } from "#api/explain/reply.ts";
import type { Api, CallOptions, Reply } from "../../harness/client.ts";

type Query = Readonly<Record<string, string | number | boolean>>;

export const queryText = (query: Query): string =>
  new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();

export const askExplain = (api: Api, query: Query, options?: CallOptions): Promise<Reply> =>
  api.request("GET", `/api/v1/programs/me/explain?${queryText(query)}`, options);

interface Asker {
  readonly api: Api;
  readonly world: { readonly key: string };
}

/** Requests an explanation in the program, and fails the test if there is none. */
export async function explained({ api, world: { key } }: Asker, query: Query): Promise<Explanation> {
  const { status, text } = await askExplain(api, query, { key });
  expect(status, text).toBe(200);
  return JSON.parse(text) as Explanation;
}

export const messageOf = ({ status, body }: Reply): string => `${status} ${body.error.message}`;
