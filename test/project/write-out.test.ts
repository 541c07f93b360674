import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeOutOften } from "../../scripts/database/write-out.ts";

const megabytes = 48;

/** What the whole system has yet to write out. */
const dirtyMegabytes = async () => {
  const [, kilobytes] = /^Dirty:\s+(\d+) kB$/m.exec(await readFile("/proc/meminfo", "utf8")) ?? [];
  return Number(kilobytes) / 1_000;
};

test.runIf(process.platform === "linux")(
  "a file that nobody syncs is written out long before the system would",
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "tributary-write-out-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const path = join(directory, "log");
    const file = await open(path, "w");
    onTestFinished(() => file.close());
    for (let n = 0; n < megabytes; n += 1) await file.write(Buffer.alloc(1_000_000, n));
    const before = await dirtyMegabytes();
    expect(before).toBeGreaterThan(megabytes / 2);
    onTestFinished(writeOutOften(path));
    await expect.poll(dirtyMegabytes, { timeout: 8_000 }).toBeLessThan(before - megabytes / 2);
  },
);
