import { flushCompileCache } from "node:module";

// The tests' shared services import this file first.

process.on("SIGUSR2", () => flushCompileCache());
