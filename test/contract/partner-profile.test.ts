import { expect, test } from "vitest";
import type { Json, Reply } from "../../harness/client.ts";
import { signUp } from "../../harness/session.ts";
import { partnerSide } from "../support/partner-side.ts";
import { sharedService, sharedUser } from "../support/shared-service.ts";
import { invalidFields, usersOfFile } from "../support/users-fixture.ts";

const people = usersOfFile();
const told = ({ status, body: { error } }: Reply<unknown>) => [status, error.details?.code ?? error.message];

test("a partner's profile contains the partner and the account, and a new email address requires the password", async () => {
  const world = await people.world({ partners: [{ name: "Anna's blog" }] });
  const user = await signUp(sharedService.url);
  const side = await partnerSide(world, user, world.partner.id);
  const profile = async () => (await user.get<{ data: Json }>(`${side}/profile`)).body.data;
  const account = { name: user.name, email: user.email };
  const before = { name: "Anna's blog", email: null, payment: null, account, role: "manage" };
  expect(await profile()).toEqual(before);

  const set = (json: Json) => user.patch<{ data: Json }>(`${side}/profile`, json);
  expect(invalidFields(await set({ email: "new@partners.example" }))).toEqual(["password"]);
  expect(told(await set({ email: "new@partners.example", password: "a wrong passphrase" }))).toEqual([
    400,
    "wrong_password",
  ]);
  expect(invalidFields(await set({ email: "none", password: user.password }))).toEqual(["email"]);
  expect(await profile()).toEqual(before);
  const changed = await set({ name: "Anna", email: "new@partners.example", password: user.password });
  expect(changed.body.data).toEqual({ ...before, name: "Anna", email: "new@partners.example" });
  const again = await set({ email: "newest@partners.example", password: user.password });
  expect(again.status).toBe(200);
  const [row] = await world.rows("select details_changed_at from partners where id = ?", world.partner.id);
  expect(Number(row?.details_changed_at)).toBeGreaterThan(Date.now() - 60_000);
  const [entry] = await world.rows(
    "select actor_id, after from audit_entries where program_id = ? and action = 'partner.updated' order by id desc limit 1",
    world.programId,
  );
  expect(entry?.actor_id).toBe(user.userId);
  expect(String(entry?.after)).not.toContain("newest@partners.example");

  const viewer = await sharedUser();
  const viewed = await partnerSide(world, viewer, world.partner.id, "view");
  expect(told(await viewer.patch(`${viewed}/profile`, { name: "Mine" }))).toEqual([403, "view_only"]);
  const owner = await people.owner.get<{ data: Json }>(`${side}/profile?as=owner`);
  expect(owner.body.data).toMatchObject({ name: "Anna", email: null, role: "owner" });
});
