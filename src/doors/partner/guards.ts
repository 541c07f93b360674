import type { Context, MiddlewareHandler, Next } from "hono";
import { createMiddleware } from "hono/factory";
import type { InPartner } from "#api/caller.ts";
import { readFromDatabase, readFromShards } from "#api/read-database.ts";
import type { PartnerId, ProgramId } from "#domain/ids.ts";
import type { PartnerRole } from "#domain/partner-access.ts";
import type { Refusal } from "#domain/refusal.ts";
import { notFound, ok, type Result, refused } from "#domain/result.ts";
import type { BodyCtx } from "#http/body.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { AppEnv, Ctx } from "#http/context.ts";
import { shardOfProgram } from "#http/places.ts";
import { refuse } from "#http/refusal/refuse.ts";
import { isReadMethod } from "#http/request.ts";
import { refusalOfSite } from "#http/same-site.ts";
import { readId } from "#http/schema/id.ts";
import { enterAccountPartners } from "#store/accounts/account-partners.ts";
import { loadPartnerScope } from "#store/accounts/partner-scope.ts";
import type { OwnPartner } from "#store/own-partner.ts";
import { authorizeMember, authorizeScope, refusalOfBound, refusalOfPassword } from "../member/authorize.ts";
import { sessionRefusals } from "../member/guards.ts";

type StepWith<Variables extends object> = MiddlewareHandler<AppEnv & { Variables: Variables }>;

export const partnerRefusals = ["not_found", "cross_site", "oidc_required", ...sessionRefusals] as const;
export const partnerWriteRefusals = ["foreign_origin", "view_only", ...partnerRefusals] as const;

/**
 * Checks in this order: session, origin, rate limit, identity provider, access to the partner, and, for a write, the
 * role (`view` may not write). Without access, the refusal is the same as for a program that doesn't exist.
 */
export const partnerSide = (needed: PartnerRole = "view") => {
  const middleware: [StepWith<InPartner>] = [requirePartner];
  return { security: [{ session: [needed] }], middleware };
};

/** For a POST that only reads: viewers, and owners who view the partner's pages, may call it too. */
export const partnerSideRead = () => {
  const middleware: [StepWith<InPartner>] = [requireReader];
  return { security: [{ session: ["view" as const satisfies PartnerRole] }], middleware };
};

/** Returns the refusal of a write if the partner or the program isn't active. */
export const refusalIfInactive = ({ isActive }: InPartner["partner"]): Refusal | undefined =>
  isActive ? undefined : { code: "inactive" };

/** The program, for the names of downloaded files. */
export const programFile = ({ programId: id, programName: name }: OwnPartner) => ({ id, name });

export const downloading = ({ var: { accountId, partner } }: { readonly var: InPartner }) => ({
  actorId: accountId,
  programId: partner.programId,
});

interface Asked {
  readonly programId: ProgramId;
  readonly partnerId: PartnerId;
}

export const noPartner = notFound("partner");

function partnerInPath(c: { readonly req: Ctx["req"] }): Result<Asked> {
  const [programId, partnerId] = [readId(c.req.param("programId")), readId(c.req.param("partnerId"))];
  return programId === undefined || partnerId === undefined ? refused(noPartner) : ok({ programId, partnerId });
}

async function authorizePartner(c: BodyCtx) {
  const scope = await authorizeScope(c, partnerInPath, (ctx, { token, id, at }) =>
    readFromShards(ctx, (databaseOf) =>
      loadPartnerScope(databaseOf, { token, ...id, at }, shardOfProgram(ctx.env, id.programId)),
    ),
  );
  if (!scope.ok) return scope;
  const refusal = await refusalOfBound(c, scope.value.user);
  return refusal === undefined ? scope : refused(refusal);
}

type PartnerCtx = Context<AppEnv & { Variables: InPartner }>;

async function admit(c: PartnerCtx, next: Next, isRead: boolean) {
  const scope = await authorizePartner(c);
  if (!scope.ok) return refuse(c, scope.refusal);
  const { user, partner, membership, shard, isListed } = scope.value;
  if (partner === undefined) return refuse(c, noPartner);
  const { roles, ...known } = partner;
  c.get("log").programId = known.programId;
  c.get("log").shard = shard;
  const { userId, confirmedAt } = user;
  if (c.req.query("as") === "owner") {
    if (!isRead || !authorizeMember(c, membership, "owner").ok) return refuse(c, noPartner);
    const refusal = refusalOfSite(c) ?? (await refusalOfPassword(c, user));
    if (refusal !== undefined) return refuse(c, refusal);
    const viewed = await noteView(c, known, userId);
    if (!viewed.ok) return refuse(c, viewed.refusal);
    setPartner(c, { accountId: userId, confirmedAt, role: "owner", partner: known });
    return next();
  }
  const role = roles.get(userId);
  if (role === undefined) return refuse(c, noPartner);
  if (!isListed) await list(c, known, userId);
  if (role === "view" && !isRead) return refuse(c, { code: "view_only" });
  setPartner(c, { accountId: userId, confirmedAt, role, partner: known });
  return next();
}

const requirePartner: StepWith<InPartner> = createMiddleware((c, next) => admit(c, next, isReadMethod(c.req.method)));
const requireReader: StepWith<InPartner> = createMiddleware((c, next) => admit(c, next, true));

/**
 * Adds the partner to the account's list in the home database. The entry may be missing after a restore. If this fails,
 * the next visit tries again.
 */
function list(c: Ctx, { programId, partnerId }: InPartner["partner"], accountId: string) {
  const enteredAt = c.get("call").at;
  return readFromDatabase(c, "home", (database) =>
    enterAccountPartners(database, [{ accountId, programId, partnerId, enteredAt }]),
  );
}

function setPartner(
  c: { set<Name extends keyof InPartner>(name: Name, value: InPartner[Name]): void },
  { accountId, confirmedAt, role, partner }: InPartner,
): void {
  c.set("accountId", accountId);
  c.set("confirmedAt", confirmedAt);
  c.set("role", role);
  c.set("partner", partner);
}

/** Records that an owner viewed the partner's pages: one audit entry a day for each owner and partner. */
function noteView(c: Ctx, { programId, partnerId, timezone }: InPartner["partner"], actorId: string) {
  const view = { ...c.get("call"), kind: "view-as-partner", programId, partnerId, actorId, timezone } as const;
  return runOperation(c, view);
}
