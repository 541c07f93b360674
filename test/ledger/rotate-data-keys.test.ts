import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseDataKeys } from "#domain/data-keys.ts";
import { decryptData, encryptData, keyIdOf } from "#domain/encrypted-data.ts";
import { contextOfMail } from "#domain/mail/sealed-mail.ts";
import { paymentContext } from "#domain/payment-details.ts";
import { secretContext } from "#domain/webhooks.ts";
import { openDatabaseClient } from "../../harness/database-client.ts";
import { createWorld } from "../../harness/world.ts";
import { isolatedDatabase } from "../support/isolated-database.ts";
import { tributary } from "../support/tributary.ts";

const own = isolatedDatabase();
const key = (id: number) => `${id}:${Buffer.alloc(32, id).toString("base64url")}`;
const ringOf = (text: string) => {
  const ring = parseDataKeys(text);
  if (ring === undefined) throw new Error("no key ring");
  return ring;
};
const both = `${key(2)},${key(1)}`;

const count = 250;
const userIds = Array.from({ length: count }, (_, i) => `user-${String(i).padStart(3, "0")}`);
const contextOf = (rowId: string) => ({ purpose: "totp-secret", rowId }) as const;

let folder: string;
let ofDetails: ReturnType<typeof paymentContext>;
let ofWebhook: ReturnType<typeof secretContext>;
const mail = { id: "waiting", programId: null };
beforeAll(async () => {
  const world = await createWorld(own.server.url);
  ofDetails = paymentContext({ programId: world.programId, sealId: "sealed" });
  await world.write({
    sql: `insert into payment_details (id, program_id, partner_id, method, last4, ciphertext, seal_id, digest, set_by, created_at)
      values (1, ?, ?, 'other', 'unt', ?, 'sealed', 'd', 'u', 0)`,
    args: [
      ...[world.programId, world.partner.id],
      await encryptData(ringOf(key(1)), ofDetails, "an account", new Uint8Array(12)),
    ],
  });
  await world.write({
    sql: "insert into mails (id, template, content, attempts, due_at, created_at) values (?, 'password_reset', ?, 0, 0, 0)",
    args: [mail.id, await encryptData(ringOf(key(1)), contextOfMail(mail), "a mail", new Uint8Array(12).fill(255))],
  });
  await world.write({
    sql: `insert into webhooks (id, program_id, is_test, url, description, status, cursor, created_at)
      values (1, ?, 0, 'https://shop.example/', '', 'active', 0, 0)`,
    args: [world.programId],
  });
  ofWebhook = secretContext({ programId: world.programId, sealId: "s" });
  await world.write({
    sql: "insert into webhook_secrets (seal_id, program_id, webhook_id, sealed, created_at) values ('s', ?, 1, ?, 0)",
    args: [world.programId, await encryptData(ringOf(key(1)), ofWebhook, "whsec_x", new Uint8Array(12).fill(254))],
  });
  folder = await mkdtemp(join(tmpdir(), "tributary-keys-"));
  const rows = await Promise.all(
    userIds.map(async (id, i) => ({
      id,
      secret: await encryptData(ringOf(key(1)), contextOf(id), `secret of ${id}`, new Uint8Array(12).fill(i)),
    })),
  );
  await openDatabaseClient(own.server.url).batch(
    rows.flatMap(({ id, secret }) => [
      { sql: "insert into users (id, name, email, created_at, updated_at) values (?, 'A', ?, 0, 0)", args: [id, id] },
      {
        sql: "insert into second_factors (user_id, secret, last_step, created_at) values (?, ?, 0, 0)",
        args: [id, secret],
      },
    ]),
    "write",
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const stored = async () =>
  (await openDatabaseClient(own.server.url).execute("select user_id, secret from second_factors order by 1")).rows.map(
    ({ user_id, secret }) => [String(user_id), String(secret)] as const,
  );

const details = async () =>
  String(
    (await openDatabaseClient(own.server.url).execute("select ciphertext from payment_details")).rows[0]?.ciphertext,
  );

const secretOfWebhook = async () =>
  String((await openDatabaseClient(own.server.url).execute("select sealed from webhook_secrets")).rows[0]?.sealed);

const content = async () =>
  String((await openDatabaseClient(own.server.url).execute("select content from mails")).rows[0]?.content);

async function rotate(ring: string) {
  const file = join(folder, "secrets.env");
  await writeFile(file, `DATA_KEYS="${ring}"\n`);
  return tributary(["rotate-data-keys", "--secrets-file", file], { DATABASE_URL: own.server.url, DATA_KEYS: "" });
}

test("npm run tributary -- rotate-data-keys encrypts all encrypted data again with the newest key, and a second run changes nothing", async () => {
  const before = await stored();
  expect(await rotate(key(2))).toEqual({
    code: 1,
    stdout: "0 encrypted with key 2.\n",
    stderr: `${count + 3} can't be decrypted: DATA_KEYS lacks their key, or they were altered.\n`,
  });
  expect((await rotate("1:short")).stderr).toContain("must be <id>:<base64url of 32 bytes>");
  expect(await stored()).toEqual(before);

  expect(await rotate(both)).toEqual({ code: 0, stdout: `${count + 3} encrypted with key 2.\n`, stderr: "" });
  const after = await stored();
  expect(new Set(after.map(([, secret]) => keyIdOf(secret)))).toEqual(new Set([2]));
  for (const [id, secret] of after) {
    expect(await decryptData(ringOf(key(2)), contextOf(id), secret)).toBe(`secret of ${id}`);
  }
  expect(await decryptData(ringOf(key(2)), ofDetails, await details())).toBe("an account");
  expect(await decryptData(ringOf(key(2)), contextOfMail(mail), await content())).toBe("a mail");
  expect(await decryptData(ringOf(key(2)), ofWebhook, await secretOfWebhook())).toBe("whsec_x");
  expect(await rotate(both)).toEqual({ code: 0, stdout: "0 encrypted with key 2.\n", stderr: "" });
  expect(await stored()).toEqual(after);
});
