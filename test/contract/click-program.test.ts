import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../harness/client.ts";
import { createWorld, type WorldSettings } from "../../harness/world.ts";
import { at, createProgramFixture, daysAgo, inTestMode, type ProgramFixture } from "../support/program-fixture.ts";
import { sharedApi, sharedService } from "../support/shared-service.ts";
import { uniqueWord } from "../support/unique-word.ts";
import { usersOfFile } from "../support/users-fixture.ts";

const api = sharedApi();
const people = usersOfFile();
const ownCode = () => uniqueWord("Code-");

/** A tenant's website, and the destination of its link. */
interface Sites {
  readonly websiteUrl?: string | null;
  readonly destinationUrl?: string;
}

const tenantsWith = (code: string, sites: readonly Sites[], settings: WorldSettings = {}) =>
  Promise.all(
    sites.map(({ websiteUrl = null, destinationUrl }) =>
      createProgramFixture({
        ...settings,
        program: { websiteUrl, ...settings.program },
        partners: [{ code, ...(destinationUrl === undefined ? {} : { destinationUrl }) }, {}],
      }),
    ),
  );

const land = (url: string, code: string, body: JsonObject = {}, key?: string) =>
  api.click({ affiliate_url: `${url}?aff=${code}`, ...body }, key === undefined ? {} : { key });
const clicksOf = (tenants: readonly ProgramFixture[]) =>
  Promise.all(tenants.map(async ({ all }) => (await all("clicks")).length));

const message = "program_id is required";
const programRequired = {
  status: 400,
  body: {
    data: null,
    error: {
      status: 400,
      name: "BadRequestError",
      message,
      details: { errors: [{ path: ["program_id"], message, name: "ValidationError" }] },
    },
  },
};

it("a click needs no program_id on any page if only one program uses its code", async () => {
  const code = ownCode();
  for (const url of ["https://shop.example/", "https://elsewhere.example/", "http://localhost:3000/"]) {
    const tenants = await tenantsWith(`${code}${url.length}`, [{}]);
    const reply = await land(url, `${code}${url.length}`);
    expect(reply.body).toMatchObject({ success: true, partner_code: `${code}${url.length}` });
    expect(await clicksOf(tenants)).toEqual([1]);
  }
});

describe("a code used by several programs, without program_id", () => {
  it.each<[string, string, Sites[], number]>([
    [
      "a website",
      "https://shop.example/",
      [{ websiteUrl: "https://a.example" }, { websiteUrl: "https://shop.example" }],
      1,
    ],
    [
      "the destination of a link",
      "https://new.shop.example/",
      [{ destinationUrl: "https://shop.example/new" }, { websiteUrl: "https://a.example" }],
      0,
    ],
    [
      "the Unicode spelling of a host, with port, www. and trailing dot",
      "https://www.bücher.example.:8443/",
      [
        { websiteUrl: "https://a.example" },
        { websiteUrl: "https://xn--bcher-kva.example" },
        { websiteUrl: "http://b.example" },
      ],
      1,
    ],
    [
      "a shop's host on a platform whose domain another program has as its website",
      "https://ours.myshopify.com/",
      [{ websiteUrl: "https://myshopify.com" }, { websiteUrl: "https://ours.myshopify.com" }],
      1,
    ],
  ])("a click whose code several programs use is attributed by %s", async (_, url, sites, expected) => {
    const code = ownCode();
    const tenants = await tenantsWith(code, sites);
    const reply = await land(url, code);
    expect(reply).toMatchObject({ status: 200, body: { success: true, partner_code: code } });
    expect(await clicksOf(tenants)).toEqual(sites.map((_site, i) => (i === expected ? 1 : 0)));
    const [row] = (await tenants[expected]?.all("clicks")) ?? [];
    expect(row).toMatchObject({ click_id: reply.body.click_id, partner_id: tenants[expected]?.alice.id });
  });

  it.each<[string, string, Sites[]]>([
    [
      "two tenants of one host",
      "https://shop.example/",
      [{ websiteUrl: "https://shop.example" }, { websiteUrl: "https://www.shop.example" }],
    ],
    ["a URL without a host", "https://shop.example/", [{ websiteUrl: "https://shop.example" }, {}]],
    [
      "hosts that don't match the page's",
      "https://shop.example/",
      [{ websiteUrl: "https://a.example" }, { websiteUrl: "https://b.example" }],
    ],
    [
      "a public suffix",
      "https://victim.github.io/",
      [{ websiteUrl: "https://github.io" }, { websiteUrl: "https://a.example" }],
    ],
    [
      "localhost",
      "http://localhost:3000/",
      [{ websiteUrl: "http://localhost:3000" }, { websiteUrl: "https://a.example" }],
    ],
  ])("a click whose code several programs use is refused with %s, and nothing is recorded", async (_, url, sites) => {
    const code = ownCode();
    const tenants = await tenantsWith(code, sites);
    expect(await land(url, code)).toMatchObject(programRequired);
    expect(await clicksOf(tenants)).toEqual(sites.map(() => 0));
    const programId = tenants[1]?.world.programId ?? 0;
    expect(await land(url, code, { program_id: programId })).toMatchObject({ status: 200 });
    expect(await clicksOf(tenants)).toEqual(sites.map((_site, i) => (i === 1 ? 1 : 0)));
  });

  const two = [{ websiteUrl: "https://shop.example" }, { websiteUrl: "https://other.example" }];

  it("a click whose code several programs use is recorded once per event_id, and a second time if program_id names another of the programs", async () => {
    const code = ownCode();
    const tenants = await tenantsWith(code, two);
    const first = await land("https://shop.example/", code, { event_id: "e" });
    expect((await land("https://shop.example/", code, { event_id: "e" })).body).toEqual(first.body);
    const named = { event_id: "e", program_id: tenants[1]?.world.programId ?? 0 };
    expect((await land("https://shop.example/", code, named)).body.click_id).not.toBe(first.body.click_id);
    expect(await clicksOf(tenants)).toEqual([1, 1]);
  });

  it("a click whose code several programs use is refused if the program with the landing page's website is paused", async () => {
    const code = ownCode();
    const tenants = await tenantsWith(code, two, { program: { status: "paused" } });
    expect((await land("https://shop.example/", code)).body).toMatchObject({ success: false });
    expect(await clicksOf(tenants)).toEqual([0, 0]);
  });

  it("a click with occurred_at whose code several programs use needs the key of the program with the landing page's website", async () => {
    const code = ownCode();
    const tenants = await tenantsWith(code, two);
    const send = (i: number) =>
      land("https://shop.example/", code, { occurred_at: at(daysAgo(1)) }, tenants[i]?.world.key);
    expect((await send(1)).status).toBe(401);
    expect((await send(0)).status).toBe(200);
    expect(await clicksOf(tenants)).toEqual([1, 0]);
  });

  it("the program of a test click is identified by the landing page's website too, or named in additional_data", async () => {
    const code = ownCode();
    const tenants = await tenantsWith(code, two);
    const [first, second] = tenants.map(({ world }) => world.programId);
    const reply = await land("https://shop.example/", code, inTestMode);
    expect(reply.body.data).toMatchObject({ programId: first, test_mode: true });
    expect(await land("https://third.example/", code, inTestMode)).toMatchObject(programRequired);
    const named = { additional_data: { test_mode: true, program_id: second ?? 0 } };
    expect((await land("https://third.example/", code, named)).body.data).toMatchObject({ programId: second });
    expect(await clicksOf(tenants)).toEqual([1, 1]);
  });

  it("a click's program is identified among up to 100 programs with the same code, and the click is refused if more programs have the code", {
    tags: "soak",
  }, async () => {
    const [few, many] = [ownCode(), ownCode()];
    const worlds = await Promise.all(
      Array.from({ length: 101 }, (_, i) =>
        createWorld(sharedService.databaseUrl, {
          program: { websiteUrl: `https://shop-${i}.example` },
          partners: [{ code: i === 0 ? ownCode() : few }, { code: many }],
        }),
      ),
    );
    const reply = await land("https://shop-42.example/", few);
    const [stored] = (await worlds[42]?.rows("select * from clicks where click_id = ?", reply.body.click_id)) ?? [];
    expect(stored?.program_id).toBe(worlds[42]?.programId);
    expect(await land("https://shop-42.example/", many)).toMatchObject(programRequired);
  });
});

it("a click with a verification code, which begins with ~, is refused without program_id", async () => {
  const code = `~${ownCode()}`;
  const shops = await tenantsWith(code, [
    { websiteUrl: "https://shop.example" },
    { websiteUrl: "https://shop.example" },
  ]);
  for (const { world } of shops) world.forged.add("partners with a code of the wrong kind");
  expect((await land("https://shop.example/", code)).body.error.message).toBe(
    "No aff parameter found in affiliate_url",
  );
});

it("after programs change their codes or websites, the next click is attributed by the new values", async () => {
  const code = ownCode();
  const [own, other] = [await people.world({ partners: [] }), await people.world({ partners: [] })];
  const create = (world: typeof own) =>
    people.admin.post(`/api/programs/${world.programId}/partners`, { name: "Partner", code });
  const moveTo = (world: typeof own, websiteUrl: string | null) =>
    people.admin.patch(`/api/programs/${world.programId}`, { websiteUrl });
  const clicks = async (world: typeof own) =>
    (await world.rows("select id from clicks where program_id = ?", world.programId)).length;
  const counts = async () => [await clicks(own), await clicks(other)];
  const visit = () => land("https://shop.example/", code);

  await moveTo(own, "https://own.example");
  await moveTo(other, "https://shop.example");
  expect((await visit()).body.error.message).toBe("Referral link not found");

  expect((await create(own)).status).toBe(201);
  expect((await visit()).status).toBe(200);
  expect(await counts()).toEqual([1, 0]);

  expect((await create(other)).status).toBe(201);
  expect((await visit()).status).toBe(200);
  expect(await counts()).toEqual([1, 1]);

  await moveTo(own, "https://shop.example");
  expect(await visit()).toMatchObject(programRequired);
  await moveTo(other, "https://other.example");
  expect((await visit()).status).toBe(200);
  expect(await counts()).toEqual([2, 1]);

  await moveTo(other, null);
  expect(await visit()).toMatchObject(programRequired);
  expect(await counts()).toEqual([2, 1]);
});
