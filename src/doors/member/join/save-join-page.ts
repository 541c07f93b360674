import { readFromDatabase } from "#api/read-database.ts";
import type { ProgramId } from "#domain/ids.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { releaseSlug, reserveSlug } from "#store/accounts/join-slugs.ts";
import { readOwnJoinPage } from "#store/views/join-pages.ts";
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
      ...returns("The page", z.object({ data: JoinPage })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "slug_taken", "open_needs", "program_archived"]),
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
    const saved = await runOperation(c, save);
    if (!saved.ok) {
      // Unless the page has it, which only a refusal that is no answer leaves open.
      if (["open_needs", "program_archived"].includes(saved.refusal.code)) await giveUp(c, slug, programId);
      return refuse(c, saved.refusal);
    }
    const { replacedSlug } = saved.answer;
    const told = await readFromDatabase(c, "home", async (database) => {
      // A parallel call may have given it up for another.
      const isReserved = await reserveSlug(database, slug, programId);
      // One that is left behind leads to a page with another address, which is as good as none.
      if (replacedSlug !== null) await releaseSlug(database, replacedSlug, programId);
      return isReserved;
    });
    if (!told.ok) return refuse(c, told.refusal);
    return c.json({ data }, 200);
  },
});

async function giveUp(c: Ctx, slug: string, programId: ProgramId): Promise<void> {
  const own = await readFromDatabase(c, "program", (database) => readOwnJoinPage(database, programId));
  if (!own.ok || own.value?.slug === slug) return;
  await readFromDatabase(c, "home", (database) => releaseSlug(database, slug, programId));
}
