import { registerHooks } from "node:module";

// A service in one process imports this file first, and then uses the harness's databases instead of its own.

const processes = ["ledger", "desk"].map((role) => new URL(`../runtime/node/${role}.ts`, import.meta.url).href);
const own = new URL("../runtime/node/databases.ts", import.meta.url).href;
const faulty = new URL("./faulty-databases.ts", import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context);
    return processes.includes(context.parentURL ?? "") && found.url === own ? { ...found, url: faulty } : found;
  },
});
