import { ExportedRows, exportContent, exportRows as exportFrom, kindField } from "#api/imports/export-rows.ts";
import { commonRefusals, createRoute, endpoint, keyRefusals, refusals, refuse } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { jsonStream, textStream } from "#http/text-stream.ts";
import { csvHeaders } from "../../member/export-file.ts";
import { checkedKey } from "../checked-key.ts";
import { programKeyRequired } from "../guards.ts";

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
      "A CSV file that an import takes as it is. Imported into an empty program, it exports the same again. With " +
      "`format=json`, the rows are JSON, with the same columns.",
    ...programKeyRequired("keyedList", "manage"),
    request: { query: Query },
    responses: {
      200: { description: "The file", content: { ...exportContent, "application/json": { schema: ExportedRows } } },
      ...refusals(["missing_key", ...keyRefusals, "invalid_input", "download_running", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const checked = await checkedKey(c, c.get("key"));
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
