import { evidenceSalt, lineEvidence, payoutEvidence, type Skipped, skippedOf } from "#domain/line-evidence.ts";
import type { LineRow } from "#store/payout-lines.ts";
import type { Context } from "../operation.ts";

type Evidence = Pick<LineRow, "evidenceSalt" | "evidence">;

/** The evidence (a salted digest of the contents) of a line that a final payout pays. Null for other lines. */
export function evidenceOf(line: Omit<LineRow, keyof Evidence>, { hashSecret }: Pick<Context, "hashSecret">): Evidence {
  if (line.state !== "live") return { evidenceSalt: null, evidence: null };
  const salt = evidenceSalt(hashSecret, line.id);
  return { evidenceSalt: salt, evidence: lineEvidence(salt, line) };
}

/** Evidence and skipped partners for the audit trail. `lines` are sorted by partner id. */
export const trailOfLines = (lines: readonly LineRow[]): { readonly evidence: string; readonly skipped: Skipped } => ({
  evidence: payoutEvidence(lines.flatMap(({ evidence }) => evidence ?? [])),
  skipped: skippedOf(lines),
});
