import { type ChildLog, startLogged } from "./child-log.ts";
import { node } from "./root.ts";
import { type ServedFiles, servedFilesIn } from "./served-files.ts";
import { explain, ServiceError } from "./service-error.ts";

/** Builds in a process of its own: bundlers hold on to their memory for as long as theirs lives. */
export async function buildApart(directory: string, log: ChildLog): Promise<ServedFiles> {
  const child = await startLogged(node, [import.meta.filename, directory], log, { env: process.env });
  const { code } = await child.exited;
  if (code !== 0) throw new ServiceError("The build failed. The log says why.");
  return servedFilesIn(directory);
}

if (import.meta.main) {
  const [, , directory = ""] = process.argv;
  const { build } = await import("./build.ts");
  try {
    await build({ directory, keepsParts: true });
    // esbuild keeps a process, which keeps this one.
    process.exit();
  } catch (error) {
    console.error(explain(error));
    process.exit(1);
  }
}
