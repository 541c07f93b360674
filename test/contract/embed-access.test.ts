import { expect, test } from "vitest";
import { parseDataKeys } from "#domain/data-keys.ts";
import { type EmbedToken, tokenMs } from "#domain/embed.ts";
import { decryptData, encryptData, ivBytes } from "#domain/encrypted-data.ts";
import { readToken, tokenText } from "#domain/token-text.ts";
import type { JsonObject, Reply } from "../../harness/client.ts";
import { testSecrets } from "../../harness/service.ts";
import type { World } from "../../harness/world.ts";
import { embedded, requestToken } from "../support/embedded.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const api = sharedApi();
const paths = ["overview", "links", "commissions", "payouts", "units"] as const;
const told = ({ status, body }: Reply<unknown>) => [status, body.error?.details];
const refused = [401, { code: "invalid_token" }];

type Page = Awaited<ReturnType<typeof embedded>>;

/** Sends every call of the page. Resolves to [status, error details] of each reply. */
const everyCall = async (page: Page, embedId?: string) => [
  ...(await Promise.all(paths.map(async (path) => told(await page.get(path, embedId))))),
  told(await page.createLink({}, embedId)),
  told(await page.estimate(undefined, embedId)),
];
const allRefused = Array.from({ length: paths.length + 2 }, () => refused);

const save = async (world: World, more: JsonObject = {}) => {
  const body = { origins: ["https://app.example"], ...more };
  const path = `/api/programs/${world.programId}/embed`;
  return (await people.owner.put<{ data: { embedId: string } }>(path, body)).body.data.embedId;
};

test("an owner's session or an API key can't call the embedded page's routes without a token", async () => {
  const world = await people.world();
  for (const path of paths) {
    expect(told(await people.owner.get(`/api/embed/${path}`))).toEqual(refused);
    const withSession = await people.owner.get(`/api/embed/${path}?program_id=${world.programId}&as=owner`);
    expect(told(withSession)).toEqual(refused);
    for (const key of [world.key, "svct_1_1.a.b", "nonsense"]) {
      expect(told(await api.request("GET", `/api/embed/${path}`, { key }))).toEqual(refused);
    }
  }
  expect(told(await people.owner.post("/api/embed/links", {}))).toEqual(refused);
  expect(told(await api.request("POST", "/api/embed/links", { body: {}, key: world.key }))).toEqual(refused);
});

test("an embed token can't call any route outside the embedded page", async () => {
  const world = await people.world();
  const { token } = await embedded(api, world);
  const side = `/api/partner/programs/${world.programId}/partners/${world.partner.id}/overview`;
  for (const path of ["/api/v1/programs/me/partners", "/api/v1/programs/me/readiness", side, "/api/programs"]) {
    expect((await api.request("GET", path, { key: token, checked: false })).status, path).toBe(401);
  }
});

test("an embed token gives access only to its own partner's live data", async () => {
  const worlds = [await people.world({ partners: [{}, {}] }), await people.world({ partners: [{}, {}] })];
  const [world, other] = worlds;
  if (world === undefined || other === undefined) throw new Error("two worlds");
  for (const each of worlds) {
    for (const [i, partner] of each.partners.entries()) {
      const path = `/api/programs/${each.programId}/partners/${partner.id}`;
      expect((await people.admin.patch(path, { externalId: `user-${i}` })).status).toBe(200);
    }
  }
  // A sale in the test book.
  const click = await api.click({
    affiliate_url: world.partner.landingUrl,
    additional_data: { test_mode: true, program_id: world.programId },
  });
  const testSale = { transaction_id: "t", amount_cents: 100, customer_key: "c", click_id: click.body.click_id };
  await api.sale({ ...testSale, additional_data: { test_mode: true } }, { key: world.key });
  const codesOf = async (page: Page) =>
    (await page.get<{ data: { code: string }[] }>("links")).body.data.map(({ code }) => code);
  for (const each of worlds) {
    for (const [i, partner] of each.partners.entries()) {
      const page = await embedded(api, each, { external_id: `user-${i}` });
      expect(await codesOf(page)).toEqual([partner.code]);
      expect((await page.get("commissions")).body.data).toEqual([]);
      const overview = await page.get<{ data: { totals: JsonObject } }>("overview");
      expect(overview.body.data.totals).toMatchObject({ clicks: 0, sales: 0 });
    }
  }
  // A token of one program whose prefix is replaced by the other program's.
  const { token } = await embedded(api, world, { external_id: "user-0" });
  const moved = token.replace(`svct_${world.programId.toString(36)}_`, `svct_${other.programId.toString(36)}_`);
  expect(told(await api.request("GET", "/api/embed/links", { key: moved }))).toEqual(refused);
});

test("a call with an embed token can name its own program's page or none, but not another program's page", async () => {
  const [world, other] = [await people.world(), await people.world()];
  const page = await embedded(api, world);
  const [own, foreign] = [await save(world), await save(other)];
  expect(await everyCall(page, foreign)).toEqual(allRefused);
  expect(await everyCall(page, "")).toEqual(allRefused);
  expect((await page.get("overview", own)).status).toBe(200);
  expect((await page.get("overview")).status).toBe(200);
});

async function pathOfKey({ programId, key }: { readonly programId: number; readonly key: string }): Promise<string> {
  const path = `/api/programs/${programId}`;
  const { body } = await people.owner.get<{ data: { apiKeys: { id: number; masked: string }[] } }>(path);
  const found = body.data.apiKeys.find(({ masked }) => masked.endsWith(key.slice(-4)));
  return `${path}/api-keys/${found?.id}`;
}

test("an embed token is refused after the API key that requested it is deleted", async () => {
  const world = await people.world({ keys: [{}, {}] });
  const [page, byOther] = [await embedded(api, world), await embedded(api, { key: world.keys[1] ?? "" })];
  const keyPath = await pathOfKey(world);
  expect((await page.get("overview")).status).toBe(200);
  expect((await people.owner.delete(keyPath)).status).toBe(200);
  expect(await everyCall(page)).toEqual(allRefused);
  expect((await byOther.get("overview")).status).toBe(200);
});

test("an embed token ends when its API key loses the scope manage", async () => {
  const world = await people.world({ keys: [{}, {}] });
  const [page, byOther] = [await embedded(api, world), await embedded(api, { key: world.keys[1] ?? "" })];
  const keyPath = await pathOfKey(world);
  expect((await people.owner.patch(keyPath, { scopes: ["read"] })).status).toBe(200);
  expect(await everyCall(page)).toEqual(allRefused);
  expect((await byOther.createLink()).status).toBe(201);
});

test("an owner revokes all embed tokens that were issued so far", async () => {
  const world = await people.world();
  const page = await embedded(api, world);
  await save(world);
  expect((await page.get("overview")).status).toBe(200);
  await save(world, { endTokens: true });
  expect(await everyCall(page)).toEqual(allRefused);
  expect((await (await embedded(api, world)).createLink()).status).toBe(201);
  await save(world, { show: { payouts: false } });
  expect(await everyCall(page)).toEqual(allRefused);
});

test("revoking all embed tokens changes no setting, and settings that aren't sent are kept", async () => {
  const world = await people.world();
  const send = (body: JsonObject) =>
    people.owner.put<{ data: JsonObject }>(`/api/programs/${world.programId}/embed`, body);
  const put = async (body: JsonObject) => (await send(body)).body.data;
  const origins = ["https://app.example"];
  const theme = { accent: "#1f6feb", background: null, text: null, radius: 8, font: "serif" };
  const first = await put({ origins, theme, show: { commissions: false, payouts: true, claims: true } });
  const ended = await put({ endTokens: true });
  expect(ended).toEqual({ ...first, tokensEndedAt: expect.any(String) });
  expect(await put({ origins: ["https://other.example"] })).toEqual({ ...ended, origins: ["https://other.example"] });
  const dark = { accent: null, background: "#000000", text: null, radius: null, font: null };
  expect(await put({ origins, theme: { background: dark.background } })).toEqual({ ...ended, theme: dark });
  expect(invalidFields(await send({ theme }))).toEqual(["origins"]);
});

test("an embed token's user whose name and email address are blank becomes a partner with the external id as the name", async () => {
  const world = await people.world();
  const page = await embedded(api, world, { external_id: "user-7", name: "\u200b", email: "" });
  expect((await page.createLink()).status).toBe(201);
  const named = "select name, email from partners where program_id = ? and external_id = 'user-7'";
  expect(await world.rows(named, world.programId)).toEqual([{ name: "user-7", email: null }]);
});

test("an embed token is refused while the program is archived, and accepted once it is active again", async () => {
  const world = await people.world();
  const page = await embedded(api, world);
  const path = `/api/programs/${world.programId}`;
  expect((await people.owner.patch(path, { status: "archived" })).status).toBe(200);
  expect(await everyCall(page)).toEqual(allRefused);
  expect((await people.owner.patch(path, { status: "active" })).status).toBe(200);
  expect((await page.get("overview")).status).toBe(200);
});

test("an erased partner's embed tokens are refused, and no new token is issued", async () => {
  const world = await people.world();
  const user = { external_id: "erased-user-7" };
  const page = await embedded(api, world, user);
  expect((await page.createLink()).status).toBe(201);
  const { body } = await requestToken(api, world, user);
  const path = `/api/programs/${world.programId}/partners/${body.data.partner_id}/erase`;
  expect((await people.owner.post(path, { confirm: true })).status).toBe(200);
  expect(await everyCall(page)).toEqual(allRefused);
  const again = await requestToken(api, world, user);
  expect(told(again)).toEqual([409, { code: "partner_erased" }]);
  const stored = await world.rows("select * from erased_identifiers where program_id = ?", world.programId);
  expect(stored).toHaveLength(1);
  expect(JSON.stringify(stored)).not.toContain("erased-user-7");
  expect(await world.audit()).toEqual([]);
});

test("an embed token is refused when it is an hour old, or if it was altered", async () => {
  const world = await people.world();
  const { token } = await embedded(api, world);
  const sent = readToken("svct", token);
  const dataKeys = parseDataKeys(testSecrets.DATA_KEYS);
  if (dataKeys === undefined) throw new Error("the tests' own data keys are not good");
  const context = { purpose: "embed-token", rowId: String(world.programId) } as const;
  const content: EmbedToken = JSON.parse((await decryptData(dataKeys, context, sent?.sealed ?? "")) ?? "");
  const issuedAgo = async (agoMs: number) => {
    const plain = JSON.stringify({ ...content, issuedAt: Date.now() - agoMs });
    const sealed = await encryptData(dataKeys, context, plain, crypto.getRandomValues(new Uint8Array(ivBytes)));
    return api.request("GET", "/api/embed/links", { key: tokenText("svct", world.programId, sealed) });
  };
  expect((await issuedAgo(tokenMs - 60_000)).status).toBe(200);
  expect(told(await issuedAgo(tokenMs))).toEqual(refused);
  const altered = token.slice(0, -2) + (token.endsWith("AA") ? "BB" : "AA");
  expect(told(await api.request("GET", "/api/embed/links", { key: altered }))).toEqual(refused);
});
