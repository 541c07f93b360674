import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { writeOutOften } from "../../scripts/database/write-out.ts";

const bytes = 8_000_000;

/** What this process has written to files and cut off before the system wrote it out. */
async function neverWrittenOut(): Promise<number> {
  const [, counted] = /^cancelled_write_bytes: (\d+)$/m.exec(await readFile("/proc/self/io", "utf8")) ?? [];
  return Number(counted);
}

test.runIf(process.platform === "linux")(
  "a file that nobody syncs is written out long before the system would",
  async ({ skip }) => {
    const directory = await mkdtemp(join(tmpdir(), "tributary-write-out-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const path = join(directory, "log");
    const file = await open(path, "w");
    onTestFinished(() => file.close());
    const leftAfter = async (ms: number) => {
      await file.write(Buffer.alloc(bytes, 1), 0, bytes, 0);
      await delay(ms);
      const before = await neverWrittenOut();
      await file.truncate(0);
      return (await neverWrittenOut()) - before;
    };
    if ((await leftAfter(0)) < bytes / 2) skip("the temporary folder is in memory");
    onTestFinished(writeOutOften(path));
    await expect.poll(() => leftAfter(2_000), { timeout: 20_000 }).toBeLessThan(bytes / 8);
  },
);
