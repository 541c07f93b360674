import { readFromShards } from "#api/read-database.ts";
import { applicationStatuses, appliesAgainAt } from "#domain/join-page.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import { shardOfProgram } from "#http/places.ts";
import { id } from "#http/schema/integers.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { readOwnApplication } from "#store/views/join-pages.ts";
import { sessionRefusals, signedIn } from "../../member/guards.ts";
import { JoinPath } from "../params.ts";
import { readJoinPage } from "./read-join-page.ts";

const OwnApplication = z
  .object({
    status: z.enum(applicationStatuses),
    programId: id(),
    partnerId: id().nullable().describe("Of an approved application."),
    partnerNote: z.string().nullable().describe("Note from the program, of a declined application."),
    isOpened: z.boolean().describe("True if the open page approved it."),
    canApplyAgainAt: z.iso.datetime().nullable().describe("Of a declined application."),
  })
  .openapi("OwnApplication");

export const getApplication = endpoint({
  route: createRoute({
    method: "get",
    path: "/{slug}/application",
    operationId: "getOwnApplication",
    tags: ["Join"],
    summary: "Get your application",
    description: "Null if your account hasn't applied.",
    ...signedIn(),
    request: { params: JoinPath },
    responses: {
      ...returns("Your application", z.object({ data: OwnApplication.nullable() })),
      ...refusals(["not_found", ...sessionRefusals]),
    },
  }),
  handler: async (c) => {
    const accountId = c.get("userId");
    const page = await readJoinPage(c, c.req.valid("param").slug);
    if (!page.ok) return refuse(c, page.refusal);
    const { programId } = page.value;
    const found = await readFromShards(c, (databaseOf) =>
      readOwnApplication(databaseOf, { programId, accountId }, shardOfProgram(c.env, programId)),
    );
    if (!found.ok) return refuse(c, found.refusal);
    if (found.value === undefined) return c.json({ data: null }, 200);
    const { status, partnerId, partnerNote, decidedAt, openedOn } = found.value;
    const canApplyAgainAt = status === "declined" ? timestamp(appliesAgainAt(decidedAt ?? 0)) : null;
    const isOpened = openedOn !== null;
    return c.json({ data: { status, programId, partnerId, partnerNote, isOpened, canApplyAgainAt } }, 200);
  },
});
