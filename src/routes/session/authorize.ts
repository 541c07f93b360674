import type { Refusal } from "../../domain/refusal.ts";
import { mayActAs, type Role } from "../../domain/role.ts";
import { type BodyCtx, isAccepted, takeBody } from "../../http/body.ts";
import type { Ctx } from "../../http/context.ts";
import { announceUserLimit, countUser } from "../../http/rate-limits.ts";
import { invalidField } from "../../http/refusal/responses.ts";
import { refusalOfBody } from "../../http/refusal/validation.ts";
import { isRead } from "../../http/request.ts";
import { readId } from "../../http/schema/id.ts";
import type * as z from "../../http/schema/zod.ts";
import { sessionTokenOf } from "../../http/session-cookie.ts";
import { originOf } from "../../http/transport.ts";
import { findUser, type Membership, type Scope } from "../../store/accounts/scope.ts";
import type { Database } from "../../store/database.ts";
import { readFromDatabase } from "../read-database.ts";

type Judged<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal };
const yes = <T>(value: T): Judged<T> => ({ ok: true, value });
const no = (refusal: Refusal): Judged<never> => ({ ok: false, refusal });

const noSession = { code: "no_session" } as const;

/** A key never opens what a session opens, whatever else is sent along. */
async function presentedToken(c: Ctx): Promise<string | undefined> {
  return /^Bearer\b/i.test(c.req.header("Authorization") ?? "") ? undefined : sessionTokenOf(c);
}

/** Whose session it is. */
export async function authorizeUser(c: Ctx): Promise<Judged<string>> {
  announceUserLimit(c);
  const token = await presentedToken(c);
  return token === undefined ? no(noSession) : judgeUserOf(c, token);
}

async function judgeUserOf(c: Ctx, token: string): Promise<Judged<string>> {
  const found = await readFromDatabase(c, (database) => findUser(database, token, c.get("call").at));
  if (!found.ok) return found;
  if (found.value === undefined) return no(noSession);
  return admitted(c, found.value, found.value);
}

/** A browser says where a write comes from, and no page of another site can make it say otherwise. */
export function faultOfOrigin(c: Ctx): Refusal | undefined {
  const { req } = c;
  if (isRead(req.method)) return undefined;
  const origin = req.header("Origin");
  const isSameOrigin = origin === undefined ? req.header("Sec-Fetch-Site") === "same-origin" : origin === originOf(c);
  const isOurs = isSameOrigin && isAccepted(req.raw, ["application/json"]);
  return isOurs ? undefined : { code: "foreign_origin" };
}

/**
 * What is known of a call whose user may make it. It is counted before anything is said of what it asks for, so that
 * nobody finds programs by trying ids; a write that another site's page makes doesn't count against its user.
 */
async function admitted<T>(c: Ctx, userId: string, value: T): Promise<Judged<T>> {
  const refusal = faultOfOrigin(c) ?? (await countUser(c, userId));
  return refusal === undefined ? yes(value) : no(refusal);
}

/** Finds the id of what a call is about, or why it can't be told. */
export type ResolveScope<Id> = (c: BodyCtx) => Judged<Id> | Promise<Judged<Id>>;

/** Whose session it is and what is seen of the place that the call is about: one request to the database. */
export async function authorizeScope<Id, Seen extends Scope>(
  c: BodyCtx,
  locate: ResolveScope<Id>,
  see: (database: Database, token: string, id: Id) => Promise<Seen>,
): Promise<Judged<Seen & { readonly userId: string }>> {
  announceUserLimit(c);
  const token = await presentedToken(c);
  if (token === undefined) return no(noSession);
  const located = await locate(c);
  if (!located.ok) {
    const user = await judgeUserOf(c, token);
    return user.ok ? located : user;
  }
  const seen = await readFromDatabase(c, (database) => see(database, token, located.value));
  if (!seen.ok) return seen;
  const { userId } = seen.value;
  return userId === undefined ? no(noSession) : admitted(c, userId, { ...seen.value, userId });
}

export function authorizeMember(membership: Membership | undefined, needed: Role): Judged<Membership> {
  if (membership?.status !== "active") return no({ code: "not_a_member" });
  return mayActAs(membership.role, needed) ? yes(membership) : no({ code: "role_too_low", needed });
}

export const programInPath: ResolveScope<number> = (c) => {
  const id = readId(c.req.param("programId"));
  return id === undefined ? no({ code: "not_found", what: "program" }) : yes(id);
};

export const workspaceInPath: ResolveScope<string> = (c) => {
  const id = c.req.param("workspaceId");
  return id === undefined ? no({ code: "not_found", what: "workspace" }) : yes(id);
};

export const workspaceInQuery: ResolveScope<string> = (c) => {
  const id = readKey(c.req.query("workspaceId"));
  return id === undefined ? no(invalidField("workspaceId", "workspaceId is required")) : yes(id);
};

export const programInBody = (schema: z.ZodObject): ResolveScope<number> => inBody("program_id", readId, schema);
export const workspaceInBody = (schema: z.ZodObject): ResolveScope<string> => inBody("workspaceId", readKey, schema);

const readKey = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** A body that doesn't say where is refused with all its faults. */
const inBody =
  <Id>(field: string, read: (value: unknown) => Id | undefined, schema: z.ZodObject): ResolveScope<Id> =>
  async (c) => {
    const refusal = await takeBody(c, "application/json");
    if (refusal !== undefined) return no(refusal);
    const id = read(c.get("body")?.[field]);
    if (id !== undefined) return yes(id);
    return no(refusalOfBody(schema, c.get("body")) ?? invalidField(field, `${field} is required`));
  };
