import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { isBodyOfToken, isOperatorToken } from "#domain/operator-token.ts";
import { home } from "#domain/shard.ts";
import { databaseOf } from "#env.ts";
import { withJsonBody } from "#http/body.ts";
import type { AppEnv, Ctx } from "#http/context.ts";
import { announceUserLimit, countOperator } from "#http/rate-limits.ts";
import { refuse } from "#http/refusal/refuse.ts";
import { commonRefusals } from "#http/refusal/responses.ts";
import type { RefusalStyle } from "#http/refusal/table.ts";

type Step = MiddlewareHandler<AppEnv>;

export const operatorStyle: RefusalStyle = {
  envelope: "platform",
  messages: {
    missing_key: "Missing operator token. Use npm run tributary -- spill, which sends one.",
    invalid_key: "Invalid or expired operator token",
  },
};

export const operatorRefusals = [...commonRefusals, "missing_key", "invalid_key"] as const;

/** Requires a token for this very call, derived from the database's auth token, which only the operator has. */
export const operator = () => {
  const middleware: [Step] = [requireOperator];
  return { middleware };
};

/** Like `operator`, for a call with a body. The token is also derived from the body. */
export const operatorWithBody = () => {
  const { middleware } = withJsonBody(operator());
  const steps: [...typeof middleware, Step] = [...middleware, requireSignedBody];
  return { middleware: steps };
};

const requireOperator: Step = createMiddleware(async (c, next) => {
  announceUserLimit(c);
  const token = tokenOf(c);
  if (token === undefined) return refuse(c, { code: "missing_key" });
  if (!isValidToken(c, token)) return refuse(c, { code: "invalid_key" });
  const refusal = await countOperator(c);
  return refusal === undefined ? next() : refuse(c, refusal);
});

const requireSignedBody: Step = createMiddleware(async (c, next) =>
  isBodyOfToken(tokenOf(c) ?? "", await c.req.text()) ? next() : refuse(c, { code: "invalid_key" }),
);

const tokenOf = (c: Ctx): string | undefined => /^Bearer +(\S+)$/i.exec(c.req.header("Authorization") ?? "")?.[1];

/** Rejects every token if the database has no auth token, because anyone could derive a token from an empty secret. */
function isValidToken(c: Ctx, token: string): boolean {
  const { authToken } = databaseOf(c.env, home);
  const { pathname, search } = new URL(c.req.url);
  const call = { method: c.req.method, path: pathname + search };
  return authToken !== undefined && isOperatorToken(authToken, call, token, c.get("call").at);
}
