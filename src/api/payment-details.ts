import { dateUtc } from "#domain/calendar.ts";
import { decryptData } from "#domain/encrypted-data.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import { detailsChanged, detailsRequested } from "#domain/mail/letters.ts";
import { parseAccount } from "#domain/payee-account.ts";
import {
  maxPayeeAddress,
  type PaymentDetails,
  paymentContext,
  paymentMethods,
  type SealedPaymentDetails,
} from "#domain/payment-details.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { dataKeysOf, hashSecretOf } from "#env.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import * as fields from "#http/schema/form-fields.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { sealedDetails } from "#http/sealed-details.ts";
import { originOf } from "#http/transport.ts";
import type { SetPaymentDetailsCall } from "#operations/manage/set-payment-details.ts";
import type { ChangeCall } from "#operations/manage/settings-change.ts";
import { readBatch, readOne } from "#store/database.ts";
import { type DetailsRecipient, detailsRecipients, detailsRequestId } from "#store/details-requests.ts";
import { accountsOfPartner } from "#store/partner-access.ts";
import { partnerOfProgram } from "#store/partners.ts";
import type { PaymentVersionRow } from "#store/payment-details.ts";
import { programById } from "#store/programs.ts";
import { findPaymentDetails } from "#store/views/payment-details.ts";
import { countMail, countNewDetails, type MailingFor } from "./account-limits.ts";
import { mailRow, sendMails, sendsMail } from "./mail.ts";
import { type MailOutcome, type MailResult, outcomesOf } from "./mail-outcome.ts";
import { admitAddress, countingMailed, type Drafts, mailingPartners, noDrafts } from "./mails-to-strangers.ts";
import { readFromDatabase } from "./read-database.ts";

const countryRule = "country must be two letters of ISO 3166-1, such as DE";

export const paymentFields = {
  method: fields
    .oneOf("method", paymentMethods)
    .describe("`bank`: an IBAN. `other`: a method that the partner and the program agreed on."),
  account: fields.nonBlank("account", 200).describe("An IBAN for `bank`, an email address for `paypal` and `wise`."),
  holder: fields.nonBlank("holder", 100).describe("Name of the account's holder."),
  country: fields
    .optionalText(z.string(countryRule).regex(/^([A-Za-z]{2})?$/, countryRule))
    .describe("Country of the account's holder: ISO 3166-1, two letters."),
  taxId: fields
    .optional(fields.nonBlank("taxId", 40))
    .describe("Tax ID of the holder, printed on the partner's statements."),
  address: fields
    .optional(fields.postalAddress("address", maxPayeeAddress))
    .describe("Address of the holder, as printed on the partner's statements."),
};

type PaymentInput = { readonly [Name in keyof typeof paymentFields]: z.output<(typeof paymentFields)[Name]> };

/** Has no name in the OpenAPI document, because a named schema there loses its `nullable`. */
export const PaymentSummary = z.object({
  method: z.enum(paymentMethods),
  last4: z
    .string()
    .describe(
      "Last characters of the account: at most four, and at most half of it. An email address is masked as `j•••@example.com`.",
    ),
  setAt: z.iso.datetime(),
});

/** Null if the partner has no payment details. */
export const paymentSummary = (newest: PaymentVersionRow | undefined): z.output<typeof PaymentSummary> | null =>
  newest == null || newest.method === null || newest.last4 === null
    ? null
    : { method: newest.method, last4: newest.last4, setAt: timestamp(newest.createdAt) };

export function parseDetails({ country, account: written, ...rest }: PaymentInput): Result<PaymentDetails> {
  const account = parseAccount(rest.method, written.trim());
  if (account === undefined) return refused({ code: "invalid_account", method: rest.method });
  return ok({ ...rest, account, country: country?.toUpperCase() ?? null });
}

export const sealDetails = (
  { env }: Pick<Ctx, "env">,
  programId: ProgramId,
  sealId: string,
  details: PaymentDetails,
): Promise<SealedPaymentDetails> =>
  sealedDetails({ dataKeys: dataKeysOf(env), hashSecret: hashSecretOf(env) }, programId, sealId, details);

export type SealedVersion = Pick<PaymentVersionRow, "programId" | "sealId" | "ciphertext">;

/** Decrypts payment details. Undefined if there are none, or no configured key can decrypt them. */
export async function openDetails(
  { env }: Pick<Ctx, "env">,
  { programId, sealId, ciphertext }: SealedVersion,
): Promise<PaymentDetails | undefined> {
  if (ciphertext === null) return undefined;
  const plain = await decryptData(dataKeysOf(env), paymentContext({ programId, sealId }), ciphertext);
  return plain === undefined ? undefined : (JSON.parse(plain) as PaymentDetails);
}

/** Has no name in the OpenAPI document, like `PaymentSummary`. */
export const OwnPayment = z.object({
  ...PaymentSummary.shape,
  details: z
    .object({
      account: z.string(),
      holder: z.string(),
      country: z.string().nullable(),
      taxId: z.string().nullable(),
      address: z.string().nullable(),
    })
    .nullable()
    .describe("The details in full, only for the account that set them."),
});

/** The payment details as an account with access to the partner sees them. */
export async function ownPayment(c: Pick<Ctx, "env">, newest: PaymentVersionRow | undefined, accountId: string) {
  const summary = paymentSummary(newest);
  if (newest === undefined || summary === null) return null;
  const details = newest.setBy === accountId ? await openDetails(c, newest) : undefined;
  if (details === undefined) return { ...summary, details: null };
  const { account, holder, country, taxId, address = null } = details;
  return { ...summary, details: { account, holder, country, taxId, address } };
}

type By = Pick<SetPaymentDetailsCall, "programId" | "partnerId" | "actorId" | "actsAs">;

export async function setPayment(
  c: Ctx,
  by: By,
  details: PaymentDetails,
): Promise<Result<z.output<typeof PaymentSummary> | null>> {
  const { operationId, at } = c.get("call");
  const isByPartner = by.actsAs === "partner";
  const overLimit = isByPartner ? await countNewDetails(c, by.programId, by.partnerId) : undefined;
  if (overLimit !== undefined) return refused(overLimit);
  const sealed = await sealDetails(c, by.programId, operationId, details);
  const drafts = await detailsMail(c, { ...by, isByPartner }, "payment");
  if (!drafts.ok) return drafts;
  const [mail] = drafts.value.mails;
  const set = { ...by, kind: "set-payment-details", operationId, at, sealed, mail } as const;
  const outcome = await countingMailed(c, drafts.value, () => runOperation(c, set));
  if (!outcome.ok) return refused(outcome.refusal);
  if (mail !== undefined) sendMails(c, "program");
  const found = await readFromDatabase(c, "program", (database) => findPaymentDetails(database, by));
  return found.ok ? ok(paymentSummary(found.value.newest)) : found;
}

interface Changed {
  readonly programId: ProgramId;
  readonly partnerId: PartnerId;
  /** The author of the change. Null or undefined for a program key. */
  readonly actorId?: string | null;
  /** True if the author is an account with access to the partner. */
  readonly isByPartner?: boolean;
  /** The partner's new email address, if the change is of the address. */
  readonly email?: string | null;
}

/**
 * Prepares a mail about changed details, to the address that the partner had before the change. Returns no mail if
 * there is no mail hook, if the partner had no address, or if the address stays the same. Refuses if a limit of mails
 * is exceeded, or if the author must verify their own address first.
 */
export async function detailsMail(
  c: Ctx,
  { programId, partnerId, actorId, isByPartner = false, email }: Changed,
  what: "email" | "payment",
): Promise<Result<Drafts>> {
  if (!sendsMail(c)) return ok(noDrafts);
  const found = await readFromDatabase(c, "program", (database) =>
    readBatch(database, {
      program: programById({ id: programId }),
      partner: partnerOfProgram({ programId, id: partnerId }),
      accounts: accountsOfPartner({ programId, partnerId }),
    }),
  );
  if (!found.ok) return found;
  const { program, partner } = found.value;
  const to = partner?.email ?? null;
  if (to === null || to === email) return ok(noDrafts);
  const overLimit = await countMail(c, "details_changed", to);
  if (overLimit !== undefined) return refused(overLimit);
  const accounts = found.value.accounts.map(({ accountId }) => accountId);
  const by = { programId, userId: actorId ?? undefined, isByPartner, isOfDetails: true, accounts };
  const admitted = await admitAddress(c, by, to);
  if (!admitted.ok) return admitted;
  const of = { programName: program?.name ?? "", origin: originOf(c), hasAccount: accounts.length > 0 };
  const letter = detailsChanged({ ...of, what });
  const row = await mailRow(c, { template: "details_changed", programId, mail: { to, ...letter } });
  return ok({ mails: row === undefined ? [] : [{ to, row }], counted: admitted.value });
}

export const maxRequested = 1_000;

interface Requesting {
  readonly by: Omit<ChangeCall, "kind">;
  readonly sender: MailingFor;
  readonly programName: string;
  /** True to mail nothing, and to return what the call would do. */
  readonly isDryRun: boolean;
}

/** The reason not to mail this partner. */
function whyNotAsked({ hasDetails, accounts, isAsked }: DetailsRecipient): MailResult | undefined {
  if (hasDetails) return "has_details";
  if (accounts.length === 0) return "no_access";
  return isAsked ? "already_mailed" : undefined;
}

/**
 * Mails each partner without payment details a request to enter them, at most once a day. Skips partners whom no
 * account can access.
 */
export async function requestDetails(
  c: Ctx,
  { by, sender, programName, isDryRun }: Requesting,
  partnerIds: readonly PartnerId[],
): Promise<Result<MailOutcome[]>> {
  const { programId, at } = by;
  const day = dateUtc(at);
  const wanted = { programId, ids: JSON.stringify(partnerIds), day };
  const found = await readFromDatabase(c, "program", (database) => readOne(database, detailsRecipients(wanted)));
  if (!found.ok) return found;
  if (isDryRun) {
    const expected = sendsMail(c) ? "mailed" : "no_mail";
    return ok(outcomesOf(found.value, (each) => whyNotAsked(each) ?? expected));
  }
  const open = found.value.filter((each) => whyNotAsked(each) === undefined);
  let asked: ReadonlySet<PartnerId> = new Set();
  const audience = {
    template: "details_requested",
    find: async () =>
      open.map(({ id, email, accounts }) => ({
        partnerId: id,
        to: email?.toLowerCase() ?? null,
        isSkipped: false,
        accounts,
      })),
    findMailed: async () => asked,
  } as const;
  const mailed = await mailingPartners(c, sender, audience, async ({ mailsFrom: origin, recipients }) => {
    const reached = new Set(recipients.map(({ partnerId }) => partnerId));
    if (origin === undefined || reached.size === 0) return ok(reached);
    const requests = await Promise.all(
      recipients.map(async ({ partnerId, ...recipient }) => {
        const mail = { to: recipient.to, ...detailsRequested({ programName, origin, programId, partnerId }) };
        const id = detailsRequestId({ programId, partnerId, day });
        const row = await mailRow(c, { template: "details_requested", programId, mail, id });
        return row === undefined ? [] : [{ partnerId, ...recipient, row }];
      }),
    );
    const outcome = await runOperation(c, { ...by, kind: "request-details", requests: requests.flat() });
    if (!outcome.ok) return refused(outcome.refusal);
    asked = new Set(outcome.answer.asked);
    return ok(reached);
  });
  if (!mailed.ok) return mailed;
  const resultOf = (each: DetailsRecipient): MailResult => {
    const why = whyNotAsked(each);
    if (why !== undefined) return why;
    if (asked.has(each.id)) return "mailed";
    if (!sendsMail(c)) return "no_mail";
    return each.email === null && !mailed.value.has(each.id) ? "no_address" : "over_limit";
  };
  return ok(outcomesOf(found.value, resultOf));
}
