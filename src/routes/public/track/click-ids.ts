import { type ClickKeyRing, readClickId } from "../../../domain/click-id.ts";
import type { VerifiedClick } from "../../../operations/operation.ts";

/** Undefined unless the signature is valid. Checks neither program nor book. */
export function verifiedClick(ring: ClickKeyRing, clickId: string): VerifiedClick | undefined {
  const token = readClickId(ring, clickId);
  return token && { ...token, clickId };
}

const maxHistory = 20;

export function verifiedClicks(
  ring: ClickKeyRing,
  history: readonly string[],
  current: string | undefined,
): readonly VerifiedClick[] {
  const earlier = history.slice(-maxHistory).filter((clickId) => clickId !== current);
  const clickIds = new Set(current === undefined ? earlier : [...earlier, current]);
  return [...clickIds].map((clickId) => verifiedClick(ring, clickId)).filter((click) => click !== undefined);
}
