// Node parses a package's package.json again for each file of the package and for each import of it. Drizzle's has 180 kB,
// which took two thirds of the time in which a command starts. scripts/with-node preloads this.
const { registerHooks } = require("node:module");
const { dirname, join } = require("node:path");
const { pathToFileURL } = require("node:url");

const own = pathToFileURL(join(dirname(__dirname), "/")).href;
const inDrizzle = "/node_modules/drizzle-orm/";
const resolved = new Map();

// Node has it since 22.15.
registerHooks?.({
  resolve(specifier, context, next) {
    const { parentURL = "", conditions } = context;
    if (!conditions.includes("import")) return next(specifier, context);
    if (specifier.startsWith(".") && parentURL.includes(inDrizzle)) {
      return { url: new URL(specifier, parentURL).href, format: "module", shortCircuit: true };
    }
    if (!/^drizzle-orm\b/.test(specifier) || !parentURL.startsWith(own) || parentURL.includes("/node_modules/")) {
      return next(specifier, context);
    }
    const found = resolved.get(specifier) ?? next(specifier, context);
    resolved.set(specifier, found);
    return { ...found, shortCircuit: true };
  },
});
