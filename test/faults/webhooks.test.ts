import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { eventually, isolatedService } from "../support/isolated-service.ts";
import { isSignedBy, webhookReceiver } from "../support/webhook-receiver.ts";
import { expectOnce, knownTo, traffic } from "./traffic.ts";

const receiver = await webhookReceiver();
const own = isolatedService({ vars: receiver.vars });

it("each event is delivered, though the runtime and the database are killed and the receiver fails meanwhile", async () => {
  const user = await own.user("Olga");
  const world = await knownTo(own.service.url, await own.world({ members: [{ user, role: "owner" }] }));
  const path = `/api/programs/${world.programId}/webhooks`;
  const made = await user.post<{ data: { secret: string; newestSeq: number } }>(path, { url: receiver.url("/all") });
  const { secret, newestSeq } = made.body.data;
  receiver.answerWith("/all", (reply) => void reply.writeHead(Math.random() < 0.1 ? 503 : 204).end());

  const disturb = async () => {
    await delay(300);
    await own.service.kill();
    await own.service.restart();
    await delay(300);
    await own.database.kill();
    await delay(300);
    await own.database.start();
  };
  const [outcome] = await Promise.all([traffic(world, [own.service.url], { customers: 20, everyMs: 30 }), disturb()]);
  await expectOnce(world, [outcome]);
  const told = await world.rows("select seq from events where program_id = ? and seq > ?", world.programId, newestSeq);
  const ids = told.map(({ seq }) => `evt_${world.programId}_${seq}`);
  expect(ids.length).toBeGreaterThan(60);
  const received = await eventually(
    async () => receiver.at("/all"),
    (events) => new Set(events.map(({ id }) => id)).size >= ids.length,
    90_000,
  );
  expect(new Set(received.map(({ id }) => id))).toEqual(new Set(ids));
  expect(received.every((event) => isSignedBy(secret, event))).toBe(true);
}, 150_000);
