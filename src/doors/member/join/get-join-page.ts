import { readFromDatabase } from "#api/read-database.ts";
import { createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { readOwnJoinPage } from "#store/views/join-pages.ts";
import { memberRefusals, programMember } from "../guards.ts";
import { ProgramPath } from "../params.ts";
import { JoinPage, readQuestions } from "./join-record.ts";

export const getJoinPage = endpoint({
  route: createRoute({
    method: "get",
    path: "/programs/{programId}/join",
    operationId: "getJoinPage",
    tags: ["Partners' access"],
    summary: "Get the join page",
    description: "Where people apply to become partners. Null until it is saved.",
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
