import { csvHeaders } from "#api/export-file.ts";
import { ExportedRows, exportContent, exportRows as exportFrom, kindField } from "#api/imports/export-rows.ts";
import { dryRun, ImportReply, importFields, importRows as importIn, maxKibibytes } from "#api/imports/import-rows.ts";
import { checkKey } from "#http/check-key.ts";
import { body, createRoute, endpoint, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { reply, warnings } from "#http/reply.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { jsonStream, textStream } from "#http/text-stream.ts";
import { changeByKey, changeRefusals, readRefusals, withCheckedKey } from "./by-key.ts";
import { programKeyRequired } from "./guards.ts";

const Import = z.object({ ...importFields, dry_run: dryRun("dry_run") }).openapi("Import");

export const importRows = endpoint({
  route: createRoute({
    method: "post",
    path: "/me/imports/rows",
    operationId: "importRows",
    tags: ["Program"],
    summary: "Import partners, customers or coupons from another affiliate program",
    description:
      "Imports all valid rows in one commit. For each invalid row, returns why it was refused. Rows that were imported before are `unchanged`, so an interrupted file can be sent again.",
    ...withJsonBody(withCheckedKey(programKeyRequired("importCheck", "manage")), maxKibibytes),
    request: { body: body(Import) },
    responses: {
      ...returns("Result for each row", z.object({ data: ImportReply, ...warnings })),
      ...changeRefusals(),
    },
  }),
  handler: async (c) => {
    const { dry_run: isDryRun, ...sent } = c.req.valid("json");
    const { call, program } = changeByKey(c, c.get("key"));
    const imported = await importIn(c, program, call, { ...sent, isDryRun, isOwner: false });
    return imported.ok ? reply(c, { data: imported.value }) : refuse(c, imported.refusal);
  },
});

const Query = z.object({
  kind: kindField(),
  format: fields.oneOf("format", ["csv", "json"]).optional().openapi({ description: "Defaults to `csv`." }),
});

export const exportRows = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/export",
    operationId: "exportRows",
    tags: ["Program"],
    summary: "Export partners or customers",
    description:
      "A CSV file in the import format. Importing it into an empty program and exporting again gives the same " +
      "file. With `format=json`, the rows are JSON, with the same columns.",
    ...programKeyRequired("keyedList", "manage"),
    request: { query: Query },
    responses: {
      200: { description: "The file", content: { ...exportContent, "application/json": { schema: ExportedRows } } },
      ...readRefusals("invalid_input", "download_running"),
    },
  }),
  handler: async (c) => {
    const checked = await checkKey(c, c.get("key"));
    if (!checked.ok) return refuse(c, checked.refusal);
    const { kind, format } = c.req.valid("query");
    const isJson = format === "json";
    const { programId } = checked.value;
    const by = { programId, actorId: c.get("key").hash };
    const file = await exportFrom(c, kind, { ...by, showsEmail: true, isJson, start: "" });
    if (!file.ok) return refuse(c, file.refusal);
    const { parts } = file.value;
    return isJson
      ? jsonStream<z.output<typeof ExportedRows>>(c, parts, { "Content-Type": "application/json" })
      : c.body(textStream(parts), 200, csvHeaders(`tributary-${kind}`));
  },
});
