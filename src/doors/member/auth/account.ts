import { readFromDatabase, readFromShards } from "#api/read-database.ts";
import { readPage } from "#api/read-page.ts";
import { accountActions } from "#domain/account-event.ts";
import { emailDigest } from "#domain/email-digest.ts";
import type { ProgramId } from "#domain/ids.ts";
import type { OwnedAlone, Refusal } from "#domain/refusal.ts";
import { unavailable } from "#domain/result.ts";
import { home } from "#domain/shard.ts";
import { allShards, hashSecretOf } from "#env.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import { body, createRoute, endpoint, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import { idCursor, newest, PageMeta } from "#http/schema/cursor.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id } from "#http/schema/integers.ts";
import { timestamp } from "#http/schema/timestamp.ts";
import * as z from "#http/schema/zod.ts";
import { setSessionCookie } from "#http/session-cookie.ts";
import { readProgramsOfAccount } from "#store/account-traces.ts";
import { listAccountEvents } from "#store/accounts/account-events.ts";
import { readAccountPartners } from "#store/accounts/account-partners.ts";
import {
  deleteAccount,
  type HeldWorkspace,
  readHeldWorkspaces,
  readProgramNames,
} from "#store/accounts/delete-account.ts";
import { renameUser } from "#store/accounts/users.ts";
import { inputRefusals, sessionRefusals, sessionWriteRefusals, signedIn, signedInToRead } from "../guards.ts";
import { confirmIdentity, ownProof, proofWithPassword } from "./confirm-identity.ts";
import { done, success } from "./start-session.ts";

const UserChanges = z.object({ name: fields.nonBlank("name") }).openapi("UserChanges");

export const updateUser = endpoint({
  route: createRoute({
    method: "post",
    path: "/update-user",
    operationId: "updateUser",
    tags: ["Sign-in"],
    summary: "Change your name",
    description: "Members of your workspaces see the name. A repeat changes nothing.",
    ...withJsonBody(signedIn()),
    request: { body: body(UserChanges) },
    responses: {
      ...returns("Your new name", z.object({ data: z.object({ name: z.string() }) })),
      ...refusals([...sessionWriteRefusals, ...inputRefusals]),
    },
  }),
  handler: async (c) => {
    const { name } = c.req.valid("json");
    const renamed = await readFromDatabase(c, "home", (database) =>
      renameUser(database, c.get("userId"), name, c.get("call").at),
    );
    return renamed.ok ? c.json({ data: { name } }, 200) : refuse(c, renamed.refusal);
  },
});

const AccountDeletion = z.object(ownProof).openapi("AccountDeletion");

export const deleteUser = endpoint({
  route: createRoute({
    method: "delete",
    path: "/user",
    operationId: "deleteUser",
    tags: ["Sign-in"],
    summary: "Delete your account",
    description:
      "Ends your access to partners and deletes the address and payment details that you entered for them. Then deletes your memberships, sessions and sign-in. Audit trails show `Deleted user` instead of your name. If a program can't be reached, send the call again to delete the rest. It can't be undone.",
    ...withJsonBody(signedIn()),
    request: { body: body(AccountDeletion) },
    responses: {
      ...done("Account deleted"),
      ...refusals([...sessionWriteRefusals, ...inputRefusals, "last_owner", "reauthenticate"]),
    },
  }),
  handler: async (c) => {
    const userId = c.get("userId");
    const given = c.req.valid("json");
    const confirmed = await confirmIdentity(c, c.var, (credential) => proofWithPassword(credential, given));
    if (!confirmed.ok) return refuse(c, confirmed.refusal);
    const { email } = confirmed.value;
    const refusal = (await refusalOfLastOwner(c, userId)) ?? (await leavePrograms(c, userId, email));
    if (refusal !== undefined) return refuse(c, refusal);
    const deleted = await readFromDatabase(c, "home", (database) =>
      deleteAccount(database, { userId, email }, c.get("call")),
    );
    if (!deleted.ok) return refuse(c, deleted.refusal);
    if (!deleted.value) return refuse(c, (await refusalOfLastOwner(c, userId)) ?? { code: "last_owner" });
    await setSessionCookie(c, "", 0);
    return c.json(success, 200);
  },
});

async function refusalOfLastOwner(c: Ctx, userId: string): Promise<Refusal | undefined> {
  const held = await readFromDatabase(c, "home", (database) => readHeldWorkspaces(database, userId));
  if (!held.ok) return held.refusal;
  if (held.value.length === 0) return undefined;
  const names = await readFromShards(c, (databaseOf) => namesOf(databaseOf, held.value));
  return names.ok ? { code: "last_owner", held: ownedAlone(held.value, names.value) } : names.refusal;
}

type DatabaseOf = Parameters<Parameters<typeof readFromShards>[1]>[0];

async function namesOf(
  databaseOf: DatabaseOf,
  held: readonly HeldWorkspace[],
): Promise<ReadonlyMap<ProgramId, string>> {
  const byShard = Map.groupBy(held, ({ shard }) => shard);
  const found = await Promise.all(
    [...byShard].map(([shard, rows]) =>
      readProgramNames(
        databaseOf(shard ?? home),
        rows.flatMap(({ programId }) => programId ?? []),
      ),
    ),
  );
  return new Map(found.flat().map(({ id, name }) => [id, name]));
}

const ownedAlone = (held: readonly HeldWorkspace[], names: ReadonlyMap<ProgramId, string>): readonly OwnedAlone[] =>
  [...Map.groupBy(held, ({ workspaceId }) => workspaceId)].map(([workspaceId, rows]) => ({
    workspaceId,
    workspaceName: rows[0]?.workspaceName ?? "",
    programs: rows.flatMap(({ programId }) =>
      programId === null ? [] : [{ programId, programName: names.get(programId) ?? "" }],
    ),
  }));

/**
 * Reads the databases of all shards before it changes a program, because the index in the home database may be
 * incomplete.
 */
async function leavePrograms(c: Ctx, userId: string, email: string): Promise<Refusal | undefined> {
  const found = await readFromShards(c, (databaseOf) =>
    Promise.all([
      readAccountPartners(databaseOf(home), userId).then((entries) => entries.map(({ programId }) => programId)),
      ...allShards(c.env).map((shard) => readProgramsOfAccount(databaseOf(shard), userId)),
    ]),
  );
  if (!found.ok) return found.refusal;
  const digest = emailDigest(hashSecretOf(c.env), email);
  for (const programId of new Set(found.value.flat())) {
    const forget = {
      ...c.get("call"),
      kind: "forget-account" as const,
      programId,
      actorId: userId,
      emailDigest: digest,
    };
    const forgotten = await runOperation(c, forget);
    if (!forgotten.ok) return unavailable;
  }
  return undefined;
}

const pageSize = 50;

const cursors = idCursor("activity");

const Query = z.object({ cursor: cursors.parameter() });

const AccountActivity = z
  .object({
    id: id(),
    at: z.iso.datetime(),
    action: z.enum(accountActions),
    device: z.string().nullable().openapi({ example: "Firefox on Linux" }),
    place: z.string().nullable().describe("Country of the call.").openapi({ example: "NL" }),
  })
  .openapi("AccountActivity");

export const listActivity = endpoint({
  route: createRoute({
    method: "get",
    path: "/activity",
    operationId: "listActivity",
    tags: ["Sign-in"],
    summary: "List your account's activity",
    description:
      "Successful and failed sign-ins, ended sessions, and changes to your password, second factor and identity. Only the newest entries are kept.",
    ...signedInToRead(),
    request: { query: Query },
    responses: {
      ...returns(
        `Activity, newest first, ${pageSize} per page`,
        z.object({ data: z.array(AccountActivity), meta: PageMeta }),
      ),
      ...refusals([...sessionRefusals, "invalid_input"]),
    },
  }),
  handler: async (c) => {
    const { cursor: { id: before } = newest } = c.req.valid("query");
    const found = await readPage(c, "home", { ...cursors, size: pageSize }, (database, limit) =>
      listAccountEvents(database, c.get("userId"), before, limit),
    );
    if (!found.ok) return refuse(c, found.refusal);
    const { page, meta } = found.value;
    return c.json({ data: page.map(({ createdAt, ...event }) => ({ ...event, at: timestamp(createdAt) })), meta }, 200);
  },
});
