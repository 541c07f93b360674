import { expect } from "vitest";
import type { Session } from "../../harness/session.ts";

/**
 * A partner whom the service makes, for tests that add codes: ids in the order of creation are what the first code rests on, and
 * a world's ids are random.
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
