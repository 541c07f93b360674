import { callLedger } from "#http/call-ledger.ts";
import { body, createRoute, endpoint, ok, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { releaseOtherSlugs, reserveSlug } from "#store/accounts/join-slugs.ts";
import { readFromDatabase } from "../../read-database.ts";
import { actingMember } from "../actor.ts";
import { inputRefusals, memberWriteRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { JoinPage } from "./join-record.ts";

export const saveJoinPage = endpoint({
  route: createRoute({
    method: "put",
    path: "/programs/{programId}/join",
    operationId: "saveJoinPage",
    tags: ["Partners' access"],
    summary: "Save the join page",
    description: "Replaces the page. A repeat changes nothing.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(JoinPage) },
    responses: {
      ...ok("The page", z.object({ data: JoinPage })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "slug_taken", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const data = c.req.valid("json");
    const { slug } = data;
    const member = actingMember(c);
    const { programId } = member;
    const reserved = await readFromDatabase(c, "home", (database) => reserveSlug(database, slug, programId));
    if (!reserved.ok) return refuse(c, reserved.refusal);
    if (!reserved.value) return refuse(c, { code: "slug_taken" });
    const page = { ...data, questions: JSON.stringify(data.questions) };
    const save = { ...member, kind: "save-join-page", page } as const;
    const saved = await callLedger(c, save, (ledger) => ledger.run(save));
    if (!saved.ok) return refuse(c, saved.refusal);
    // One that is left behind leads to a page with another address, which is as good as none.
    await readFromDatabase(c, "home", (database) => releaseOtherSlugs(database, slug, programId));
    return c.json({ data }, 200);
  },
});
