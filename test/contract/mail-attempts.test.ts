import { beforeAll, expect, test } from "vitest";
import type { Json } from "../../harness/client.ts";
import type { User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { accepting, mailReceiver } from "../support/mail-receiver.ts";

const mailer = await mailReceiver();
const own = isolatedService({ vars: mailer.vars });

let owner: User;
beforeAll(async () => {
  owner = await own.user("Olga");
});

interface Invited {
  readonly data: { readonly inviteUrl: string; readonly mailedTo: string | null };
}

const open = (partners: readonly object[] = [{}]) =>
  own.world({ partners, members: [{ user: owner, role: "owner" }], policies: [{ holdDays: 0 }] });
const pathOf = ({ programId }: World) => `/api/programs/${programId}`;
const mailsOf = (world: World) =>
  world.rows("select * from mails where program_id = ? order by created_at, id", world.programId);
const settled = (world: World, count: number) =>
  eventually(
    () => mailsOf(world),
    (rows) => rows.length === count && rows.every((row) => row.delivered_at !== null),
  );

let addresses = 0;
/** Sets the email address of the world's first partner. */
async function withAddress(world: World): Promise<string> {
  addresses += 1;
  const email = `ada-${addresses}-${world.programId}@example.com`;
  await world.change({
    sql: "update partners set email = ?1, email_hash = iif(?1 is null, null, 'of an address') where id = ?2",
    args: [email, world.partner.id],
  });
  return email;
}
const invite = (world: World, body: Json = {}) =>
  owner.post<Invited>(`${pathOf(world)}/partners/${world.partner.id}/invitations`, body);

test("an email that the server refuses permanently is marked as failed, and not sent again", async () => {
  const world = await open();
  const email = await withAddress(world);
  mailer.answerWith((reply) => void reply.writeHead(503, { "tributary-final": "1" }).end());
  await invite(world);
  const [row] = await eventually(
    () => mailsOf(world),
    (rows) => rows[0]?.attempts === 1,
  );
  expect(row).toMatchObject({ content: null, due_at: null, delivered_at: null, failed_at: expect.any(Number) });
  expect(mailer.to(email)).toHaveLength(1);
});

test("an email isn't retried if its link would be invalid by the next attempt", async () => {
  const world = await open();
  const email = await withAddress(world);
  const daySeconds = "86400";
  mailer.answerWith((reply) => void reply.writeHead(503, { "retry-after": daySeconds }).end());
  const body = { partnerIds: [world.partner.id], days: 1, mail: true };
  expect((await owner.post(`${pathOf(world)}/partners/invitations`, body)).status).toBe(202);
  const [row] = await eventually(
    () => mailsOf(world),
    (rows) => rows[0]?.attempts === 1,
  );
  expect(row).toMatchObject({ content: null, due_at: null, delivered_at: null, failed_at: expect.any(Number) });
  expect(Object.keys(mailer.to(email)[0] ?? {})).not.toContain("linkUntil");
  mailer.answerWith(accepting);
});

test("an email whose last attempt fails is marked as failed, its content deleted, and not sent again", async () => {
  const world = await open();
  const email = await withAddress(world);
  mailer.answerWith((reply) => void reply.writeHead(500).end());
  await invite(world);
  await eventually(
    () => mailsOf(world),
    (rows) => rows[0]?.attempts === 1,
  );
  const attempts = 9;
  await world.write({ sql: "update mails set attempts = ? where program_id = ?", args: [attempts, world.programId] });
  const [row] = await eventually(
    () => mailsOf(world),
    (rows) => rows[0]?.failed_at !== null,
  );
  expect(row).toMatchObject({ attempts: attempts + 1, content: null, due_at: null, delivered_at: null });
  const sent = mailer.to(email).length;
  mailer.answerWith(accepting);
  const other = await open();
  await withAddress(other);
  await invite(other);
  await settled(other, 1);
  expect(mailer.to(email)).toHaveLength(sent);
});

test("the Retry-After of the mail hook determines when an email is tried again, and the hook's response can be long", {
  tags: "soak",
}, async () => {
  const world = await open();
  await withAddress(world);
  mailer.answerWith((reply) => void reply.writeHead(503, { "retry-after": "3600" }).end());
  await invite(world);
  const [row] = await eventually(
    () => mailsOf(world),
    (rows) => rows[0]?.attempts === 1,
  );
  expect(Number(row?.due_at) - Date.now()).toBeGreaterThan(3_500_000);
  mailer.answerWith((reply) => void reply.writeHead(200).end("x".repeat(3_000_000)));
  const other = await open();
  await withAddress(other);
  await invite(other);
  await settled(other, 1);
});
