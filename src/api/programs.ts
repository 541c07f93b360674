import { isTimezone } from "#domain/calendar.ts";
import type { ProgramId } from "#domain/ids.ts";
import { payoutApprovals } from "#domain/payout-status.ts";
import { programStatus, programStatuses } from "#domain/program-status.ts";
import { attributionModels, leadAuths, payoutModes, windowUntils } from "#domain/program-terms.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import { mayActAs, type Role } from "#domain/role.ts";
import type { Ctx } from "#http/context.ts";
import * as fields from "#http/schema/fields.ts";
import { id, int32, int64 } from "#http/schema/integers.ts";
import { instant, instantOrNull, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import type { ProgramRow } from "#store/programs.ts";
import { issuerOf, payerOf, readProgram } from "#store/views/programs.ts";
import { apiKeyRecord, apiKeyReply } from "./api-keys.ts";
import { readFromDatabase } from "./read-database.ts";

export const websiteUrl = () => fields.webUrl("websiteUrl").transform((url) => url || null);

export const timezone = () => {
  const message = "timezone must be an IANA time zone name";
  return z.string(message).max(255, message).refine(isTimezone, message).openapi({ example: "Europe/Amsterdam" });
};

const PayerReply = z.object({ name: z.string(), iban: z.string(), bic: z.string().nullable() }).openapi("Payer");

/** Has no name in the OpenAPI document, because a named schema there loses its `nullable`. */
export const Issuer = z.object({ name: z.string(), address: z.string(), taxId: z.string().nullable() });

export const programRecord = record("Program", {
  id: id(),
  workspaceId: z.string(),
  name: z.string(),
  websiteUrl: z.string().nullable(),
  currency: z.string(),
  timezone: z.string(),
  leadAuth: z.enum(leadAuths),
  attributionModel: z.enum(attributionModels),
  attributionWindowDays: int32(),
  windowUntil: z
    .enum(windowUntils)
    .describe(
      "Event that must fall within the attribution window. `lead`: the lead; the first sale may follow at any time. `first_sale`: the first sale too. Without a lead, the first sale must always fall within the window.",
    ),
  cookieWindowDays: int32()
    .nullable()
    .describe("Days for which the script's cookies last. Null means as long as the attribution window."),
  payoutMode: z.enum(payoutModes).nullable(),
  minimumPayoutCents: int64()
    .nullable()
    .describe("Smallest amount of a payout's line, in the program's currency. Null means 1."),
  payoutTerms: z.string().nullable(),
  payoutApproval: z.enum(payoutApprovals),
  requireDetails: z.boolean().describe("True if payouts leave out partners without payment details."),
  partnersSeeRevenue: z.boolean().describe("True if partners see the revenue of their sales."),
  payer: PayerReply.nullable()
    .optional()
    .describe("The account that files for your bank pay from. Visible only to owners and admins."),
  issuer: Issuer.nullable().describe("Issuer of the partners' statements, as printed."),
  status: z.enum(programStatuses),
  archivedAt: instantOrNull("Time at which the program was archived. Null unless it is archived."),
  createdAt: instant(),
});

export const ProgramWithKeys = programRecord.schema
  .extend({
    apiKeys: z.array(apiKeyRecord.schema).optional().describe("API keys, newest first. Visible only to owners."),
  })
  .openapi("ProgramWithKeys");

export const programReply = (program: ProgramRow, role: Role) =>
  programRecord.reply({
    ...program,
    payer: mayActAs(role, "admin") ? payerOf(program) : undefined,
    issuer: issuerOf(program),
    status: programStatus(program),
  });

export async function loadProgram(
  c: Ctx,
  programId: ProgramId,
  role: Role,
): Promise<Result<z.output<typeof ProgramWithKeys>>> {
  const found = await readFromDatabase(c, "program", (database) => readProgram(database, programId));
  if (!found.ok) return found;
  const { program, keys } = found.value;
  if (program === undefined) return refused(notFound("program"));
  const apiKeys = role === "owner" ? { apiKeys: keys.map(apiKeyReply) } : {};
  return ok({ ...programReply(program, role), ...apiKeys });
}
