import { createHash } from "node:crypto";
import { appendFile, copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { root } from "../root.ts";

export interface Tracker {
  readonly hashedFile: string;
  readonly integrity: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  readonly brotliBytes: number;
}

export const trackerLimitBrotliBytes = 2_250;
const target = "es2019";

/** Bundles the tracking script. esbuild minifies each module separately, so a second pass merges their declarations. */
async function bundle(): Promise<Buffer> {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: ["tracker/src/main.ts"],
    bundle: true,
    format: "esm",
    target,
    // `"use strict"` has no effect here, and costs bytes.
    tsconfigRaw: { compilerOptions: { alwaysStrict: false } },
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    write: false,
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error("esbuild made nothing of tracker/src/main.ts");
  const { code } = await esbuild.transform(output.text, { format: "iife", target, minify: true, logLevel: "warning" });
  return Buffer.from(code);
}

export async function buildTracker(publicDirectory: string): Promise<Tracker> {
  const contents = await bundle();
  const hash = createHash("sha256").update(contents).digest("hex").slice(0, 16);
  const hashedFile = `js/svc-tracker.${hash}.js`;
  await mkdir(join(publicDirectory, "js"), { recursive: true });
  await writeFile(join(publicDirectory, "js/svc-tracker.js"), contents);
  await writeFile(join(publicDirectory, hashedFile), contents);
  await copyFile(join(root, "tracker/svc.d.ts"), join(publicDirectory, "js/svc-tracker.d.ts"));
  await appendFile(
    join(publicDirectory, "_headers"),
    `\n/${hashedFile}\n  Cache-Control: public, max-age=31536000, immutable\n`,
  );
  return {
    hashedFile,
    integrity: `sha384-${createHash("sha384").update(contents).digest("base64")}`,
    bytes: contents.length,
    gzipBytes: gzipSync(contents, { level: 9 }).length,
    brotliBytes: brotliCompressSync(contents).length,
  };
}

export function judgeTracker({ hashedFile, integrity, bytes, gzipBytes, brotliBytes }: Tracker): {
  readonly text: string;
  readonly isTooBig: boolean;
} {
  const isTooBig = brotliBytes > trackerLimitBrotliBytes;
  const sizes = `${bytes} bytes, ${gzipBytes} gzip, ${brotliBytes} brotli (of ${trackerLimitBrotliBytes})`;
  const advice = isTooBig ? " That is more than the limit." : "";
  return { text: `Tracker: ${sizes}; /${hashedFile}, integrity ${integrity}.${advice}`, isTooBig };
}
