import { ok, type Result } from "#domain/result.ts";
import { home } from "#domain/shard.ts";
import { callLedger } from "#http/call-ledger.ts";
import type { Ctx } from "#http/context.ts";
import type { UpdateDirectoryCall } from "#operations/places/update-directory.ts";
import type { ProgramScope } from "#store/accounts/scope.ts";

type InProgram = Ctx & { readonly var: { readonly program: ProgramScope } };

/** Tells home what it must know of a program on another shard, so that a code without a program id finds it. */
export async function updateDirectory(
  c: InProgram,
  changes: Pick<UpdateDirectoryCall, "changes" | "code">,
): Promise<Result<void>> {
  const { id: programId, shard } = c.var.program;
  if (shard === home) return ok(undefined);
  const call = { ...c.get("call"), kind: "update-directory", programId, ...changes } as const;
  const told = await callLedger(c, { shard: home }, (ledger) => ledger.run(call));
  return told.ok ? ok(undefined) : told;
}
