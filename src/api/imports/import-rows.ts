import { emailDigest, emailHash } from "#domain/email-digest.ts";
import type { ProgramId } from "#domain/ids.ts";
import { importKinds, importResults, type RowOutcome, rowRefusals, rowWarnings } from "#domain/import.ts";
import { ok, type Result, refused } from "#domain/result.ts";
import { noUnits } from "#domain/units.ts";
import { hashSecretOf } from "#env.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { countImport } from "#http/rate-limits.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id, int64, wide } from "#http/schema/integers.ts";
import * as z from "#http/schema/zod.ts";
import type { KeyedChangeCall } from "#operations/manage/settings-change.ts";
import { callWithDirectory, type PlacedProgram } from "../directory.ts";
import { sealDetails } from "../payment-details.ts";
import { readUnits } from "../units.ts";
import { Effects, effectsReply } from "./customer-columns.ts";
import {
  mayHaveUnits,
  parseBalances,
  parseCoupons,
  parseCustomers,
  parsePartners,
  type SentPartner,
} from "./parse-rows.ts";

export const maxKibibytes = 512;
const maxRows = 100;

const noRows = `rows must be a list of 1 to ${maxRows} objects`;
const noLine = "Each row needs a different line, which must be a positive integer";

const Rows = z
  .array(z.looseObject({ line: z.int(noLine).positive(noLine).openapi(wide) }, noRows), noRows)
  .min(1, noRows)
  .max(maxRows, noRows)
  .refine((rows) => new Set(rows.map(({ line }) => line)).size === rows.length, noLine)
  .describe(
    "Rows, each with the columns of its kind and its `line` number, which the result repeats. An empty cell counts as absent.",
  );

const flag = (name: string) => fields.optional(fields.flag(name)).transform((value) => value === true);

export const importFields = {
  kind: fields.oneOf("kind", importKinds),
  source: fields.nonBlank("source", 40).describe("Source of the rows, such as the name of the previous program."),
  update: flag("update").describe(
    "True to update existing partners and coupons. Otherwise, a row whose values differ from theirs is refused.",
  ),
  rows: Rows,
};
export const dryRun = (name: string) =>
  flag(name).describe("Returns what the import would return, and changes nothing.");

export const ImportReply = z
  .object({
    rows: z
      .array(
        z.object({
          line: int64(),
          result: z.enum(importResults),
          code: z.enum(rowRefusals).optional().describe("Why the row was refused."),
          field: z.string().optional().describe("Column that caused the refusal."),
          id: id()
            .optional()
            .describe("Id of the partner, customer, coupon or adjustment. A dry run returns no new ids."),
          warnings: z.array(z.enum(rowWarnings)).optional(),
          effects: Effects.optional(),
        }),
      )
      .describe("One result for each row, in the same order."),
  })
  .openapi("ImportedRows");

interface Sent {
  readonly kind: (typeof importKinds)[number];
  readonly source: string;
  readonly update: boolean;
  readonly isDryRun: boolean;
  /** True if the call has the session of an owner. */
  readonly isOwner: boolean;
  readonly rows: z.output<typeof Rows>;
}

type Import = Pick<Sent, "source" | "isDryRun"> & KeyedChangeCall;

/** Imports all valid rows in one commit. */
export async function importRows(
  c: Ctx,
  program: PlacedProgram,
  call: KeyedChangeCall,
  { source, isDryRun, ...sent }: Sent,
): Promise<Result<z.output<typeof ImportReply>>> {
  const overLimit = await countImport(c, program.id, isDryRun);
  if (overLimit !== undefined) return refused(overLimit);
  const common = { ...call, source, isDryRun };
  const { faulty, imported } = await importers[sent.kind](c, { ...sent, common, program });
  if (!imported.ok) return refused(imported.refusal);
  const outcomes = [...faulty, ...imported.answer.outcomes];
  const byLine = new Map(outcomes.map((outcome) => [outcome.line, outcome]));
  return ok({ rows: sent.rows.flatMap(({ line }) => replyOf(byLine.get(line))) });
}

const replyOf = (outcome: RowOutcome | undefined) =>
  outcome === undefined
    ? []
    : [
        {
          ...outcome,
          warnings: outcome.warnings && [...outcome.warnings],
          effects: outcome.effects && effectsReply(outcome.effects),
        },
      ];

interface Importing extends Pick<Sent, "update" | "rows" | "isOwner"> {
  readonly common: Import;
  readonly program: PlacedProgram;
}

async function importPartners(c: Ctx, { common, program, update: mayUpdate, rows, isOwner }: Importing) {
  const { valid: sent, refused: faulty } = parsePartners(rows, isOwner);
  const valid = await Promise.all(sent.map((row) => sealedRow(c, common, row)));
  const call = { ...common, kind: "import-partners", mayUpdate, rows: valid } as const;
  const imported = call.isDryRun
    ? await runOperation(c, call)
    : await callWithDirectory(c, program, call, {
        adds: {
          changes: {},
          codes: valid.flatMap(({ codes, destinationUrl = null }) =>
            codes.map((code) => ({ codeKey: code.toLowerCase(), destinationUrl, is: "new" }) as const),
          ),
        },
        // The directory in the home database must be corrected if rows were refused or destinations changed.
        corrects: ({ outcomes }) => outcomes.some(({ result }) => result === "refused" || result === "updated"),
      });
  return { faulty, imported };
}

async function sealedRow(c: Ctx, { programId, operationId, actorId }: Import, { payment, ...row }: SentPartner) {
  const isMember = actorId !== null;
  return {
    ...row,
    emailHash: isMember && row.email !== undefined ? storedHash(hashSecretOf(c.env), programId, row.email) : undefined,
    payment: payment && (await sealDetails(c, programId, `${operationId} ${row.line}`, payment)),
  };
}

const storedHash = (secret: string, programId: ProgramId, email: string): string =>
  emailHash(secret, programId, emailDigest(secret, email));

async function importCustomers(c: Ctx, { common, rows, isOwner }: Importing) {
  const { valid, refused: faulty } = parseCustomers(rows, common.at, isOwner);
  const call = { ...common, kind: "import-customers", rows: valid } as const;
  return { faulty, imported: await runOperation(c, call) };
}

async function importCoupons(c: Ctx, { common, update: mayUpdate, rows }: Importing) {
  const { valid, refused: faulty } = parseCoupons(rows);
  const call = { ...common, kind: "import-coupons", mayUpdate, rows: valid } as const;
  return { faulty, imported: await runOperation(c, call) };
}

async function importBalances(c: Ctx, { common, rows, isOwner }: Importing) {
  const units = mayHaveUnits(rows) ? await readUnits(c, common.programId) : ok(noUnits);
  if (!units.ok) return { faulty: [], imported: units };
  const { valid, refused: faulty } = parseBalances(rows, { isOwner, units: units.value });
  const call = { ...common, kind: "import-balances", rows: valid } as const;
  return { faulty, imported: await runOperation(c, call) };
}

const importers = {
  partners: importPartners,
  customers: importCustomers,
  coupons: importCoupons,
  balances: importBalances,
};
