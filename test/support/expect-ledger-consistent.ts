import { afterAll, expect, onTestFinished } from "vitest";
import { openDatabaseClient } from "../../harness/database-client.ts";
import type { World } from "../../harness/world.ts";
import { auditLedger } from "../../scripts/audit/ledger.ts";

type Audited = Pick<World, "databases" | "programId" | "audit" | "forged">;

/** Stored sums and states must follow from the events, and the audit must find everything that the test has forged. */
export async function expectLedgerConsistent(
  { audit, forged }: Pick<World, "audit" | "forged">,
  test = "",
): Promise<void> {
  const found = await audit();
  expect(
    found.filter(({ broken }) => !forged.has(broken)),
    `what the audit finds ${test}`.trim(),
  ).toEqual([]);
  expect(found.map(({ broken }) => broken)).toEqual(expect.arrayContaining([...forged]));
}

export interface LeftWorld {
  readonly world: Audited;
  readonly test: string;
}

/** By the URL of the database that has their books. Undefined if the project's files have no common end. */
let left: Map<string, LeftWorld[]> | undefined;

/** An audit takes most of its time to compile its statements: one is for all worlds of a file. */
export function auditAtEndOfFile(): void {
  left = new Map();
  afterAll(async () => {
    for (const [url, worlds] of left ?? []) await expectAllConsistent(url, worlds);
    left?.clear();
  });
}

export async function expectAllConsistent(url: string, worlds: readonly LeftWorld[]): Promise<void> {
  const untouched = worlds.filter(({ world }) => world.forged.size === 0);
  const found = await auditLedger(openDatabaseClient(url), {
    programId: untouched.map(({ world }) => world.programId),
  });
  const suspects = found.length === 0 ? worlds.filter((each) => !untouched.includes(each)) : worlds;
  for (const { world, test } of suspects) await expectLedgerConsistent(world, `after "${test}"`);
  expect(found).toEqual([]);
}

/** Once the test, or its file, is over. The database must outlive the file. */
export function expectConsistentInTheEnd(world: Audited): void {
  if (left === undefined) {
    onTestFinished(() => expectLedgerConsistent(world));
    return;
  }
  const { url } = world.databases;
  const worlds = left.get(url) ?? [];
  left.set(url, [...worlds, { world, test: expect.getState().currentTestName ?? "" }]);
}
