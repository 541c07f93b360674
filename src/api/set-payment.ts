import type { PaymentDetails } from "#domain/payment-details.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { countNewDetails } from "#doors/member/auth/limits.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import type * as z from "#http/schema/zod.ts";
import type { SetPaymentDetailsCall } from "#operations/manage/set-payment-details.ts";
import { findPaymentDetails } from "#store/views/payment-details.ts";
import { detailsMail } from "./details-mail.ts";
import { sendMails } from "./mail.ts";
import { type PaymentSummary, paymentSummary, sealDetails } from "./payment-details.ts";
import { readFromDatabase } from "./read-database.ts";

type By = Pick<SetPaymentDetailsCall, "programId" | "partnerId" | "actorId" | "actsAs">;

export async function setPayment(
  c: Ctx,
  by: By,
  details: PaymentDetails,
): Promise<Result<z.output<typeof PaymentSummary> | null>> {
  const { operationId, at } = c.get("call");
  const overLimit = await countNewDetails(c, by.programId, by.partnerId);
  if (overLimit !== undefined) return refused(overLimit);
  const sealed = await sealDetails(c, by.programId, operationId, details);
  const mail = await detailsMail(c, by, "payment");
  if (!mail.ok) return mail;
  const set = { ...by, kind: "set-payment-details", operationId, at, sealed, mail: mail.value } as const;
  const outcome = await runOperation(c, set);
  if (!outcome.ok) return refused(outcome.refusal);
  if (mail.value !== undefined) sendMails(c, "program");
  const found = await readFromDatabase(c, "program", (database) => findPaymentDetails(database, by));
  return found.ok ? ok(paymentSummary(found.value.newest)) : found;
}
