import { byteOrderMark, exportHeaders } from "#api/export-file.ts";
import { exportContent, exportRows as exportFrom, kindField } from "#api/imports/export-rows.ts";
import { dryRun, ImportReply, importFields, importRows as importIn, maxKibibytes } from "#api/imports/import-rows.ts";
import { body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { actingMember } from "./actor.ts";
import { isRecentlyConfirmed, seesEmails } from "./authorize.ts";
import { inputRefusals, memberRefusals, memberWriteRefusals, programMember } from "./guards.ts";
import { ProgramPath } from "./params.ts";

const Import = z.object({ ...importFields, dryRun: dryRun("dryRun") }).openapi("Import");

export const importRows = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/imports/rows",
    operationId: "importRows",
    tags: ["Management"],
    summary: "Import partners, customers, coupons or balances from another affiliate program",
    description:
      "Imports all valid rows in one commit. For each invalid row, returns why it was refused. Rows that were imported before are `unchanged`, so an interrupted file can be sent again.",
    ...withJsonBody(programMember("admin", "importCheck"), maxKibibytes),
    request: { params: ProgramPath, body: body(Import) },
    responses: {
      ...returns("Result for each row", z.object({ data: ImportReply })),
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "program_archived"]),
    },
  }),
  handler: async (c) => {
    const { dryRun: isDryRun, ...sent } = c.req.valid("json");
    if (!isDryRun && movesMoney(sent) && !isRecentlyConfirmed(c, c.get("confirmedAt"))) {
      return refuse(c, { code: "reauthenticate" });
    }
    const isOwner = c.get("membership").role === "owner";
    const imported = await importIn(c, c.get("program"), actingMember(c), { ...sent, isDryRun, isOwner });
    return imported.ok ? c.json({ data: imported.value }, 200) : refuse(c, imported.refusal);
  },
});

type SentRows = Pick<z.output<typeof Import>, "kind" | "update" | "rows">;

/**
 * True if the rows change payments: balances, commissions for past sales (`pay_past`), or the email addresses and
 * payment details to which payouts are paid. Other endpoints require a recent confirmation for these, so an import does
 * too.
 */
function movesMoney({ kind, update, rows }: SentRows): boolean {
  switch (kind) {
    case "balances":
      return true;
    case "customers":
      return rows.some(({ pay_past }) => /^\s*true\s*$/i.test(String(pay_past)));
    case "coupons":
      return false;
    case "partners":
      return update && rows.some(({ email, payment_account }) => Boolean(email) || Boolean(payment_account));
  }
}

const Query = z.object({ kind: kindField() });

export const exportRows = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/export",
    operationId: "exportRows",
    tags: ["Management"],
    summary: "Export partners or customers",
    description:
      "A CSV file in the import format. Importing it into an empty program and exporting again gives the same " +
      "file. Only owners and admins get email addresses.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: Query },
    responses: {
      200: { description: "The file", content: exportContent },
      ...refusals([...memberRefusals, "invalid_input", "download_running", "cross_site"]),
    },
  }),
  handler: async (c) => {
    const { kind } = c.req.valid("query");
    const program = c.get("program");
    const showsEmail = seesEmails(c.get("membership"));
    const file = await exportFrom(c, kind, { ...actingMember(c), showsEmail, start: byteOrderMark });
    if (!file.ok) return refuse(c, file.refusal);
    return c.body(textStream(file.value.parts), 200, exportHeaders(program, kind));
  },
});
