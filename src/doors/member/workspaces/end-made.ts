import { readFromShards } from "#api/read-database.ts";
import type { Shard } from "#domain/ids.ts";
import type { Refusal } from "#domain/refusal.ts";
import { ok, type Result } from "#domain/result.ts";
import { runOperation } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import type { PlacedProgram } from "#store/accounts/members.ts";
import { type MadeByMember, readMadeByMember } from "#store/views/made-by-member.ts";

interface Leaving {
  readonly userId: string;
  readonly programs: readonly PlacedProgram[];
}

/** In all programs of the workspace, wherever they are. */
export async function readMade(c: Ctx, { userId, programs }: Leaving): Promise<Result<MadeByMember>> {
  const { at } = c.get("call");
  const shards = Map.groupBy(programs, ({ shard }) => shard);
  const found = await readFromShards(c, (databaseOf) =>
    Promise.all(
      [...shards].map(([shard, placed]: [Shard, readonly PlacedProgram[]]) =>
        readMadeByMember(databaseOf(shard), { userId, programIds: placed.map(({ programId }) => programId), at }),
      ),
    ),
  );
  if (!found.ok) return found;
  return ok({
    keys: found.value.flatMap(({ keys }) => keys),
    webhooks: found.value.flatMap(({ webhooks }) => webhooks),
    invitations: found.value.flatMap(({ invitations }) => invitations),
  });
}

interface Ending {
  readonly actorId: string;
  readonly madeBy: string;
  /** Also keys and webhooks. */
  readonly endsAll: boolean;
}

/** Ends partners' invitations. Sent again, it ends what is left. */
export async function endMade(
  c: Ctx,
  { keys, webhooks, invitations }: MadeByMember,
  { actorId, madeBy, endsAll }: Ending,
): Promise<Refusal | undefined> {
  const { operationId, at } = c.get("call");
  const by = (programId: number, what: string) => ({
    ...{ operationId: `${operationId}.${programId}.${what}`, at, actorId, programId },
  });
  for (const { programId } of invitations) {
    const revoke = { ...by(programId, "invitations"), kind: "revoke-partner-invitations", madeBy } as const;
    const revoked = await runOperation(c, revoke);
    if (!revoked.ok) return revoked.refusal;
  }
  if (!endsAll) return undefined;
  for (const { programId, id } of keys) {
    const retire = { ...by(programId, `key ${id}`), kind: "retire-key", keyId: id } as const;
    const retired = await runOperation(c, retire);
    if (!retired.ok) return retired.refusal;
  }
  for (const { programId, id } of webhooks) {
    const changes = { status: "disabled" } as const;
    const disable = { ...by(programId, `webhook ${id}`), kind: "update-webhook", webhookId: id, changes } as const;
    const disabled = await runOperation(c, disable);
    // What an archived program has stopped already.
    if (!disabled.ok && disabled.refusal.code !== "program_archived") return disabled.refusal;
  }
  return undefined;
}
