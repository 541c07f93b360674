import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { isOperatorToken } from "../../domain/operator-token.ts";
import { databaseOf } from "../../env.ts";
import { jsonBody } from "../../http/body.ts";
import type { AppEnv, Ctx } from "../../http/context.ts";
import { announceUserLimit, countOperator } from "../../http/rate-limits.ts";
import { refuse } from "../../http/refusal/refuse.ts";
import { commonRefusals } from "../../http/refusal/responses.ts";
import type { FailureStyle } from "../../http/refusal/table.ts";

type Step = MiddlewareHandler<AppEnv>;

export const operatorStyle: FailureStyle = {
  envelope: "platform",
  messages: {
    missing_key: "Missing operator token. Use npm run spill, which sends one.",
    invalid_key: "Invalid or expired operator token",
  },
};

/** What may come of any call of an operator. */
export const ofOperator = [...commonRefusals, "missing_key", "invalid_key"] as const;

/** Whoever runs the service, which is whoever holds the database's own token. */
export const operator = () => {
  const middleware: [Step] = [requireOperator];
  return { middleware };
};

export const operatorAndBody = () => {
  const middleware: [Step, Step] = [requireOperator, jsonBody("application/json")];
  return { middleware };
};

const requireOperator: Step = createMiddleware(async (c, next) => {
  announceUserLimit(c);
  const token = /^Bearer +(\S+)$/i.exec(c.req.header("Authorization") ?? "")?.[1];
  if (token === undefined) return refuse(c, { code: "missing_key" });
  if (!isGood(c, token)) return refuse(c, { code: "invalid_key" });
  const refusal = await countOperator(c);
  return refusal === undefined ? next() : refuse(c, refusal);
});

/** A database without a token has no operator: an empty secret is one that everybody knows. */
function isGood(c: Ctx, token: string): boolean {
  const { authToken } = databaseOf(c.env);
  return authToken !== undefined && isOperatorToken(authToken, token, c.get("call").at);
}
