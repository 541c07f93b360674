import { dryRun, ImportReply, importFields, importRows as importIn, maxKibibytes } from "#api/imports/import-rows.ts";
import {
  body,
  bodyRefusals,
  commonRefusals,
  createRoute,
  endpoint,
  keyRefusals,
  returns,
  refusals,
  refuse,
  withJsonBody,
} from "#http/endpoint.ts";
import { reply, warnings } from "#http/reply.ts";
import * as z from "#http/schema/zod.ts";
import { changeByKey } from "../change-by-key.ts";
import { withCheckedKey } from "../checked-key.ts";
import { programKeyRequired } from "../guards.ts";

const Import = z.object({ ...importFields, dry_run: dryRun("dry_run") }).openapi("Import");

export const importRows = endpoint({
  route: createRoute({
    method: "post",
    path: "/me/imports/rows",
    operationId: "importRows",
    tags: ["Program"],
    summary: "Import rows from another program",
    description:
      "Imports the rows that can be, in one commit, and says of each other one why not. The same rows again are " +
      "`unchanged`, so an interrupted file is sent again.",
    ...withJsonBody(withCheckedKey(programKeyRequired("importCheck", "manage")), maxKibibytes),
    request: { body: body(Import) },
    responses: {
      ...returns("What became of the rows", z.object({ data: ImportReply, ...warnings })),
      ...refusals(["missing_key", ...keyRefusals, ...bodyRefusals, ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const { dry_run: isDryRun, ...sent } = c.req.valid("json");
    const { call, program } = changeByKey(c, c.get("key"));
    const imported = await importIn(c, program, call, { ...sent, isDryRun, isOwner: false });
    return imported.ok ? reply(c, { data: imported.value }) : refuse(c, imported.refusal);
  },
});
