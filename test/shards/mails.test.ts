/** @module-tag soak */
import { expect, test } from "vitest";
import { eventually } from "../support/isolated-service.ts";
import { accepting, mailReceiver } from "../support/mail-receiver.ts";
import { movingShops } from "../support/moving-shops.ts";
import { shardedServiceWith } from "../support/sharded-service.ts";

const mailer = await mailReceiver();
const own = shardedServiceWith({ vars: mailer.vars }, "weur", "enam");
const { owner, shopAt, move, placeAt } = movingShops(own);

type Shop = Awaited<ReturnType<typeof shopAt>>;

async function invite({ id, partnerId }: Shop): Promise<string> {
  const email = `anna-${id}@example.com`;
  const partner = `/api/programs/${id}/partners/${partnerId}`;
  expect((await owner().patch(partner, { email })).status).toBe(200);
  expect((await owner().post(`${partner}/invitations`, {})).status).toBe(201);
  return email;
}

const mailsOf = (shard: number, { id }: Shop) => own.rows(shard, "select * from mails where program_id = ?", id);
const delivered = (shard: number, shop: Shop) =>
  eventually(
    () => mailsOf(shard, shop),
    ([row]) => row?.delivered_at != null,
    40_000,
  );

test("each shard sends the emails of its own programs, even while another shard's emails wait", async () => {
  const [first, second] = [await shopAt(1), await shopAt(2)];
  mailer.answerWith(accepting);
  const emails = [await invite(first), await invite(second)];
  await Promise.all([delivered(1, first), delivered(2, second)]);
  for (const email of emails) expect(mailer.to(email)).toHaveLength(1);
});

test("a waiting email is migrated with its program, and sent once by the target shard", { tags: "soak" }, async () => {
  const shop = await shopAt(1);
  mailer.answerWith((reply) => void reply.writeHead(500, { "retry-after": "15" }).end());
  const email = await invite(shop);
  await eventually(
    () => mailsOf(1, shop),
    ([row]) => row?.attempts === 1,
  );
  await move(shop, 2);
  expect(await placeAt(2, shop)).toBe("here");
  mailer.answerWith(accepting);
  expect(await mailsOf(2, shop)).toMatchObject([{ attempts: 1, delivered_at: null }]);
  const [row] = await delivered(2, shop);
  expect(row).toMatchObject({ content: null, due_at: null, failed_at: null });
  const mails = mailer.to(email);
  expect(new Set(mails.map(({ id }) => id))).toEqual(new Set([`mail_${row?.id}`]));
  expect(mails).toHaveLength(2);
});
