import { type ClickKeyRing, readClickId } from "#domain/click-id.ts";
import type { VerifiedClick } from "#operations/operation.ts";

/** Returns undefined unless the signature is valid. Checks neither program nor book. */
export function verifiedClick(ring: ClickKeyRing, clickId: string): VerifiedClick | undefined {
  const token = readClickId(ring, clickId);
  return token && { ...token, clickId };
}

const maxHistory = 20;

export function verifiedClicks(
  ring: ClickKeyRing,
  history: readonly string[] | null,
  current: string | null,
): { readonly clicks: readonly VerifiedClick[]; readonly invalidClickIds: readonly string[] } {
  const earlier = history?.slice(-maxHistory).filter((clickId) => clickId !== current) ?? [];
  const clicks: VerifiedClick[] = [];
  const invalidClickIds: string[] = [];
  for (const clickId of new Set(current === null ? earlier : [...earlier, current])) {
    const click = verifiedClick(ring, clickId);
    if (click === undefined) invalidClickIds.push(clickId);
    else clicks.push(click);
  }
  return { clicks, invalidClickIds };
}
