import type { LoopParts } from "./loop-parts.ts";

type ClaimParts = Pick<LoopParts, "writer" | "spill" | "context">;

/** Makes this instance the writer, and drops the settings that may have changed before it was. See FencedWriter.claim. */
export async function claim({ writer, spill, context }: ClaimParts, retryForMs?: number): Promise<void> {
  const { epoch, isContinued } = await writer.claim(spill.newestBatch, retryForMs);
  if (isContinued) context.settings.forgetDoubted();
  else context.settings.clear();
  try {
    spill.beginEpoch(epoch);
  } catch (error) {
    context.report("ledger.epoch_not_kept", error);
  }
}
