import { createApi, type Reply } from "../../harness/client.ts";
import { builtDocument, type DocumentName } from "../../harness/openapi.ts";
import type { User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { embedded } from "../support/embedded.ts";

interface Operation {
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly schema?: { readonly enum?: readonly string[] };
  }[];
}
interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: Operation }>>;
}

export interface Read {
  /** Path and query, such as `/api/v1/programs/me/balances?currency=USD`. */
  readonly name: string;
  /** True if the request has no optional parameter. */
  readonly isPlain: boolean;
  call(): Promise<Pick<Reply<unknown>, "status" | "text">>;
}

export interface Readers {
  readonly url: string;
  readonly world: World;
  readonly owner: User;
  /** A user with access to the first partner. */
  readonly partner: User;
}

/** The external id of the first partner, with which calls of the embedded referral page are made. */
export const embeddedUser = "user-7";

/** SQL that selects an id in the program, by the name of the path parameter. */
const ids: Readonly<Record<string, string>> = {
  payoutId: "select id from payouts where program_id = ? and status in ('final', 'paid') limit 1",
  commissionId: "select id from commissions where program_id = ? limit 1",
  webhookId: "select id from webhooks where program_id = ? limit 1",
};

/** Sample values of parameters without an enum. */
const values: Readonly<Record<string, readonly string[]>> = {
  ...{ search: ["a", "no such one"], q: ["a", "t"], code: ["ONCE"], currency: ["USD"], external_id: ["x"] },
  ...{ customerKey: ["keyed"], customer_key: ["keyed"], transactionId: ["t"], transaction_id: ["t"] },
  ...{ dateFrom: ["2020-01-01"], from: ["2020-01-01"], date_from: ["2020-01-01"] },
};

/** Required query parameters, by the end of the path. */
const needed: Readonly<Record<string, string>> = {
  "me/explain": "customer_key=keyed",
  "explain/{programId}": "customerKey=keyed",
  "/{programId}/export": "kind=partners",
  "me/export": "kind=partners",
  "/day-entries": `day=${new Date().toISOString().slice(0, 10)}`,
  "/missing-sale": `day=${new Date().toISOString().slice(0, 10)}`,
};

/**
 * Every GET operation of the OpenAPI documents, with each sample value of each parameter. Called as an owner, as a
 * partner, with an API key, and with a token of an embedded referral page.
 */
export async function everyRead({ url, world, owner, partner }: Readers): Promise<readonly Read[]> {
  const known = new Map([
    ["programId", String(world.programId)],
    ["workspaceId", world.workspaceId],
    ["partnerId", String(world.partner.id)],
  ]);
  for (const [name, query] of Object.entries(ids)) {
    known.set(name, String((await world.rows(query, world.programId))[0]?.id));
  }
  const api = createApi(url);
  const readsOf = (name: DocumentName, get: (path: string) => ReturnType<Read["call"]>) =>
    Object.entries((builtDocument(name) as Document).paths).flatMap(([path, operations]) =>
      queriesOf(path, operations.get).map((query, i) => ({
        name: path + query,
        isPlain: i === 0,
        call: () => get(path.replaceAll(/\{(\w+)\}/g, (_, name: string) => known.get(name) ?? "1") + query),
      })),
    );
  const unchecked = { checked: false };
  const page = await embedded(api, world, { external_id: embeddedUser });
  return [
    ...readsOf("embed", (path) => api.request("GET", path, { ...unchecked, key: page.token })),
    ...readsOf("session", (path) => owner.get(path, unchecked)),
    ...readsOf("partner", (path) => partner.get(path, unchecked)),
    ...readsOf("tracking", (path) => api.request("GET", path, { ...unchecked, key: world.key })),
  ];
}

function queriesOf(path: string, operation: Operation | undefined): readonly string[] {
  if (operation === undefined) return [];
  const [, always = ""] = Object.entries(needed).find(([end]) => path.endsWith(end)) ?? [];
  const asked = (operation.parameters ?? []).flatMap(({ in: where, name, schema }) =>
    where === "query" && !always.startsWith(`${name}=`)
      ? (schema?.enum ?? values[name] ?? []).map((value) => `${name}=${value}`)
      : [],
  );
  return ["", ...asked].map((each) => [always, each].filter(Boolean).join("&")).map((query) => query && `?${query}`);
}
