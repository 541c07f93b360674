import type { InPartner } from "#api/caller.ts";
import { updatePartner } from "#api/partners.ts";
import {
  OwnPayment,
  ownPayment,
  PaymentSummary,
  parseDetails,
  paymentFields,
  setPayment as setPaymentIn,
} from "#api/payment-details.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import { body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { findAccount } from "#store/accounts/users.ts";
import { findPaymentDetails } from "#store/views/payment-details.ts";
import { confirmIdentity, ownProof, proofWithPassword, wrongPassword } from "../member/auth/confirm-identity.ts";
import { inputRefusals } from "../member/guards.ts";
import { partnerRefusals, partnerSide, partnerWriteRefusals } from "./guards.ts";
import { PartnerSidePath, viewField } from "./params.ts";

const Profile = z
  .object({
    name: z.string().describe("Name of the partner."),
    email: z
      .string()
      .nullable()
      .describe(
        "Email address to which the program sends mail and, without payment details, payments. Null if an owner is viewing.",
      ),
    payment: OwnPayment.nullable().describe(
      "Your payment details. Null if you are paid by the email address, or if an owner is viewing.",
    ),
    account: z.object({ name: z.string(), email: z.string() }).describe("Account that you are signed in with."),
    role: z.enum(["manage", "view", "owner"]).describe("`owner`: you are viewing as an owner of the program."),
  })
  .openapi("PartnerProfile");

/** Reads the partner in the program's database and the account in the home database. */
async function readProfile(c: Ctx, { accountId, role, partner }: InPartner): Promise<Result<z.output<typeof Profile>>> {
  const { programId, partnerId } = partner;
  const [known, account] = await Promise.all([
    readFromDatabase(c, "program", (database) => findPaymentDetails(database, { programId, partnerId })),
    readFromDatabase(c, "home", (database) => findAccount(database, accountId)),
  ]);
  if (!known.ok) return known;
  if (!account.ok) return account;
  const { partner: found, newest } = known.value;
  if (found === undefined) return refused(notFound("partner"));
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

/** Checks the password and, if the account has a second factor, a code. Counts the attempt. */
async function confirmPassword(
  c: Ctx,
  { accountId: userId, confirmedAt }: Pick<InPartner, "accountId" | "confirmedAt">,
  given: { readonly password: string | null; readonly code: string | null },
): Promise<Result<void>> {
  const confirmed = await confirmIdentity(c, { userId, confirmedAt }, (credential) =>
    proofWithPassword(credential, given),
  );
  if (confirmed.ok) return ok(undefined);
  return refused(confirmed.refusal === wrongPassword ? { code: "wrong_password" } : confirmed.refusal);
}

export const getProfile = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/partners/{partnerId}/profile",
    operationId: "getPartnerProfile",
    tags: ["Partner"],
    summary: "Get your profile",
    description: "Returns the partner, and the account that you are signed in with.",
    ...partnerSide(),
    request: { params: PartnerSidePath, query: z.object(viewField()) },
    responses: {
      ...returns("The profile", z.object({ data: Profile })),
      ...refusals([...partnerRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const found = await readProfile(c, c.var);
    return found.ok ? c.json({ data: found.value }, 200) : refuse(c, found.refusal);
  },
});

const Changes = z
  .object({
    name: fields.optional(fields.nonBlank("name")),
    email: fields
      .optional(fields.email("email"))
      .describe(
        "Requires the password, and a code with two-factor authentication. The program checks a new address before it pays to it.",
      ),
    ...ownProof,
  })
  .openapi("PartnerProfileChanges");

export const updateProfile = endpoint({
  route: createRoute({
    method: "patch",
    path: "/programs/{programId}/partners/{partnerId}/profile",
    operationId: "updatePartnerProfile",
    tags: ["Partner"],
    summary: "Update your profile",
    description: "Omitted fields stay unchanged. Also works while the program or the partner is paused.",
    ...withJsonBody(partnerSide("manage")),
    request: { params: PartnerSidePath, body: body(Changes) },
    responses: {
      ...returns("The profile", z.object({ data: Profile })),
      ...refusals([...partnerWriteRefusals, ...inputRefusals, "wrong_password", "reauthenticate", "email_unverified"]),
    },
  }),
  handler: async (c) => {
    const { accountId, partner } = c.var;
    const { name, email, password, code } = c.req.valid("json");
    if (email !== null) {
      const confirmed = await confirmPassword(c, c.var, { password, code });
      if (!confirmed.ok) return refuse(c, confirmed.refusal);
    }
    const { programId, partnerId, shard } = partner;
    const changes = { name: name ?? undefined, email: email ?? undefined };
    const updated = await updatePartner(
      c,
      { id: programId, shard },
      {
        ...c.get("call"),
        kind: "update-partner",
        programId,
        partnerId,
        actorId: accountId,
        changes,
        isByPartner: true,
      },
    );
    if (!updated.ok) return refuse(c, updated.refusal);
    const found = await readProfile(c, c.var);
    return found.ok ? c.json({ data: found.value }, 200) : refuse(c, found.refusal);
  },
});

const NewPaymentDetails = z.object({ ...paymentFields, ...ownProof }).openapi("NewPartnerPaymentDetails");

export const setPayment = endpoint({
  route: createRoute({
    method: "put",
    path: "/programs/{programId}/partners/{partnerId}/payment",
    operationId: "setPartnerPayment",
    tags: ["Partner"],
    summary: "Set your payment details",
    description:
      "Stored encrypted, and shown in full only to you and in the program's payment files. After a first " +
      "payment, the program checks new details before it pays to them. Also works while the program or the " +
      "partner is paused.",
    ...withJsonBody(partnerSide("manage")),
    request: { params: PartnerSidePath, body: body(NewPaymentDetails) },
    responses: {
      ...returns("The payment details", z.object({ data: PaymentSummary.nullable() })),
      ...refusals([
        ...partnerWriteRefusals,
        ...inputRefusals,
        "wrong_password",
        "reauthenticate",
        "invalid_account",
        "email_unverified",
      ]),
    },
  }),
  handler: async (c) => {
    const { accountId, partner } = c.var;
    const { password, code, ...input } = c.req.valid("json");
    const details = parseDetails(input);
    if (!details.ok) return refuse(c, details.refusal);
    const confirmed = await confirmPassword(c, c.var, { password, code });
    if (!confirmed.ok) return refuse(c, confirmed.refusal);
    const { programId, partnerId } = partner;
    const set = await setPaymentIn(c, { programId, partnerId, actorId: accountId, actsAs: "partner" }, details.value);
    return set.ok ? c.json({ data: set.value }, 200) : refuse(c, set.refusal);
  },
});
