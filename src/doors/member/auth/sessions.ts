import { readFromDatabase } from "#api/read-database.ts";
import { dateUtc } from "#domain/calendar.ts";
import type { Ctx } from "#http/context.ts";
import {
  body,
  commonRefusals,
  createRoute,
  endpoint,
  refusals,
  refuse,
  returns,
  withJsonBody,
} from "#http/endpoint.ts";
import { announceUserLimit, countUser } from "#http/rate-limits.ts";
import * as fields from "#http/schema/form-fields.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { cookieTokenOf, sessionTokenOf, setSessionCookie, storedToken } from "#http/session-cookie.ts";
import { findUser } from "#store/accounts/scope.ts";
import {
  endOtherSessions,
  endSession,
  endSessionByToken,
  listSessions as list,
  useSession,
} from "#store/accounts/sessions.ts";
import type { Database } from "#store/database.ts";
import {
  fromOwnOrigin,
  inputRefusals,
  sessionRefusals,
  sessionWriteRefusals,
  signedIn,
  signedInToRead,
  writeRefusals,
} from "../guards.ts";
import { accountEvent, done, success, UserReply, userReply } from "./start-session.ts";

const SessionReply = z
  .object({
    session: z.object({
      id: z.string(),
      userId: z.string(),
      createdAt: z.iso.datetime(),
      expiresAt: z.iso.datetime(),
      byProvider: z.boolean().describe("True if the session began at the identity provider. It then ends after a day."),
    }),
    user: UserReply,
  })
  .nullable()
  .openapi("Session");

export const getSession = endpoint({
  route: createRoute({
    method: "get",
    path: "/get-session",
    operationId: "getSession",
    tags: ["Sign-in"],
    summary: "Get the current session",
    description: "Requires no session: without a valid one, the response is `null`, not 401.",
    security: [{}, { session: [] }],
    responses: {
      ...returns(
        "The current session, or null. Once a day, this call renews the session for a week, up to 30 days after sign-in.",
        SessionReply,
      ),
      ...refusals(commonRefusals),
    },
  }),
  handler: async (c) => {
    announceUserLimit(c);
    const token = await cookieTokenOf(c);
    if (token === undefined) return c.json(null, 200);
    const { at } = c.get("call");
    const found = await readFromDatabase(c, "home", (database) => useSession(database, storedToken(token), at));
    if (!found.ok) return refuse(c, found.refusal);
    if (found.value === undefined) return c.json(null, 200);
    const { session, user, isRenewed } = found.value;
    const overLimit = await countUser(c, user.userId);
    if (overLimit !== undefined) return refuse(c, overLimit);
    const expiresAt = session.expiresAt.getTime();
    if (isRenewed) await setSessionCookie(c, token, Math.floor((expiresAt - at) / 1000));
    const dates = { createdAt: timestamp(session.createdAt.getTime()), expiresAt: timestamp(expiresAt) };
    const byProvider = session.identityId !== null;
    return c.json(
      { session: { id: session.id, userId: user.userId, ...dates, byProvider }, user: userReply(user) },
      200,
    );
  },
});

const OwnSession = z
  .object({
    id: z.string(),
    current: z.boolean().describe("True for the session that makes this call."),
    device: z.string().nullable().openapi({ example: "Firefox on Linux" }),
    place: z.string().nullable().describe("Country of the sign-in.").openapi({ example: "NL" }),
    createdAt: z.iso.datetime(),
    lastUsedOn: z.iso.date().describe("Day of the last use, in UTC."),
  })
  .openapi("OwnSession");

export const listSessions = endpoint({
  route: createRoute({
    method: "get",
    path: "/list-sessions",
    operationId: "listSessions",
    tags: ["Sign-in"],
    summary: "List your sessions",
    description: "One session for each browser in which you are signed in. Revoke any that you don't recognize.",
    ...signedInToRead(),
    responses: {
      ...returns("Your sessions, most recently used first", z.object({ data: z.array(OwnSession) })),
      ...refusals(sessionRefusals),
    },
  }),
  handler: async (c) => {
    const userId = c.get("userId");
    const call = c.get("call");
    const found = await readFromDatabase(c, "home", (database) => list(database, userId, call.at));
    if (!found.ok) return refuse(c, found.refusal);
    const own = await sessionTokenOf(c);
    const data = found.value.map(({ id, token, device, place, createdAt, updatedAt }) => ({
      id,
      current: token === own,
      device,
      place,
      createdAt: timestamp(createdAt.getTime()),
      lastUsedOn: dateUtc(updatedAt.getTime()),
    }));
    return c.json({ data }, 200);
  },
});

const RevokedSession = z.object({ id: fields.nonBlank("id") }).openapi("RevokedSession");

export const revokeSession = endpoint({
  route: createRoute({
    method: "post",
    path: "/revoke-session",
    operationId: "revokeSession",
    tags: ["Sign-in"],
    summary: "Revoke a session",
    description: "Signs the session's browser out at its next call. A repeat changes nothing.",
    ...withJsonBody(signedIn()),
    request: { body: body(RevokedSession) },
    responses: {
      ...done("Session revoked, or not found"),
      ...refusals([...sessionWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const { id } = c.req.valid("json");
    const event = await accountEvent(c, c.get("userId"), "session_ended");
    const ended = await readFromDatabase(c, "home", (database) => endSession(database, id, event));
    return ended.ok ? c.json(success, 200) : refuse(c, ended.refusal);
  },
});

export const revokeOtherSessions = endpoint({
  route: createRoute({
    method: "post",
    path: "/revoke-other-sessions",
    operationId: "revokeOtherSessions",
    tags: ["Sign-in"],
    summary: "Revoke all your other sessions",
    description: "Signs out every other browser at its next call.",
    ...signedIn(),
    responses: { ...done("Sessions revoked"), ...refusals(sessionWriteRefusals) },
  }),
  handler: async (c) => {
    const token = (await sessionTokenOf(c)) ?? "";
    const event = await accountEvent(c, c.get("userId"), "other_sessions_ended");
    const ended = await readFromDatabase(c, "home", (database) => endOtherSessions(database, token, event));
    return ended.ok ? c.json(success, 200) : refuse(c, ended.refusal);
  },
});

export const signOut = endpoint({
  route: createRoute({
    method: "post",
    path: "/sign-out",
    operationId: "signOut",
    tags: ["Sign-in"],
    summary: "Sign out",
    description:
      "Ends this session and clears its cookie. Without a session, nothing changes and the response is the same.",
    ...fromOwnOrigin(),
    responses: {
      ...done("Session ended"),
      ...refusals([...writeRefusals, "https_required", "internal", "unavailable"]),
    },
  }),
  handler: async (c) => {
    const token = await sessionTokenOf(c);
    if (token !== undefined) {
      const ended = await readFromDatabase(c, "home", (database) => endByToken(c, database, token));
      if (!ended.ok) return refuse(c, ended.refusal);
    }
    await setSessionCookie(c, "", 0);
    return c.json(success, 200);
  },
});

async function endByToken(c: Ctx, database: Database, token: string): Promise<void> {
  const user = await findUser(database, token, c.get("call").at);
  if (user === undefined) return;
  await endSessionByToken(database, token, await accountEvent(c, user.userId, "signed_out"));
}
