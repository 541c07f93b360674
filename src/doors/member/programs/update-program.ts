import { callWithDirectory } from "#api/directory.ts";
import { type Payer, parseBic } from "#domain/payer.ts";
import { parseIban } from "#domain/payment-details.ts";
import { payoutApprovals } from "#domain/payout-status.ts";
import { programStatuses } from "#domain/program-status.ts";
import { attributionModels, leadAuths, maxWindowDays, payoutModes, windowUntils } from "#domain/program-terms.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { loadProgram } from "./load-program.ts";
import { ProgramWithKeys, timezone, websiteUrl } from "./program-record.ts";

const maxTerms = 2_000;

const ibanRule = "payer.iban must be an IBAN";
const bicRule = "payer.bic must be a BIC of 8 or 11 characters";

/** As it is written without spaces, in upper case. */
const parsed = (parse: (text: string) => string | undefined, rule: string) =>
  z
    .string(rule)
    .max(64, rule)
    .refine((text) => parse(text) !== undefined, rule)
    .transform((text) => parse(text) ?? text);

const PayerInput = z
  .object({
    name: fields.nonBlank("payer.name", 70).describe("The name that your bank knows you by."),
    iban: parsed(parseIban, ibanRule).openapi({ example: "DE89370400440532013000" }),
    bic: fields.optional(parsed(parseBic, bicRule)).openapi({ example: "COBADEFFXXX" }),
  })
  .openapi("PayerChange");

const ProgramChanges = z
  .object({
    name: fields.omittable(fields.nonBlank("name")),
    websiteUrl: websiteUrl().nullish().describe("Null or empty removes it."),
    currency: fields.omittable(fields.currency("currency")),
    timezone: fields
      .omittable(timezone())
      .describe("Time zone of the days in reports. Applies to events and statements from now on."),
    leadAuth: fields.omittable(fields.oneOf("leadAuth", leadAuths)),
    attributionModel: fields.omittable(fields.oneOf("attributionModel", attributionModels)),
    attributionWindowDays: fields.omittable(fields.integer("attributionWindowDays", 1, maxWindowDays)),
    windowUntil: fields.omittable(fields.oneOf("windowUntil", windowUntils)),
    cookieWindowDays: fields
      .integer("cookieWindowDays", 1, maxWindowDays)
      .nullish()
      .describe("Null means the attribution window."),
    payoutMode: fields.omittable(fields.oneOf("payoutMode", payoutModes)),
    minimumPayoutCents: fields
      .amountCents("minimumPayoutCents")
      .nullish()
      .describe("Smallest amount of a payout's line, in the program's currency. Null means 1.")
      .openapi({ type: ["integer", "null"] }),
    payoutTerms: fields
      .text("payoutTerms", maxTerms)
      .nullish()
      .transform((terms) => (terms === "" ? null : terms))
      .describe("Shown to partners. Null or empty removes it."),
    payoutApproval: fields
      .omittable(fields.oneOf("payoutApproval", payoutApprovals))
      .describe(
        "`two_people`: another user than the one who finalized a payout must confirm it. Only owners can change this, and not back to `one_person` while a payout is final.",
      ),
    requireDetails: fields
      .omittable(fields.flag("requireDetails"))
      .describe("Payouts leave out partners without payment details. Otherwise they are paid by their email address."),
    partnersSeeRevenue: fields
      .omittable(fields.flag("partnersSeeRevenue"))
      .describe("Shows partners the revenue of their sales, by day."),
    payer: PayerInput.nullish().describe(
      "The account that files for your bank pay from. Null removes it. Only owners can change it.",
    ),
    status: fields
      .omittable(fields.oneOf("status", programStatuses))
      .describe(
        "`archived` stops recording and keeps all data; `active` or `paused` restores an archived program. Only owners can archive and restore.",
      ),
  })
  .openapi("ProgramChanges");

const payerColumns = (payer: Payer | null) => ({
  payerName: payer?.name ?? null,
  payerIban: payer?.iban ?? null,
  payerBic: payer?.bic ?? null,
});

export const updateProgram = endpoint({
  route: createRoute({
    method: "patch",
    path: "/programs/{programId}",
    operationId: "updateProgram",
    tags: ["Management"],
    summary: "Update a program",
    description:
      "Changes apply from the next call on and alter no earlier decision. " +
      "Of an archived program, only the status can be changed.",
    ...reauthenticated(withJsonBody(programMember("admin")), "payer", "payoutApproval", "requireDetails"),
    request: { params: ProgramPath, body: body(ProgramChanges) },
    responses: {
      ...returns("The updated program", z.object({ data: ProgramWithKeys })),
      ...refusals([
        "reauthenticate",
        ...memberWriteRefusals,
        ...inputRefusals,
        "program_archived",
        "payout_unconfirmed",
        "join_page_open",
      ]),
    },
  }),
  handler: async (c) => {
    const isOwner = c.get("membership").role === "owner";
    const { payer, ...sent } = c.req.valid("json");
    const changes = { ...sent, ...(payer !== undefined && payerColumns(payer)) };
    const update = { ...actingMember(c), kind: "update-program", isOwner, changes } as const;
    const { websiteUrl, status } = changes;
    const isArchived = status === "archived";
    const updated = await callWithDirectory(c, c.get("program"), update, {
      adds: {
        changes: {
          ...(websiteUrl !== undefined && { websiteUrl }),
          ...(status !== undefined && !isArchived && { isArchived }),
        },
      },
      removes: isArchived ? { changes: { isArchived } } : undefined,
    });
    if (!updated.ok) return refuse(c, updated.refusal);
    const program = await loadProgram(c, update.programId, c.get("membership").role);
    return program.ok ? c.json({ data: program.value }, 200) : refuse(c, program.refusal);
  },
});
