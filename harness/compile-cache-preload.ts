import { flushCompileCache } from "node:module";

// Imported first by the tests' shared services.

process.on("SIGUSR2", () => flushCompileCache());
