import { expect } from "vitest";
import type { User } from "../../harness/session.ts";
import type { World } from "../../harness/world.ts";
import { eventually } from "../support/isolated-service.ts";
import { isExample, isSignedBy, type webhookReceiver } from "../support/webhook-receiver.ts";

/** Subscribes a receiver that sometimes fails to the program's events. */
export async function watchFeed(
  world: World,
  user: User,
  receiver: Awaited<ReturnType<typeof webhookReceiver>>,
  { fails }: { readonly fails: number },
) {
  // The example event never fails, because events wait until it is delivered, and the test doesn't wait for its second
  // retry.
  receiver.answerWith("/all", (reply, event) => {
    const isFailing = !isExample(event) && Math.random() < fails;
    reply.writeHead(isFailing ? 503 : 204).end();
  });
  const made = await user.post<{ data: { secret: string; newestSeq: number } }>(
    `/api/programs/${world.programId}/webhooks`,
    { url: receiver.url("/all") },
  );
  const { secret, newestSeq } = made.body.data;

  /** Checks that the feed has no gap and that the receiver got every event. Returns the number of events. */
  async function expectDelivered(patienceMs: number): Promise<number> {
    const told = await world.rows(
      "select seq from events where program_id = ? and not is_test and seq > ? order by seq",
      ...[world.programId, newestSeq],
    );
    const seqs = told.map(({ seq }) => Number(seq));
    expect(seqs).toEqual(seqs.map((_, i) => newestSeq + 1 + i));
    const ids = new Set(seqs.map((seq) => `evt_${world.programId}_${seq}`));
    const received = await eventually(
      async () => receiver.at("/all"),
      (events) => new Set(events.map(({ id }) => id)).size >= ids.size,
      patienceMs,
    );
    expect(new Set(received.map(({ id }) => id))).toEqual(ids);
    expect(received.every((event) => isSignedBy(secret, event))).toBe(true);
    return ids.size;
  }

  return { expectDelivered };
}
