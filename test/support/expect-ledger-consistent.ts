import { afterAll, expect, onTestFinished } from "vitest";
import type { World } from "../../harness/world.ts";
import { auditPrograms } from "./audit-programs.ts";

type Audited = Pick<World, "databases" | "programId" | "forged">;

/**
 * Checks that stored sums and states follow from the events, and that the audit finds every inconsistency that the test
 * declared.
 */
export async function expectLedgerConsistent(
  { databases: { url }, programId, forged }: Audited,
  test = "",
): Promise<void> {
  const found = await auditPrograms(url, [programId]);
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

/**
 * The worlds to audit at the end of the file, by the URL of their database. Undefined if the project audits after each
 * test.
 */
let left: Map<string, LeftWorld[]> | undefined;

/** Audits all worlds of a file together, because most of an audit's time is spent on compiling its statements. */
export function auditAtEndOfFile(): void {
  left = new Map();
  afterAll(async () => {
    for (const [url, worlds] of left ?? []) await expectAllConsistent(url, worlds);
    left?.clear();
  });
}

export async function expectAllConsistent(url: string, worlds: readonly LeftWorld[]): Promise<void> {
  const untouched = worlds.filter(({ world }) => world.forged.size === 0);
  const ids = untouched.map(({ world }) => world.programId);
  const found = await auditPrograms(url, ids);
  const suspects = found.length === 0 ? worlds.filter((each) => !untouched.includes(each)) : worlds;
  for (const { world, test } of suspects) await expectLedgerConsistent(world, `after "${test}"`);
  expect(found).toEqual([]);
}

/**
 * Audits the world at the end of the test, or at the end of the file. The database must still run at the end of the
 * file.
 */
export function expectConsistentInTheEnd(world: Audited): void {
  if (left === undefined) {
    onTestFinished(() => expectLedgerConsistent(world));
    return;
  }
  const { url } = world.databases;
  const worlds = left.get(url) ?? [];
  left.set(url, [...worlds, { world, test: expect.getState().currentTestName ?? "" }]);
}
