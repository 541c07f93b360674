import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import timers from "node:timers/promises";
import "./build-preload.ts";

// Preloaded into `npm run deploy` and its child processes (NODE_OPTIONS), because the tests have no Cloudflare account
// and no certificate.

// A libsql:// URL implies https, but the test's server uses plain http.
const { fetch } = globalThis;
const { TEST_DATABASE: database, TEST_CLOUDFLARE: cloudflare } = process.env;
globalThis.fetch = (input, init) => {
  const request = new Request(input, init);
  const { hostname, pathname } = new URL(request.url);
  const [, shard] = /^shard-(\d)\.test$/.exec(hostname) ?? [];
  const own = shard === undefined ? hostname === "database.test" && database : process.env[`TEST_SHARD_${shard}`];
  return own ? fetch(new Request(`${own}${pathname}`, request)) : fetch(request);
};

// TEST_DELAYS=none removes all waiting times.
if (process.env.TEST_DELAYS === "none") {
  const { setTimeout: delay } = timers;
  Object.assign(timers, { setTimeout: () => delay(0) });
  syncBuiltinESMExports();
}

// With TEST_CLOUDFLARE, this file replaces wrangler. The variable names a folder that stands for the account.
const [, program = "", ...args] = process.argv;
if (cloudflare && program.endsWith("wrangler/bin/wrangler.js")) {
  const file = (name: string) => join(cloudflare, name);
  const secrets = existsSync(file("secrets.json")) ? JSON.parse(readFileSync(file("secrets.json"), "utf8")) : undefined;
  const processes = execFileSync("ps", ["-A", "-ww", "-o", "args="], { encoding: "utf8" });
  appendFileSync(file("processes"), processes);
  appendFileSync(file("calls"), `${args[0]} ${args[1]}\n`);
  if (args[0] === "secret") {
    if (secrets === undefined) {
      console.error("This Worker does not exist on your account. [code: 10007]");
      process.exit(1);
    }
    console.log(JSON.stringify(Object.keys(secrets).map((name) => ({ name, type: "secret_text" }))));
  } else {
    const sent = JSON.parse(readFileSync(args[args.indexOf("--secrets-file") + 1] ?? "", "utf8"));
    if (process.env.TEST_WRANGLER === "hangs") {
      writeFileSync(file("hanging"), "");
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    }
    if (process.env.TEST_WRANGLER === "fails") process.exit(1);
    writeFileSync(file("vars.json"), JSON.stringify(args.filter((_, i) => args[i - 1] === "--var")));
    writeFileSync(file("secrets.json"), JSON.stringify({ ...secrets, ...sent }));
  }
  process.exit(0);
}
