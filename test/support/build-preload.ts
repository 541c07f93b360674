import { registerHooks } from "node:module";

// Preloaded into commands and their child processes (NODE_OPTIONS). If TEST_BUILD names the folder of a build, commands
// use it instead of building.

const builder = new URL("../../scripts/build/build.ts", import.meta.url).href;
const copier = new URL("built.ts", import.meta.url).href;

if (process.env.TEST_BUILD) {
  registerHooks({
    resolve: (specifier, context, next) => {
      const resolved = next(specifier, context);
      return resolved.url === builder && context.parentURL !== copier ? { ...resolved, url: copier } : resolved;
    },
  });
}
