import { expect, test } from "vitest";
import { parseDataKeys } from "#domain/data-keys.ts";
import type { EmbedToken } from "#domain/embed.ts";
import { encryptData, ivBytes } from "#domain/encrypted-data.ts";
import { tokenText } from "#domain/token-text.ts";
import { clickKeys, key, programId, service } from "./service.ts";

test.each([
  "/embed/",
  "/embed/emb_7",
  "/embed/emb_7_AAAAAAAAAAAAAAAAAAAAA",
  "/embed/emb_07_AAAAAAAAAAAAAAAAAAAAAA",
  "/embed/emb_7_AAAAAAAAAAAAAAAAAAAAAA/more",
])("%s isn't the path of an embedded referral page", async (path) => {
  const { status, body } = await service().send({ method: "GET", path });
  expect([status, body]).toMatchObject([404, { error: { message: "Not found" } }]);
});

/** Returns a token for the external id. The service in these tests encrypts data with the click keys. */
async function tokenOf(externalId: string): Promise<string> {
  const dataKeys = parseDataKeys(clickKeys);
  if (dataKeys === undefined) throw new Error("the tests' own data keys are not good");
  const context = { purpose: "embed-token", rowId: String(programId) } as const;
  const user = { name: null, email: null, groupId: null, code: null };
  const token: EmbedToken = { externalId, ...user, keyId: 1, issuedAt: Date.now() };
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  return tokenText("svct", programId, await encryptData(dataKeys, context, JSON.stringify(token), iv));
}

test("calls with a referral page's token are rate-limited by user, before the database is read", async () => {
  const asked = async (externalId: string, pastLimit: readonly string[] = []) => {
    const { send, counted } = service({ pastLimit });
    const reply = await send({ method: "GET", path: "/api/embed/overview", key: await tokenOf(externalId) });
    return { status: reply.status, who: counted.map(({ limit, who }) => `${limit} ${who}`) };
  };
  const [one, again, other] = [await asked("one"), await asked("one"), await asked("other")];
  expect(one.who).toEqual([expect.stringMatching(/^EMBED_LIMIT tributary [0-9a-f]{64}$/)]);
  expect(again.who).toEqual(one.who);
  expect(other.who).not.toEqual(one.who);
  // Calls within the limit return 503, because the database of these tests is unreachable.
  expect([one.status, (await asked("one", ["EMBED_LIMIT"])).status]).toEqual([503, 429]);
});

test("requests for referral page tokens are rate-limited by API key, separately from other calls with the same key", async () => {
  const { send, counted } = service({ pastLimit: ["EMBED_TOKEN_LIMIT"] });
  const { status, headers } = await send({ path: "/api/v1/programs/me/embed/tokens", key, body: { external_id: "u" } });
  expect([status, headers.get("RateLimit-Policy")]).toEqual([429, '"embedToken";q=60;w=60']);
  expect(counted.map(({ limit }) => limit)).toEqual(["EMBED_TOKEN_LIMIT"]);
});
