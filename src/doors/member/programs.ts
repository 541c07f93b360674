import { callWithDirectory } from "#api/directory.ts";
import { loadProgram, ProgramWithKeys, programRecord, programReply, timezone, websiteUrl } from "#api/programs.ts";
import { readFromShards } from "#api/read-database.ts";
import { type Issuer, issuerLimits } from "#domain/issuer.ts";
import { parseIban } from "#domain/payee-account.ts";
import { type Payer, parseBic } from "#domain/payer.ts";
import { payoutApprovals } from "#domain/payout-status.ts";
import { programStatuses } from "#domain/program-status.ts";
import { attributionModels, leadAuths, maxWindowDays, payoutModes, windowUntils } from "#domain/program-terms.ts";
import { home } from "#domain/shard.ts";
import { shardsOf } from "#env.ts";
import { callLedger } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { body, created, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { randomSecret } from "#http/secret.ts";
import type { PlaceProgramCall } from "#operations/places/place-program.ts";
import { listPrograms as list } from "#store/views/programs.ts";
import { actingMember } from "./actor.ts";
import {
  inputRefusals,
  memberOfWorkspaceInBody,
  memberOfWorkspaceInQuery,
  memberRefusals,
  memberWriteRefusals,
  programMember,
  reauthenticated,
  unlessRemoved,
} from "./guards.ts";
import { ProgramPath } from "./params.ts";

const NewProgram = z
  .object({
    workspaceId: fields.nonBlank("workspaceId"),
    name: fields.nonBlank("name"),
    websiteUrl: fields.optional(websiteUrl()).describe("Destination of partner links that have no destination set."),
    currency: fields.optional(fields.currency("currency")).describe("ISO 4217 code. Defaults to USD."),
    timezone: fields.optional(timezone()).describe("Time zone of the days in reports. Defaults to UTC."),
    location: fields
      .omittable(fields.nonBlank("location"))
      .describe("Where the program's data is stored: one of the locations that `listLocations` returns."),
  })
  .openapi("NewProgram");

const ProgramMade = programRecord.schema
  .extend({
    apiToken: z
      .string()
      .optional()
      .describe("The API key, shown only in this response and only to owners. An owner can rotate it later."),
  })
  .openapi("ProgramMade");

export const createProgram = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs",
    operationId: "createProgram",
    tags: ["Management"],
    summary: "Create a program",
    description: "Creates a program with a first API key. A repeat creates another program.",
    ...reauthenticated(memberOfWorkspaceInBody("admin", NewProgram)),
    request: { body: body(NewProgram) },
    responses: {
      ...created("Program created", z.object({ data: ProgramMade })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "cap_reached"]),
    },
  }),
  handler: async (c) => {
    const { name, websiteUrl, currency, timezone, location } = c.req.valid("json");
    const call = c.get("call");
    const userId = c.get("userId");
    const workspace = c.get("workspace");
    const membership = c.get("membership");
    const terms = { currency: currency ?? "USD", timezone: timezone ?? "UTC" };
    const program = { workspaceId: workspace.id, name, websiteUrl, ...terms };
    const by = { ...call, actorId: userId };
    const create = { ...by, kind: "create-program", secret: randomSecret(), program } as const;
    const placed = await place(c, { ...by, kind: "place-program", workspaceId: workspace.id, websiteUrl, location });
    if (!placed.ok) return refuse(c, placed.refusal);
    const { shard, ...programId } = placed.answer;
    const outcome = await callLedger(c, { shard }, (ledger) => ledger.run({ ...create, ...programId }));
    const made = await unlessRemoved(c, outcome);
    if (!made.ok) return refuse(c, made.refusal);
    const key = membership.role === "owner" ? { apiToken: made.value.apiToken } : {};
    return c.json({ data: { ...programReply(made.value.program, membership.role), ...key } }, 201);
  },
});

/** If the service has only the home shard, every program is created there. */
const place = async (c: Ctx, call: PlaceProgramCall) =>
  shardsOf(c.env).size === 0 && call.location === undefined
    ? ({ ok: true, answer: { shard: home } } as const)
    : callLedger(c, { shard: home }, (ledger) => ledger.run(call));

export const getProgram = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}",
    operationId: "getProgram",
    tags: ["Management"],
    summary: "Get a program",
    description: "The program's settings. Owners also get its API keys, without their secrets.",
    ...programMember("viewer"),
    request: { params: ProgramPath },
    responses: {
      ...returns("The program", z.object({ data: ProgramWithKeys })),
      ...refusals(memberRefusals),
    },
  }),
  handler: async (c) => {
    const program = await loadProgram(c, c.get("program").id, c.get("membership").role);
    return program.ok ? c.json({ data: program.value }, 200) : refuse(c, program.refusal);
  },
});

const Query = z.object({
  workspaceId: fields.nonBlank("workspaceId"),
  archived: fields
    .oneOf("archived", ["true", "false"])
    .optional()
    .openapi({ description: "`true` includes archived programs. Defaults to `false`." }),
});

export const listPrograms = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs",
    operationId: "listPrograms",
    tags: ["Management"],
    summary: "List a workspace's programs",
    description: "All programs of one workspace, without archived ones unless `archived` is `true`.",
    ...memberOfWorkspaceInQuery("viewer"),
    request: { query: Query },
    responses: {
      ...returns("Programs, oldest first", z.object({ data: z.array(programRecord.schema) })),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { archived } = c.req.valid("query");
    const { role } = c.get("membership");
    const found = await readFromShards(c, (databaseOf) => list(databaseOf, c.get("workspace").id, archived === "true"));
    if (!found.ok) return refuse(c, found.refusal);
    return c.json({ data: found.value.map((program) => programReply(program, role)) }, 200);
  },
});

const maxTerms = 2_000;

const ibanRule = "payer.iban must be an IBAN";
const bicRule = "payer.bic must be a BIC of 8 or 11 characters";

/** Normalizes the text: upper case, without spaces. */
const parsed = (parse: (text: string) => string | undefined, rule: string) =>
  z
    .string(rule)
    .max(64, rule)
    .refine((text) => parse(text) !== undefined, rule)
    .transform((text) => parse(text) ?? text);

const PayerInput = z
  .object({
    name: fields.nonBlank("payer.name", 70).describe("Name of the account's holder, as your bank has it."),
    iban: parsed(parseIban, ibanRule).openapi({ example: "DE89370400440532013000" }),
    bic: fields.optional(parsed(parseBic, bicRule)).openapi({ example: "COBADEFFXXX" }),
  })
  .openapi("PayerChange");

const IssuerInput = z
  .object({
    name: fields.nonBlank("issuer.name", issuerLimits.name).describe("Name of the company or person."),
    address: fields.postalAddress("issuer.address", issuerLimits.address).describe("Lines of the address, as printed."),
    taxId: fields.optional(fields.nonBlank("issuer.taxId", issuerLimits.taxId)),
  })
  .openapi("IssuerChange");

const ProgramChanges = z
  .object({
    name: fields.omittable(fields.nonBlank("name")),
    websiteUrl: websiteUrl().nullish().describe("Website of the program. Null or empty removes it."),
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
      .describe("Days for which the script's cookies last. Null means as long as the attribution window."),
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
      .describe("Payout terms, shown to partners. Null or empty removes them."),
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
      .describe("Shows partners the revenue of their sales."),
    payer: PayerInput.nullish().describe(
      "The account that files for your bank pay from. Null removes it. Only owners can change it.",
    ),
    issuer: IssuerInput.nullish().describe(
      "Issuer of the statements of the program's partners. Null removes it. Only owners can change it.",
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

const issuerColumns = (issuer: Issuer | null) => ({
  issuerName: issuer?.name ?? null,
  issuerAddress: issuer?.address ?? null,
  issuerTaxId: issuer?.taxId ?? null,
});

export const updateProgram = endpoint({
  route: createRoute({
    method: "patch",
    path: "/programs/{programId}",
    operationId: "updateProgram",
    tags: ["Management"],
    summary: "Update a program",
    description:
      "Changes apply from the next call on and don't alter earlier decisions. In an archived program, only the " +
      "status can be changed.",
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
        "payout_unsettled",
        "join_page_open",
      ]),
    },
  }),
  handler: async (c) => {
    const isOwner = c.get("membership").role === "owner";
    const { payer, issuer, ...sent } = c.req.valid("json");
    const changes = {
      ...sent,
      ...(payer !== undefined && payerColumns(payer)),
      ...(issuer !== undefined && issuerColumns(issuer)),
    };
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
