import type { JSONParsed } from "hono/utils/types";
import { callLedger } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { jsonStream } from "#http/text-stream.ts";
import type { Database } from "#store/database.ts";
import { personReads } from "#store/person.ts";
import { readFromDatabase } from "../../read-database.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember, reauthenticated } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { exportedRow, exportedTables } from "./exported-row.ts";
import { PersonAsked, personMeant } from "./person.ts";

const Line = z.looseObject({ of: z.enum(exportedTables).describe("What the row is of.") }).openapi("PersonRow");

export const exportPerson = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/privacy/export",
    operationId: "exportPerson",
    tags: ["Privacy"],
    summary: "Export what is known of a customer",
    description:
      "Whoever is known by the key, the address or the click, in both books. The audit trail says that it was done.",
    ...reauthenticated(withJsonBody(programMember("owner"))),
    request: { params: ProgramPath, body: body(PersonAsked) },
    responses: {
      200: { description: "A row in each line", content: { "application/jsonl": { schema: Line } } },
      ...refusals(["reauthenticate", ...memberWriteRefusals, ...inputRefusals, "person_not_found"]),
    },
  }),
  handler: async (c) => {
    const member = actingMember(c);
    const { programId } = member;
    const call = { ...member, kind: "export-person", ...personMeant(c, programId, c.req.valid("json")) } as const;
    const asked = await callLedger(c, call, (ledger) => ledger.run(call));
    if (!asked.ok) return refuse(c, asked.refusal);
    const reads = personReads(asked.answer);
    const rows = await readFromDatabase(c, "program", (database) => rowsOfTables(database, reads));
    if (!rows.ok) return refuse(c, rows.refusal);
    return jsonStream<JSONParsed<z.output<typeof Line>>>(c, linesOf(rows.value), {
      "Content-Type": "application/jsonl",
    });
  },
});

async function* linesOf(rows: readonly object[]): AsyncGenerator<string, undefined> {
  for (const row of rows) yield `${JSON.stringify(row)}\n`;
}

/** One table after the other: an answer of the database has a limit. */
async function rowsOfTables(database: Database, reads: ReturnType<typeof personReads>) {
  const rows: object[] = [];
  for (const table of exportedTables) {
    const read = reads[table];
    const [found = []] = await database.read([read]);
    rows.push(...read.decode(found).map((row) => exportedRow(table, row)));
  }
  return rows;
}
