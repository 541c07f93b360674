import { accountActions } from "#domain/account-event.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { idCursor, newest, PageMeta } from "#http/schema/cursor.ts";
import { id } from "#http/schema/integers.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { listAccountEvents } from "#store/accounts/account-events.ts";
import { sessionRefusals, signedIn } from "../guards.ts";
import { readPage } from "#api/read-page.ts";

const pageSize = 50;

const cursors = idCursor("activity");

const Query = z.object({ cursor: cursors.parameter() });

const AccountActivity = z
  .object({
    id: id(),
    at: z.iso.datetime(),
    action: z.enum(accountActions),
    device: z.string().nullable().openapi({ example: "Firefox on Linux" }),
    place: z.string().nullable().describe("Country of the call.").openapi({ example: "NL" }),
  })
  .openapi("AccountActivity");

export const listActivity = endpoint({
  route: createRoute({
    method: "get",
    path: "/activity",
    operationId: "listActivity",
    tags: ["Sign-in"],
    summary: "List your account's activity",
    description:
      "Sign-ins, failed ones, sessions that ended, and changes to your password and second factor. Only the newest entries are kept.",
    ...signedIn(),
    request: { query: Query },
    responses: {
      ...returns(
        `Activity, newest first, ${pageSize} per page`,
        z.object({ data: z.array(AccountActivity), meta: PageMeta }),
      ),
      ...refusals([...sessionRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { cursor: { id: before } = newest } = c.req.valid("query");
    const found = await readPage(c, "home", { ...cursors, size: pageSize }, (database, limit) =>
      listAccountEvents(database, c.get("userId"), before, limit),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = found.value;
    return c.json({ data: page.map(({ createdAt, ...event }) => ({ ...event, at: timestamp(createdAt) })), meta }, 200);
  },
});
