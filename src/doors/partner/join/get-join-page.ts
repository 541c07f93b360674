import { commissionText } from "#domain/explain/commission-text.ts";
import { commonRefusals, createRoute, endpoint, returns, refusals, refuse } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { countInvitationView } from "../../member/auth/limits.ts";
import { Question, readQuestions, Terms, termsReply } from "../../member/join/join-record.ts";
import { JoinPath } from "../params.ts";
import { readJoinPage } from "./read-join-page.ts";

const ShownPage = z
  .object({
    name: z.string().describe("Of the program."),
    website: z.string().nullable(),
    headline: z.string(),
    description: z.string(),
    questions: z.array(Question),
    terms: Terms.nullable(),
    isOpen: z.boolean().describe("True if whoever applies is a partner at once, up to 200 a day."),
    commission: z.string().nullable().describe("In words. Null if the program has no commission at the moment."),
  })
  .openapi("ShownJoinPage");

export const getJoinPage = endpoint({
  route: createRoute({
    method: "get",
    path: "/{slug}",
    operationId: "getJoinPage",
    tags: ["Join"],
    summary: "See a program's join page",
    description: "Requires no session.",
    security: [],
    request: { params: JoinPath },
    responses: {
      ...returns("The page", z.object({ data: ShownPage })),
      ...refusals(["not_found", ...commonRefusals]),
    },
  }),
  handler: async (c) => {
    const overLimit = await countInvitationView(c);
    if (overLimit !== undefined) return refuse(c, overLimit);
    const found = await readJoinPage(c, c.req.valid("param").slug);
    if (!found.ok) return refuse(c, found.refusal);
    const { program, page, terms, policy, policyOfPage } = found.value;
    const deciding = policyOfPage === undefined || policyOfPage.type === "none" ? policy : policyOfPage;
    const data = {
      ...{ name: program.name, website: program.websiteUrl, headline: page.headline, description: page.description },
      questions: readQuestions(page.questions),
      terms: terms === undefined ? null : termsReply(terms),
      isOpen: page.mode === "open",
      commission: deciding === undefined ? null : commissionText(deciding),
    };
    return c.json({ data }, 200);
  },
});
