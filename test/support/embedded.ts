import { expect } from "vitest";
import type { Api, Json, JsonObject } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";

interface TokenReply {
  readonly data: {
    readonly token: string;
    readonly expires_at: string;
    readonly expires_in: number;
    readonly partner_id: number | null;
  };
}

export interface EmbeddedLink {
  readonly data: { readonly code: string; readonly link: string | null; readonly madeBy: string };
}

export interface EstimateBody {
  readonly data: {
    readonly amounts: readonly { readonly month: number; readonly amountCents: number }[];
    readonly currency: string;
    readonly unit: JsonObject | null;
    readonly steps: readonly {
      readonly month: number;
      readonly text: string;
      readonly cents: number;
      readonly currency: string;
    }[];
  };
}

export const tokensPath = "/api/v1/programs/me/embed/tokens";

/** Requests a token with the program's API key. */
export const requestToken = (api: Api, { key }: Pick<World, "key">, body: JsonObject) =>
  api.request<TokenReply>("POST", tokensPath, { body, key });

/** Sends calls of the embedded referral page for a user of the product. */
export async function embedded(api: Api, world: Pick<World, "key">, user: JsonObject = { external_id: "user-7" }) {
  const { status, text, body } = await requestToken(api, world, user);
  expect(status, text).toBe(201);
  const { token } = body.data;
  const headersOf = (embedId: string | undefined) => (embedId === undefined ? {} : { "X-Embed-Id": embedId });
  return {
    token,
    get: <Body = JsonObject>(path: string, embedId?: string) =>
      api.request<Body>("GET", `/api/embed/${path}`, { key: token, headers: headersOf(embedId) }),
    estimate: (sent: Json = { amountCents: 4_900, currency: "EUR" }, embedId?: string) =>
      api.request<EstimateBody>("POST", "/api/embed/estimate", {
        body: sent,
        key: token,
        headers: headersOf(embedId),
      }),
    createLink: (sent: Json = {}, embedId?: string) =>
      api.request<EmbeddedLink>("POST", "/api/embed/links", { body: sent, key: token, headers: headersOf(embedId) }),
  };
}
