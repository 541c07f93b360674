import type { ProgramId } from "#domain/ids.ts";
import { type Gate, type Readiness, readiness } from "#domain/readiness.ts";
import type { ReadinessReply } from "#doors/key/readiness.ts";
import type { Ctx } from "#http/context.ts";
import { timestamp, timestampOrNull } from "#http/schema/timestamp.ts";
import type * as z from "#http/schema/zod.ts";
import { readReadinessFacts } from "#store/reports/readiness.ts";
import { readFromDatabase } from "./read-database.ts";

/** `at` is in milliseconds. The value is undefined if there is no such program. */
export const readVerdict = (c: Ctx, programId: ProgramId, at: number) =>
  readFromDatabase(c, "program", async (database) => {
    const facts = await readReadinessFacts(database, programId, at);
    return facts && readinessReply(readiness(facts, at));
  });

export function readinessReply(verdict: Readiness): z.output<typeof ReadinessReply> {
  const { profile, economics, payout, tracking, live } = verdict.gates;
  const { click, lead, sale } = verdict.lastEventAt;
  return {
    program_id: verdict.programId,
    state: verdict.state,
    integration_verified: verdict.integrationVerified,
    blocker: verdict.blocker,
    gates: {
      profile: gateReply(profile),
      economics: gateReply(economics),
      payout: gateReply(payout),
      tracking: { ...gateReply(tracking), detail: tracking.detail, checked_at: timestamp(tracking.checkedAt) },
      live: { ...gateReply(live), test_chain: live.testChain },
    },
    last_event_at: { click: timestampOrNull(click), lead: timestampOrNull(lead), sale: timestampOrNull(sale) },
    counts_24h: verdict.counts24h,
    key_rotated_at: timestampOrNull(verdict.keyRotatedAt),
    poll: { retry_after_seconds: 5 },
  };
}

const gateReply = <Action extends string>({ status, nextAction }: Gate<Action>) => ({
  status,
  next_action: nextAction,
});
