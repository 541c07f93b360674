import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { noDetails } from "#domain/sale-type.ts";
import type { Task } from "#engine/task.ts";
import type { LeadCall } from "#operations/track/lead.ts";
import { recordLead } from "#operations/track/record-lead.ts";
import { recordRefund } from "#operations/track/record-refund.ts";
import { recordSale } from "#operations/track/record-sale.ts";
import type { RefundCall } from "#operations/track/refund.ts";
import type { SaleCall } from "#operations/track/sale.ts";
import type { Partner, World } from "../../harness/world.ts";
import { instantSleep } from "./instant-sleep.ts";
import { ownLedger } from "./own-ledger.ts";
import { clickOf, daysAgo } from "./program-fixture.ts";

const opId = () => randomBytes(8).toString("hex");

/** Returns calls to a Ledger without a runtime. All calls have the same instant, and by default the customer "c1". */
export function callsOf(
  { programId, rows }: Pick<World, "programId" | "rows">,
  database: string | ReturnType<typeof ownLedger>,
) {
  const now = daysAgo(0);
  const clock = { now: () => now, sleep: instantSleep, random: () => 0.5 };
  const ledger = typeof database === "string" ? ownLedger(database, clock) : database;
  const key = { programId, vouched: true } as const;
  const click = (partner: Pick<Partner, "linkId">, at: number) => ({
    clickId: clickOf(programId, partner, at),
    programId,
    isTest: false,
    linkId: partner.linkId,
    at,
  });
  type Click = ReturnType<typeof click>;
  const common = () => ({ operationId: opId(), at: now, isTest: false, occurredAt: now });
  const taken = async <T>(outcome: Promise<{ ok: true; answer: T } | { ok: false; refusal: unknown }>) => {
    const got = await outcome;
    if (!got.ok) throw new Error(`refused: ${JSON.stringify(got.refusal)} ${ledger.faults.map(String)}`);
    return got.answer;
  };
  const leadTask = (
    by: "key" | "browser",
    clicks: readonly Click[],
    customerKey: string | null = "c1",
    more: Partial<LeadCall> = {},
  ) =>
    ledger.taskOf(
      recordLead,
      {
        ...common(),
        kind: "lead",
        programId,
        customerKey,
        email: null,
        pageUrl: null,
        eventName: null,
        clicks,
        sentClickId: clicks.length > 0,
        key: by === "key" ? key : undefined,
        ...more,
      },
      now,
    );
  const saleTask = (transactionId: string, occurredAt: number, more: Partial<SaleCall> = {}, arrivedAt = now) =>
    ledger.taskOf(
      recordSale,
      {
        ...common(),
        kind: "sale",
        key,
        occurredAt,
        transactionId,
        customerKey: "c1",
        clicks: [],
        clickId: null,
        sentClickId: false,
        sentOccurredAt: true,
        amountCents: 1_000,
        currency: null,
        ...noDetails,
        ...more,
      },
      arrivedAt,
    );
  const refundTask = (
    transactionId: string,
    asked: "rest" | "amount" | "total" | "cancel" | "cancel_total",
    more: Partial<RefundCall> = {},
  ) =>
    ledger.taskOf(
      recordRefund,
      {
        ...common(),
        kind: "refund",
        key,
        transactionId,
        asked,
        cents: null,
        refundId: null,
        chargeTotalCents: null,
        reason: null,
        sentOccurredAt: false,
        ...more,
      },
      now,
    );
  const submit = ledger.submit;
  return {
    ledger,
    click,
    key,
    leadTask,
    saleTask,
    refundTask,
    lead: (...args: Parameters<typeof leadTask>) => taken(submit(leadTask(...args)).outcome),
    sale: (...args: Parameters<typeof saleTask>) => taken(submit(saleTask(...args)).outcome),
    refund: (...args: Parameters<typeof refundTask>) => taken(submit(refundTask(...args)).outcome),
    decide: (commissionId: number, decision: "approved" | "rejected") =>
      submit(
        ledger.changeTask(
          {
            kind: "decide-commissions",
            operationId: opId(),
            at: now,
            programId,
            actorId: "someone",
            ...{ reason: "r", partnerNote: null },
            commissionIds: [commissionId],
            decision,
          },
          now,
        ),
      ).outcome,
    /**
     * Submits the calls while another call is being committed, so that all of them are decided in one round (batch of
     * calls) after one read.
     */
    together: async (...tasks: readonly Task[]) => {
      // Waits for the end of the current round. A call is answered before its round ends, so the new calls could
      // otherwise join that round.
      await setImmediate();
      submit(saleTask(`ahead ${opId()}`, now, { customerKey: "ahead" }));
      return Promise.all(tasks.map((task) => submit(task).outcome));
    },
    commissions: () =>
      rows(
        `select s.transaction_id as t, c.id, c.partner_id, c.status, c.reason, c.is_unconfirmed, c.initial_cents, c.amount_cents,
           c.approved_at, c.approved_by
         from commissions c join sales s on s.id = c.sale_id where c.program_id = ? order by s.occurred_at, s.id`,
        programId,
      ),
    customer: async () => (await rows("select * from customers where program_id = ?", programId))[0],
    pending: async () =>
      (
        await rows(
          "select p.* from pending_moves p join customers c on c.id = p.customer_id where c.program_id = ?",
          programId,
        )
      ).length,
    maintain: () => ledger.loop.maintain(),
  };
}
