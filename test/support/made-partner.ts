import { expect } from "vitest";
import type { Session } from "../../harness/session.ts";

/**
 * Creates a partner by an API call. Tests that add codes need this: the partner's first code has the lowest id only if
 * ids rise in the order of creation, and a world's ids are random.
 */
export async function madePartner(
  admin: Session,
  { programId }: { readonly programId: number },
  partner: { readonly name: string; readonly code: string },
): Promise<number> {
  const { status, text, body } = await admin.post<{ data: { id: number } }>(
    `/api/programs/${programId}/partners`,
    partner,
  );
  expect(status, text).toBe(201);
  return body.data.id;
}
