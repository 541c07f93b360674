import { beforeAll, expect, test } from "vitest";
import type { User } from "../../harness/session.ts";
import { setVerified } from "../../harness/users.ts";
import type { World } from "../../harness/world.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { accepting, mailReceiver } from "../support/mail-receiver.ts";
import { giveAccess, partnerPath } from "../support/partner-side.ts";

const mailer = await mailReceiver();
const own = isolatedService({ vars: mailer.vars, limits: {} });

let owner: User;
let ada: User;
beforeAll(async () => {
  [owner, ada] = await Promise.all([own.user("Olga"), own.user("Ada")]);
});

interface Outcomes {
  readonly data: { readonly outcomes: readonly { readonly partnerCode: string; readonly result: string }[] };
}

const open = (codes: readonly string[]) =>
  own.world({
    partners: codes.map((code) => ({ code: `${code}-${Math.random().toString(36).slice(2)}` })),
    members: [{ user: owner, role: "owner" }],
  });

const setEmail = (world: World, i: number, email: string) =>
  world.change({
    sql: "update partners set email = ?, email_hash = 'of an address' where id = ?",
    args: [email, world.partners[i]?.id ?? 0],
  });
const access = (world: World, i: number, user: User = ada) =>
  giveAccess(world, { user, partnerId: world.partners[i]?.id ?? 0 });

async function ask(world: World, by: User = owner) {
  const partnerIds = world.partners.map(({ id }) => id);
  const { status, text, body } = await by.post<Outcomes>(
    `/api/programs/${world.programId}/partners/payment-details-requests`,
    { partnerIds },
  );
  if (status !== 202) throw new Error(`${status} ${text}`);
  return body.data.outcomes.map(({ partnerCode, result }) => `${partnerCode.split("-")[0]} ${result}`).toSorted();
}

const delivered = (world: World, count: number) =>
  eventually(
    () => world.rows("select * from mails where program_id = ?", world.programId),
    (rows) => rows.length === count && rows.every((row) => row.delivered_at !== null),
  );

test("partners without payment details are mailed a request once a day, and the outcome says why a partner wasn't mailed", async () => {
  const world = await open(["own", "account", "details", "unjoined"]);
  mailer.answerWith(accepting);
  const address = `own-${world.programId}@example.com`;
  await setEmail(world, 0, address);
  for (const i of [0, 1, 2]) await access(world, i);
  const path = partnerPath(world, world.partners[2]?.id ?? 0);
  const details = { method: "other", account: "by post", holder: "Ada", password: ada.password };
  const set = await ada.put(`${path}/payment`, details);
  expect(set.status, set.text).toBe(200);

  const replies = await Promise.all([ask(world), ask(world)]);
  for (const name of ["account", "own"]) expect(replies.flat()).toContain(`${name} mailed`);
  for (const outcomes of [...replies, await ask(world)]) {
    expect(outcomes.filter((each) => !/ (already_)?mailed$/.test(each))).toEqual([
      "details has_details",
      "unjoined no_access",
    ]);
  }
  expect(await ask(world)).toEqual([
    "account already_mailed",
    "details has_details",
    "own already_mailed",
    "unjoined no_access",
  ]);
  await delivered(world, 2);
  const [mail, ...others] = mailer.to(address);
  expect(others).toEqual([]);
  expect(mail).toMatchObject({ template: "details_requested", subject: "Test program asks where to pay you" });
  expect(mail?.text).toContain(`/partner/programs/${world.programId}/partners/${world.partner.id}/profile`);
  expect(mailer.to(ada.email.toLowerCase()).map(({ template }) => template)).toContain("details_requested");
  expect(await world.audit()).toEqual([]);
  const trail = await world.rows(
    "select subject from audit_entries where program_id = ? and action = 'payment_details.requested'",
    world.programId,
  );
  expect(trail).toEqual([{ subject: "2 partners" }]);
});

test("a partner without an email address isn't asked for payment details, and an owner with an unverified address can't ask for them", async () => {
  const world = await open(["bare"]);
  const bea = await own.user("Bea");
  await setVerified(own.database.url, bea, false);
  await access(world, 0, bea);
  expect(await ask(world)).toEqual(["bare no_address"]);
  const strange = await own.user("Stan");
  await setVerified(own.database.url, strange, false);
  const theirs = await own.world({ members: [{ user: strange, role: "owner" }] });
  await access(theirs, 0, bea);
  await setEmail(theirs, 0, "someone@example.com");
  await expect(ask(theirs, strange)).rejects.toThrow("403");
});

test("requests for payment details to an address without a verified account are limited for each address", async () => {
  const worlds = await Promise.all(Array.from({ length: 11 }, () => open(["p"])));
  const address = `many-${worlds[0]?.programId}@example.com`;
  const results: string[] = [];
  for (const world of worlds) {
    await setEmail(world, 0, address);
    await access(world, 0);
    results.push(...(await ask(world)));
  }
  expect(results).toEqual([...Array.from({ length: 10 }, () => "p mailed"), "p over_limit"]);
});

test("a user who isn't a member can't request payment details, and a request needs a list of partner ids", async () => {
  const world = await open(["p"]);
  const path = `/api/programs/${world.programId}/partners/payment-details-requests`;
  const statuses = await Promise.all([
    owner.post(path, { partnerIds: [] }),
    owner.post(path, {}),
    owner.post(path, { partnerIds: Array.from({ length: 1_001 }, (_, i) => i + 1) }),
    ada.post(path, { partnerIds: [1] }),
    owner.post(path, { partnerIds: [987_654_321] }),
  ]);
  expect(statuses.map(({ status }) => status)).toEqual([400, 400, 400, 403, 202]);
  expect(statuses.at(-1)?.body).toEqual({ data: { outcomes: [] } });
});
