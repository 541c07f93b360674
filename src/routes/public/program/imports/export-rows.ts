import { commonRefusals, createRoute, endpoint, keyRefusals, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { textStream } from "#http/text-stream.ts";
import { exportContent, exportRows as exportFrom, kindField } from "../../../imports/export-rows.ts";
import { csvHeaders } from "../../../session/export-file.ts";
import { programKeyRequired } from "../../guards.ts";
import { checkedKey } from "../checked-key.ts";

const Query = z.object({ kind: kindField() });

export const exportRows = endpoint({
  route: createRoute({
    method: "get",
    path: "/me/export",
    operationId: "exportRows",
    tags: ["Program"],
    summary: "Export partners or customers",
    description: "A CSV file that an import takes as it is. Imported into an empty program, it exports the same again.",
    ...programKeyRequired("keyedList", "manage"),
    request: { query: Query },
    responses: {
      200: { description: "The file", content: exportContent },
      ...refusals(["missing_key", ...keyRefusals, "invalid_input", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const checked = await checkedKey(c, c.get("key"));
    if (!checked.ok) return refuse(c, checked.refusal);
    const { kind } = c.req.valid("query");
    const lines = await exportFrom(c, kind, { programId: checked.value.programId, showsEmail: true });
    if (!lines.ok) return refuse(c, lines.refusal);
    return c.body(textStream(lines.value), 200, csvHeaders(`tributary-${kind}`));
  },
});
