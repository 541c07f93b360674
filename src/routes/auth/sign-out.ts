import { createRoute } from "@hono/zod-openapi";
import { ok } from "../../http/described.ts";
import { endpoint } from "../../http/endpoint.ts";
import { refusals } from "../../http/refusals.ts";
import { refuse } from "../../http/refuse.ts";
import { ofWrite } from "../../http/session-refusals.ts";
import * as z from "../../http/zod.ts";
import { fromOwnOrigin } from "../session-access.ts";
import { withAuth } from "./with-auth.ts";

const SignedOut = z.object({ success: z.literal(true) }).openapi("SignedOut");

export const signOut = endpoint({
  route: createRoute({
    method: "post",
    path: "/sign-out",
    operationId: "signOut",
    tags: ["Sign-in"],
    summary: "End the session, wherever its cookie is",
    ...fromOwnOrigin(),
    responses: {
      ...ok("There is no such session any more", SignedOut),
      ...refusals(undefined, [...ofWrite, "internal", "unavailable"]),
    },
  }),
  handler: async (c) => {
    const signedOut = await withAuth(c, (auth) =>
      auth.api.signOut({ headers: c.req.raw.headers, returnHeaders: true }),
    );
    return signedOut.ok ? c.json({ success: true as const }, 200) : refuse(c, signedOut.refusal);
  },
});
