import type { ProgramId } from "#domain/ids.ts";
import { type Gate, gateStatuses, type Readiness, readiness, readinessStates } from "#domain/readiness.ts";
import { chainVerdicts } from "#domain/verification.ts";
import type { Ctx } from "#http/context.ts";
import { warnings } from "#http/reply.ts";
import { id, int32, int64 } from "#http/schema/integers.ts";
import { timestamp, timestampOrNull } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { readReadinessFacts } from "#store/reports/readiness.ts";
import { readFromDatabase } from "./read-database.ts";
import { reconciliationRecord } from "./reconciliations.ts";

const gate = <Action extends string>(action: Action) => ({
  status: z.enum(gateStatuses),
  next_action: z.literal(action).optional(),
});
const verdict = z.enum(chainVerdicts);
const instants = z.iso.datetime().nullable();

export const TestChain = z.object({ click: verdict, lead: verdict, sale: verdict });

export const ReadinessReply = z
  .object({
    program_id: id(),
    state: z.enum(readinessStates),
    integration_verified: z.boolean(),
    blocker: z
      .enum(["profile", "economics", "payout", "tracking", "live"])
      .nullable()
      .describe("The first gate that fails. Null if all gates pass."),
    gates: z.object({
      profile: z.object(gate("complete_program_profile")),
      economics: z.object(gate("set_commission_policy")),
      payout: z.object(gate("set_payout_mode")),
      tracking: z.object({
        ...gate("install_tracker_or_send_events"),
        detail: z.enum(["tracker_installed", "receiving_events"]).nullable(),
        checked_at: z.iso.datetime(),
      }),
      live: z.object({
        ...gate("run_synthetic_sale_chain"),
        test_chain: TestChain,
      }),
    }),
    last_event_at: z.object({ click: instants, lead: instants, sale: instants }),
    counts_24h: z.object({ clicks: int64(), leads: int64(), sales: int64() }),
    key_rotated_at: instants,
    last_reconciliation: reconciliationRecord.schema
      .nullable()
      .describe(
        "The last reported comparison with a payment processor's payments. Null if none has been reported. No gate depends on it.",
      ),
    poll: z.object({ retry_after_seconds: int32() }),
    ...warnings,
  })
  .openapi("Readiness");

/** `at` is in milliseconds. The value is undefined if the program doesn't exist. */
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
    last_reconciliation: verdict.lastReconciliation && reconciliationRecord.reply(verdict.lastReconciliation),
    poll: { retry_after_seconds: 5 },
  };
}

const gateReply = <Action extends string>({ status, nextAction }: Gate<Action>) => ({
  status,
  next_action: nextAction,
});
