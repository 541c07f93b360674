import { readFromDatabase } from "#api/read-database.ts";
import { runOperation } from "#http/call-ledger.ts";
import { createRoute, endpoint, refusals, refuse } from "#http/endpoint.ts";
import { timestampOrNull } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { readBatch } from "#store/database.ts";
import { type ErasureRow, erasureById } from "#store/erasures.ts";
import { actingMember } from "../actor.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { PrivacyRequestPath } from "../params.ts";
import { EraseRequest } from "./erasure-record.ts";
import { exportRequested } from "./export-request.ts";
import { PersonRow, personFile } from "./person-lines.ts";

export const getPrivacyRequest = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/privacy/requests/{requestId}",
    operationId: "getPrivacyRequest",
    tags: ["Privacy"],
    summary: "Get a privacy request",
    description:
      "Of an export, the rows, for an hour and for the owner who asked. Of an erasure, whether it is done, and its receipt.",
    ...programMember("owner"),
    request: { params: PrivacyRequestPath },
    responses: {
      200: {
        description: "The rows, one in each line, or the state of the erasure",
        content: {
          "application/json": { schema: z.object({ data: EraseRequest }) },
          "application/jsonl": { schema: PersonRow },
        },
      },
      ...refusals([...memberRefusals, "person_not_found", "download_running", "cross_site"]),
    },
  }),
  handler: async (c) => {
    const { requestId } = c.req.valid("param");
    const member = actingMember(c);
    const call = await exportRequested(c, member, requestId);
    if (call !== undefined) {
      const asked = await runOperation(c, call);
      if (!asked.ok) return refuse(c, asked.refusal);
      const file = await personFile(c, asked.answer.rows, call);
      return file.ok ? file.value : refuse(c, file.refusal);
    }
    const { programId } = member;
    const found = await readFromDatabase(c, "program", (database) =>
      readBatch(database, { erasure: erasureById({ programId, id: requestId }) }),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { erasure } = found.value;
    if (erasure === undefined) return refuse(c, { code: "not_found", what: "request" });
    return c.json({ data: eraseRequestReply(erasure) }, 200);
  },
});

const eraseRequestReply = ({ id, erasedAt, rows }: ErasureRow): z.output<typeof EraseRequest> => ({
  state: erasedAt === null ? "running" : "done",
  receiptId: id,
  erasedAt: timestampOrNull(erasedAt),
  rows: JSON.parse(rows),
});
