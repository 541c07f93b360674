import { expect } from "vitest";
import type { World } from "../../harness/world.ts";

/** Stored sums and states must follow from the events, and the audit must find everything that the test has forged. */
export async function expectLedgerConsistent({ audit, forged }: Pick<World, "audit" | "forged">): Promise<void> {
  const found = await audit();
  expect(
    found.filter(({ broken }) => !forged.has(broken)),
    "what the audit finds",
  ).toEqual([]);
  expect(found.map(({ broken }) => broken)).toEqual(expect.arrayContaining([...forged]));
}
