import { join } from "node:path";
import * as esbuild from "esbuild";
import { root } from "../../scripts/root.ts";

const entries = ["browser", "embed", "react"];

/** Bundles code with esbuild, like a customer's build. */
export async function bundled(
  contents: string,
  loader: "js" | "tsx" = "js",
  format: "iife" | "esm" = "iife",
): Promise<string> {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: join(root, "sdk"),
    stdin: { contents, resolveDir: join(root, "sdk"), loader },
    alias: Object.fromEntries(entries.map((entry) => [`tributary-sdk/${entry}`, `./src/${entry}.ts`])),
    define: { "process.env.NODE_ENV": '"production"' },
    jsx: "automatic",
    bundle: true,
    format,
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}
