import { expect } from "vitest";
import type { World } from "./world.ts";

/** Every count and every sum that is kept is what the events themselves come to. */
export async function expectBooksToBalance({ audit }: Pick<World, "audit">): Promise<void> {
  expect(await audit(), "what the audit finds").toEqual([]);
}
