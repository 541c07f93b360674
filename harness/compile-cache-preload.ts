import { flushCompileCache } from "node:module";
import { BroadcastChannel, isMainThread } from "node:worker_threads";

// The tests' shared services import this file first, in each of their threads. SIGUSR2 then makes them write their
// compile cache.

const flushes = new BroadcastChannel("flush-compile-cache");
flushes.unref();
if (isMainThread)
  process.on("SIGUSR2", () => {
    flushCompileCache();
    flushes.postMessage("now");
  });
else flushes.onmessage = () => flushCompileCache();
