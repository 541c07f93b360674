import { expect } from "vitest";
import type { World } from "../../harness/world.ts";

/** All that is kept is what the events themselves come to; and the audit finds all that the test has forged. */
export async function expectLedgerConsistent({ audit, forged }: Pick<World, "audit" | "forged">): Promise<void> {
  const found = await audit();
  expect(
    found.filter(({ broken }) => !forged.has(broken)),
    "what the audit finds",
  ).toEqual([]);
  expect(found.map(({ broken }) => broken)).toEqual(expect.arrayContaining([...forged]));
}
