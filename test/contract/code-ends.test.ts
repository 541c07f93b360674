import { expect, test } from "vitest";
import type { Reply } from "../../harness/client.ts";
import type { World } from "../../harness/world.ts";
import { partnerSide } from "../support/partner-side.ts";
import { sharedApi } from "../support/shared-service.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile("stranger");

/** Messengers omit such characters at the end of a link, so the rest may be another partner's code. */
const cut = ["anna_", "anna-", "-anna", "_anna", "__"];

const told = (reply: Reply<unknown>) => [reply.status, invalidFields(reply as Parameters<typeof invalidFields>[0])];
const programOf = ({ programId }: World) => `/api/programs/${programId}`;
const landing = ({ programId }: World, code: string) =>
  sharedApi().click({ affiliate_url: `https://shop.example/?aff=${code}`, program_id: programId });

test.each(cut)(
  "a code that begins or ends with a dash or underscore is refused from a member, a partner and a key: %s",
  { tags: ["finding"] },
  async (code) => {
    const world = await people.world();
    const own = await partnerSide(world, people.stranger, world.partner.id);
    const partner = { name: "Anna", code };
    for (const reply of [
      await people.admin.post(`${programOf(world)}/partners`, partner),
      await people.admin.post(`${programOf(world)}/partners/${world.partner.id}/links`, { code }),
      await people.stranger.post(`${own}/links`, { code }),
      await people.admin.post(`${programOf(world)}/applications/1/approve`, { code }),
      await sharedApi().request("POST", "/api/v1/programs/me/partners", { body: partner, key: world.key }),
      await sharedApi().request("POST", "/api/v1/programs/me/partners", {
        body: { ...partner, external_id: "user-7" },
        key: world.key,
      }),
    ]) {
      expect(told(reply)).toEqual([400, ["code"]]);
    }
    expect(await world.rows("select 1 from referral_links where program_id = ?", world.programId)).toHaveLength(1);
  },
);

test("an existing code that ends with a dash or underscore keeps working, and repeating its creation succeeds", async () => {
  const world = await people.world({ partners: [{ code: "anna" }, { code: "anna_", name: "Zoe" }] });
  const [, zoe] = world.partners;
  await world.change({ sql: "update partners set external_id = 'user-8' where id = ?", args: [zoe?.id ?? 0] });
  const repeated = await sharedApi().request("POST", "/api/v1/programs/me/partners", {
    body: { name: "Zoe", code: "anna_", external_id: "user-8" },
    key: world.key,
  });
  expect(repeated.status).toBe(200);
  expect((await landing(world, "anna_")).body.partner_code).toBe("anna_");
  expect((await landing(world, "anna")).body.partner_code).toBe("anna");
  const paused = await people.admin.patch(`${programOf(world)}/links/anna_`, { status: "paused" });
  expect(paused.status).toBe(200);
  const taken = await people.admin.post(`${programOf(world)}/partners`, { name: "Zoe", code: "anna_" });
  expect(taken.status).toBe(409);
});

test("an import accepts a code that ends with a dash or underscore, with a warning each time", async () => {
  const world = await people.world();
  const rows = [
    { line: 1, name: "Anna", code: "anna;anna-2" },
    { line: 2, name: "Bea", code: "bea;bea_", email: "b@partners.example" },
    { line: 3, name: "Cy", code: "-cy", email: "b@partners.example" },
  ];
  const send = async () =>
    (
      await people.admin.post<{ data: { rows: { result: string; warnings?: string[] }[] } }>(
        `${programOf(world)}/imports/rows`,
        { kind: "partners", source: "Former program", rows },
      )
    ).body.data.rows.map(({ result, warnings }) => [result, warnings]);
  const warnings = [undefined, ["same_email", "code_end"], ["same_email", "code_end"]];
  expect(await send()).toEqual(warnings.map((each) => ["created", each]));
  expect(await send()).toEqual(warnings.map((each) => ["unchanged", each]));
  expect((await landing(world, "bea_")).body.partner_code).toBe("bea_");
});
