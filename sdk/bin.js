#!/usr/bin/env node
import { existsSync } from "node:fs";

// npm links a command only to a file that is there at install time. In a clone the package is built later.
const cli = new URL("./dist/cli.js", import.meta.url);
if (existsSync(cli)) {
  await import(cli.href);
} else {
  console.error("tributary-sdk is not built in this clone yet: run `npm start` or `npm run build` first.");
  process.exitCode = 2;
}
