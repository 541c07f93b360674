import { JoinPage, longText, readQuestions, Terms, termsReply } from "#api/join.ts";
import { readFromDatabase } from "#api/read-database.ts";
import type { ProgramId } from "#domain/ids.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { body, created, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { cursorOf, PageMeta } from "#http/schema/cursor.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { releaseSlug, reserveSlug } from "#store/accounts/join-slugs.ts";
import { listTerms as list, readOwnJoinPage } from "#store/views/join-pages.ts";
import { actingMember } from "./actor.ts";
import { inputRefusals, memberRefusals, memberWriteRefusals, programMember } from "./guards.ts";
import { ProgramPath } from "./params.ts";

export const getJoinPage = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/join",
    operationId: "getJoinPage",
    tags: ["Partners' access"],
    summary: "Get the join page",
    description: "Returns the page on which people apply to become partners. Null until the page is saved.",
    ...programMember("viewer"),
    request: { params: ProgramPath },
    responses: { ...returns("The page", z.object({ data: JoinPage.nullable() })), ...refusals(memberRefusals) },
  }),
  handler: async (c) => {
    const { id } = c.get("program");
    const found = await readFromDatabase(c, "program", (database) => readOwnJoinPage(database, id));
    if (!found.ok) return refuse(c, found.refusal);
    if (found.value === undefined) return c.json({ data: null }, 200);
    const { programId: _, questions, ...page } = found.value;
    return c.json({ data: { ...page, questions: readQuestions(questions) } }, 200);
  },
});

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
      // Releases the slug only if the page certainly wasn't saved. After any other refusal, the saved page may use the
      // slug.
      if (["open_needs", "program_archived"].includes(saved.refusal.code)) await giveUp(c, slug, programId);
      return refuse(c, saved.refusal);
    }
    const { replacedSlug } = saved.answer;
    const told = await readFromDatabase(c, "home", async (database) => {
      // A concurrent call may have reserved another slug for the program meanwhile.
      const isReserved = await reserveSlug(database, slug, programId);
      // If this fails, the old slug stays reserved. That does no harm: it leads to the program's page, which now has
      // another slug and isn't shown under the old one.
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

const NewTerms = z.object({ text: longText("text", 20_000, 1) }).openapi("NewPartnerTerms");

export const createTerms = endpoint({
  route: createRoute({
    method: "post",
    path: "/programs/{programId}/terms",
    operationId: "createPartnerTerms",
    tags: ["Partners' access"],
    summary: "Publish a version of the terms for partners",
    description:
      "Partners are asked to accept it at their next visit, and keep their access until then. Publishing the newest text again creates no new version.",
    ...withJsonBody(programMember("admin")),
    request: { params: ProgramPath, body: body(NewTerms) },
    responses: {
      ...created("The newest version", z.object({ data: Terms })),
      ...refusals([...memberWriteRefusals, ...inputRefusals, "terms_full", "program_archived"]),
    },
  }),
  handler: async (c) => {
    const { text } = c.req.valid("json");
    const create = { ...actingMember(c), kind: "create-terms", text } as const;
    const made = await runOperation(c, create);
    if (!made.ok) return refuse(c, made.refusal);
    const { version, createdAt } = made.answer;
    return c.json({ data: { version, text, createdAt: timestamp(createdAt) } }, 201);
  },
});

const size = 50;
const cursors = cursorOf("terms", { version: z.int().positive() });

export const listTerms = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/terms",
    operationId: "listPartnerTerms",
    tags: ["Partners' access"],
    summary: "List the versions of the terms for partners",
    description: "Versions of the terms, newest first. A version never changes.",
    ...programMember("viewer"),
    request: { params: ProgramPath, query: z.object({ cursor: cursors.parameter() }) },
    responses: {
      ...returns("Versions", z.object({ data: z.array(Terms), meta: PageMeta })),
      ...refusals([...memberRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { cursor } = c.req.valid("query");
    const { id } = c.get("program");
    const before = cursor?.version ?? Number.MAX_SAFE_INTEGER;
    const found = await readFromDatabase(c, "program", (database) => list(database, id, { before, limit: size + 1 }));
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = cursors.pageOf(found.value, size, ({ version }) => ({ version }));
    return c.json({ data: page.map(termsReply), meta }, 200);
  },
});
