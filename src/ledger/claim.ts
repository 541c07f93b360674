import type { FencedWriter } from "./fenced-writer.ts";
import type { SettingsCache } from "./settings-cache.ts";
import type { Spill } from "./spill.ts";

interface ClaimParts {
  readonly writer: FencedWriter;
  readonly spill: Spill;
  readonly settings: SettingsCache;
  report(event: string, error: unknown): void;
}

/** Makes this instance the writer, and drops the settings that may have changed before it was. See FencedWriter.claim. */
export async function claim({ writer, spill, settings, report }: ClaimParts, retryForMs?: number): Promise<void> {
  const { epoch, isContinued } = await writer.claim(spill.newestBatch, retryForMs);
  if (isContinued) settings.forgetDoubted();
  else settings.clear();
  try {
    spill.beginEpoch(epoch);
  } catch (error) {
    report("ledger.epoch_not_kept", error);
  }
}
