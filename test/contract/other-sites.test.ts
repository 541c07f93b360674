import { expect, test } from "vitest";
import { builtDocument } from "../../harness/openapi.ts";
import { partnerSide } from "../support/partner-side.ts";
import { payoutsFixture } from "../support/payouts-fixture.ts";
import { sharedUser } from "../support/shared-service.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();

interface Read {
  readonly parameters?: readonly { readonly name: string; readonly schema: { readonly enum?: readonly string[] } }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: Read }>>;
}
const required: Readonly<Record<string, string>> = {
  "/api/programs/{programId}/export": "kind=customers",
  "/api/programs/{programId}/performance": "groupBy=partner&",
};

/** Each GET that can return a file, in each format, and each that an owner can call as the partner. */
const documented = (["session", "partner"] as const).flatMap((name) => {
  return Object.entries((builtDocument(name) as Document).paths).flatMap(([path, { get }]) => {
    if (get === undefined) return [];
    const valuesOf = (parameter: string) => get.parameters?.find((each) => each.name === parameter)?.schema.enum;
    const formats = (valuesOf("format") ?? [])
      .filter((format) => format !== "json")
      .map((format) => `${required[path] ?? ""}format=${format}`);
    const isFile = Object.keys(get.responses["200"]?.content ?? {}).some((type) => type !== "application/json");
    const asked = isFile && formats.length === 0 ? [required[path] ?? ""] : formats;
    return [...asked, ...(valuesOf("as") ?? []).map((as) => `as=${as}`)].map((query) => [path, query] as const);
  });
});

/** Headers that browsers send with a request from another site. Older browsers send only Origin. */
const foreign: readonly Readonly<Record<string, string>>[] = [
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-site" },
  { origin: "https://other.example" },
  { origin: "null" },
];

// The export of a person whose rows exceed one response is tested in test/contract/privacy.test.ts.
const laterRows = "/api/programs/{programId}/privacy/requests/{requestId}";
/** A page without data, which mails link to. */
const unsubscribe = "/api/mail/unsubscribe/{token}";

/** Opens a program with a final payout, and with access to its partner for Ada. */
async function openShop() {
  const shop = await payoutsFixture(people);
  const { world, alice } = shop;
  await shop.earn(1_000);
  const draft = await shop.post("owner", "", { currency: "EUR" });
  const payoutId = draft.body.data.id;
  await shop.post("owner", `/${payoutId}/finalize`, { expectedTotalCents: draft.body.data.totalCents });
  const ada = await sharedUser("Ada");
  await partnerSide(world, ada, alice.id);
  return { world, partnerId: alice.id, payoutId, ada };
}

/** The tests of single paths change nothing, so they share a program. */
let opened: Awaited<ReturnType<typeof openShop>> | undefined;

test("the OpenAPI documents list the calls that return a file, or an owner's view of a partner's data", () => {
  expect(documented.length).toBeGreaterThan(20);
  expect(documented.map(([path]) => path)).toContain(laterRows);
});

test.each(documented.filter(([path]) => path !== laterRows && path !== unsubscribe))(
  "a link on another site receives no data from %s?%s",
  async (path, query) => {
    opened ??= await openShop();
    const { world, partnerId, payoutId, ada } = opened;
    const ids = { programId: world.programId, partnerId, payoutId };
    const url = `${path.replaceAll(/\{(\w+)\}/g, (_, name) => String(ids[name as keyof typeof ids]))}?${query}`;
    const reader = path.startsWith("/api/partner/") && !query.startsWith("as=") ? ada : people.owner;
    const entries = async () =>
      Number((await world.rows("select count(*) as n from audit_entries where program_id = ?", world.programId))[0]?.n);
    const before = await entries();
    for (const headers of foreign) {
      const refused = await reader.get(url, { headers });
      expect(refused).toMatchObject({ status: 403, body: { error: { details: { code: "cross_site" } } } });
    }
    expect(await entries()).toBe(before);
  },
);

const files = [
  "export?kind=partners",
  "commissions?format=csv",
  "audit?format=csv",
  "balances?currency=EUR&format=csv",
  "payouts?format=csv",
];
const own = ["export", "commissions?format=csv", "statement?format=csv"];

test("a link on another site can't download a file, or create an audit entry for an owner's view", async () => {
  const world = await people.world({ partners: [{}] });
  const path = `/api/programs/${world.programId}`;
  const ada = await sharedUser("Ada");
  const side = await partnerSide(world, ada, world.partner.id);
  const entries = async () =>
    Number(
      (await world.rows("select count(*) as n from audit_entries where program_id = ?", world.programId))[0]?.n ?? 0,
    );
  const statement = `partners/${world.partner.id}/statement?format=csv`;
  const asOwner = `${side}/overview?as=owner`;
  const asked = [
    ...[...files, statement].map((file) => [people.owner, `${path}/${file}`] as const),
    ...own.map((file) => [ada, `${side}/${file}`] as const),
    [people.owner, asOwner] as const,
  ];
  const before = await entries();
  for (const [user, url] of asked) {
    for (const headers of foreign) {
      const { status, text } = await user.get(url, { headers });
      expect([url, status, /cross_site/.exec(text)?.[0]]).toEqual([url, 403, "cross_site"]);
    }
    // A browser sends Basic credentials automatically to a proxy that has requested them.
    const headers = { "sec-fetch-site": "cross-site", authorization: "Basic c2hvcDpzaG9w" };
    expect([url, (await user.get(url, { headers })).status]).toEqual([url, 403]);
  }
  expect(await entries()).toBe(before);
  const { origin } = new URL(ada.url);
  for (const [user, url] of asked) {
    for (const headers of [{ "sec-fetch-site": "same-origin" }, { "sec-fetch-site": "none" }, { origin }]) {
      expect([url, (await user.get(url, { headers })).status]).toEqual([url, 200]);
    }
  }
  expect(await entries()).toBe(before + 1);
});
