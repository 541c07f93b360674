import { hourMs } from "#domain/calendar.ts";
import { type DataContext, decryptData, encryptData, ivBytes } from "#domain/encrypted-data.ts";
import { dataKeysOf } from "#env.ts";
import type { Ctx } from "#http/context.ts";
import type { ExportPersonCall } from "#operations/privacy/export-person.ts";

// A request to export many rows is stored nowhere: its id has the call in it, encrypted, for who made it and for an hour.

type Requested = Omit<ExportPersonCall, "kind" | "programId" | "actorId">;

const contextOf = ({ programId, actorId }: Pick<ExportPersonCall, "programId" | "actorId">): DataContext => ({
  purpose: "privacy-request",
  rowId: `export of ${programId} for ${actorId}`,
});

export function exportRequestId(c: Ctx, { kind: _, programId, actorId, ...asked }: ExportPersonCall): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  const requested: Requested = asked;
  return encryptData(dataKeysOf(c.env), contextOf({ programId, actorId }), JSON.stringify(requested), iv);
}

/** Undefined if there is none, or no longer. */
export async function exportRequested(
  c: Ctx,
  by: Pick<ExportPersonCall, "programId" | "actorId" | "at">,
  requestId: string,
): Promise<ExportPersonCall | undefined> {
  const plain = await decryptData(dataKeysOf(c.env), contextOf(by), requestId);
  if (plain === undefined) return undefined;
  const { at, ...asked } = JSON.parse(plain) as Requested;
  if (by.at - at > hourMs) return undefined;
  return { ...asked, ...by, kind: "export-person", operationId: asked.operationId };
}
