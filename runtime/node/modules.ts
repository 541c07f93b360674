import { realpathSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Registers modules with Node: those that Cloudflare's runtime provides to the build, and the Worker, which the
 * server's file imports from a neighboring folder.
 */
export function provideModules(build: { readonly serverFile: string; readonly workerDirectory: string }): void {
  const provided = new Map([["cloudflare:workers", new URL("./cloudflare-workers.ts", import.meta.url).href]]);
  // Node names a module by its real path.
  const server = pathToFileURL(realpathSync(build.serverFile)).href;
  const worker = pathToFileURL(join(build.workerDirectory, "worker.js")).href;
  registerHooks({
    resolve: (specifier, context, next) => {
      const url =
        provided.get(specifier) ?? (specifier === "./worker.js" && context.parentURL === server ? worker : specifier);
      return next(url, context);
    },
  });
}
