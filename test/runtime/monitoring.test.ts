import { statfs } from "node:fs/promises";
import { expect, test } from "vitest";
import type { DiskReport } from "../../runtime/disk.ts";
import { watchDisk } from "../../scripts/service/machine-watch.ts";
import { monitoringFrom } from "../../scripts/service/monitoring.ts";

test("monitoring is off by default", () => {
  expect(monitoringFrom({}, 8787)).toEqual({ metricsPort: undefined, minFreeBytes: undefined });
  expect(monitoringFrom({ METRICS_PORT: "", MIN_FREE_DISK_MB: "" }, 8787).metricsPort).toBeUndefined();
  expect(monitoringFrom({ METRICS_PORT: "9464", MIN_FREE_DISK_MB: "2000" }, 8787)).toEqual({
    metricsPort: 9_464,
    minFreeBytes: 2_000_000_000,
  });
});

test.each([
  { METRICS_PORT: "0" },
  { METRICS_PORT: "65536" },
  { METRICS_PORT: "x" },
  { METRICS_PORT: "8787" },
  { MIN_FREE_DISK_MB: "-1" },
])("the invalid setting %o is refused with an error that names it", (env) =>
  expect(() => monitoringFrom(env, 8787)).toThrow(Object.keys(env)[0]),
);

test("the default limit of free disk space is 500 MB, or 5% of a smaller disk", async () => {
  const { blocks, bsize } = await statfs(import.meta.dirname);
  const sizeBytes = blocks * bsize;
  const { promise, resolve } = Promise.withResolvers<DiskReport>();
  const unwatch = watchDisk(import.meta.dirname, async (report) => resolve(report));
  const report = await promise;
  unwatch();
  expect(report).toMatchObject({ sizeBytes, minFreeBytes: Math.min(500_000_000, Math.floor(sizeBytes * 0.05)) });
  expect(report.freeBytes).toBeLessThanOrEqual(sizeBytes);
});

test("reports of the free disk space to the service continue after a failed report", async () => {
  let reports = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const unwatch = watchDisk(
    import.meta.dirname,
    async () => {
      reports += 1;
      if (reports === 1) throw new Error("nobody listens yet");
      resolve();
    },
    { everyMs: 5 },
  );
  await promise;
  unwatch();
  expect(reports).toBeGreaterThan(1);
});
