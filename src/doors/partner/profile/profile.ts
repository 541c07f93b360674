import { openDetails, PaymentSummary, paymentSummary } from "#api/payment-details.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import * as z from "#http/schema/zod.ts";
import { findAccount } from "#store/accounts/users.ts";
import type { PaymentVersionRow } from "#store/payment-details.ts";
import { findPaymentDetails } from "#store/views/payment-details.ts";
import type { InPartner } from "../guards.ts";

const OwnPayment = z.object({
  ...PaymentSummary.shape,
  details: z
    .object({
      account: z.string(),
      holder: z.string(),
      country: z.string().nullable(),
      taxId: z.string().nullable(),
    })
    .nullable()
    .describe("Only for the account that set them."),
});

export const Profile = z
  .object({
    name: z.string().describe("Of the partner."),
    email: z.string().nullable().describe("Where the program sends payouts and mail. Null for owners who look."),
    payment: OwnPayment.nullable().describe(
      "Where you are paid. Null: by the email address. Null for owners who look.",
    ),
    account: z.object({ name: z.string(), email: z.string() }).describe("That you are signed in with."),
    role: z.enum(["manage", "view", "owner"]).describe("`owner`: you look at it as an owner of the program."),
  })
  .openapi("PartnerProfile");

/** The partner at the program, the account at home. */
export async function readProfile(
  c: Ctx,
  { accountId, role, partner }: InPartner,
): Promise<Result<z.output<typeof Profile>>> {
  const { programId, partnerId } = partner;
  const [known, account] = await Promise.all([
    readFromDatabase(c, "program", (database) => findPaymentDetails(database, { programId, partnerId })),
    readFromDatabase(c, "home", (database) => findAccount(database, accountId)),
  ]);
  if (!known.ok) return known;
  if (!account.ok) return account;
  const { partner: found, newest } = known.value;
  if (found === undefined) return refused({ code: "not_found", what: "partner" });
  if (account.value === undefined) return refused({ code: "no_session" });
  const { name, email } = account.value;
  const isOwner = role === "owner";
  const own = {
    name: found.name,
    email: isOwner ? null : found.email,
    payment: isOwner ? null : await ownPayment(c, newest, accountId),
  };
  return ok({ ...own, account: { name, email }, role });
}

async function ownPayment(c: Ctx, newest: PaymentVersionRow | undefined, accountId: string) {
  const summary = paymentSummary(newest);
  if (newest === undefined || summary === null) return null;
  const details = newest.setBy === accountId ? await openDetails(c, newest) : undefined;
  if (details === undefined) return { ...summary, details: null };
  const { account, holder, country, taxId } = details;
  return { ...summary, details: { account, holder, country, taxId } };
}
