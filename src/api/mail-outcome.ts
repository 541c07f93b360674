import type { PartnerId, PayoutId, ProgramId } from "#domain/ids.ts";
import { ok, type Result } from "#domain/result.ts";
import type { Ctx } from "#http/context.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import { listMailedStatements, type MailedStatement } from "#store/views/payouts.ts";
import { sendsMail } from "./mail.ts";
import { readFromDatabase } from "./read-database.ts";

const mailResults = [
  "mailed",
  "already_mailed",
  "no_address",
  "same_address",
  "has_details",
  "no_access",
  "over_limit",
  "no_mail",
] as const;
export type MailResult = (typeof mailResults)[number];

export const MailOutcome = z
  .object({
    partnerId: id(),
    partnerCode: z.string().describe("The partner's first `aff` code."),
    name: z.string(),
    result: z
      .enum(mailResults)
      .describe(
        "`already_mailed`: mailed earlier, and not sent again. `same_address`: another partner in this call has the same address. `has_details`: has payment details already. `no_access`: no account has access to the partner yet, so no one could enter them. `over_limit`: today's limit is reached. `no_mail`: the service sends no mail.",
      ),
  })
  .openapi("MailOutcome");

export type MailOutcome = z.output<typeof MailOutcome>;

export const outcomesOf = <P extends { readonly id: PartnerId; readonly code: string; readonly name: string }>(
  partners: readonly P[],
  resultOf: (partner: P) => MailResult,
): MailOutcome[] =>
  partners.map((each) => ({ partnerId: each.id, partnerCode: each.code, name: each.name, result: resultOf(each) }));

export const dryRun = () =>
  fields
    .flag("dryRun")
    .default(false)
    .describe(
      "Mails nothing, and returns the outcome that each partner would have. Doesn't check the daily limits, or whether accounts have verified their addresses.",
    );

/**
 * Returns for each partner whether this call or an earlier one mailed the statement, or the reason why not. `reached`
 * contains the partners whom this call could have mailed.
 */
export async function statementOutcomes(
  c: Ctx,
  programId: ProgramId,
  payoutId: PayoutId,
  reached: ReadonlySet<PartnerId>,
): Promise<Result<MailOutcome[]>> {
  const asked = { programId, payoutId, operationId: c.get("call").operationId };
  const found = await readFromDatabase(c, "program", (database) => listMailedStatements(database, asked));
  if (!found.ok) return found;
  const resultOf = ({ partnerId, isNew, mailedAt, hasAddress }: MailedStatement): MailResult => {
    if (isNew) return "mailed";
    if (mailedAt !== null) return "already_mailed";
    if (!hasAddress && !reached.has(partnerId)) return "no_address";
    return sendsMail(c) ? "over_limit" : "no_mail";
  };
  return ok(
    found.value.map((each) => {
      const { partnerId, partnerCode, name } = each;
      return { partnerId, partnerCode, name, result: resultOf(each) };
    }),
  );
}
