import { join } from "node:path";
import { afterAll, vi } from "vitest";
import { root } from "../../scripts/root.ts";

afterAll(() => void vi.unstubAllGlobals());

/**
 * Loads a module of the dashboard by its path in `dashboard/src`. A static import would make this folder's type check,
 * which doesn't support JSX, read the components that the module imports, at least for their types.
 */
export async function loadModule<Module>(path: string): Promise<Module> {
  // The API's client, which the module imports, reads `location`.
  vi.stubGlobal("location", { origin: "https://tributary.example" });
  return await import(/* @vite-ignore */ join(root, "dashboard/src", path));
}
